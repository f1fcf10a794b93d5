package io.cordwood.testkit;

import org.jspecify.annotations.Nullable;

/**
 * Which of the pending changes survive, by a name that is short enough for a command line.
 *
 * <pre>
 *   n, a      none, all
 *   k         the process dies alone: all is there, and still pending
 *   p4        the first 4 changes in the order of the acts
 *   o4, b4    only the change of that number, counted from 0; all but it
 *   w4, v4    only the act of that number; all but it
 *   t4, s4    all up to the last write, and the first 4 bytes of its sectors; in s4 the file ends there
 *   r4        some, by the seed and this number
 * </pre>
 */
record CrashState(char kind, int number) {
    static final CrashState NONE = new CrashState('n', 0);
    static final CrashState ALL = new CrashState('a', 0);

    static final CrashState KILLED = new CrashState('k', 0);

    private static final String KINDS = "nakpobwvtsr";

    boolean isRandom() {
        return kind == 'r';
    }

    /** Whether a write was cut within a sector. */
    boolean isTear() {
        return kind == 't' || kind == 's';
    }

    /** Whether it is of whole acts, and so one of few. */
    boolean isWhole() {
        return kind == 'n' || kind == 'a' || kind == 'w' || kind == 'v';
    }

    static @Nullable CrashState parse(final String text) {
        if (text.isEmpty() || KINDS.indexOf(text.charAt(0)) < 0) {
            return null;
        }
        final CrashState state =
                new CrashState(text.charAt(0), text.length() == 1 ? 0 : Math.max(0, number(text.substring(1))));
        return state.toString().equals(text) ? state : null;
    }

    /** The number that digits name; -1 if they name none. */
    static int number(final String digits) {
        return digits.matches("[0-9]{1,9}") ? Integer.parseInt(digits) : -1;
    }

    @Override
    public String toString() {
        return kind == 'n' || kind == 'a' || kind == 'k' ? String.valueOf(kind) : kind + String.valueOf(number);
    }
}
