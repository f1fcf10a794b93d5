package io.cordwood.testkit;

import org.jspecify.annotations.Nullable;

/** One state at one point, written as {@code 37-p4}. */
record CrashTarget(int point, CrashState state) {
    static CrashTarget parse(final String text) {
        final int dash = text.indexOf('-');
        final int point = CrashState.number(text.substring(0, Math.max(0, dash)));
        final @Nullable CrashState state = CrashState.parse(text.substring(dash + 1));
        if (point <= 0 || state == null) {
            throw new IllegalArgumentException("'" + text + "' names no state; one looks like 37-p4, or 37-p4/12-n");
        }
        return new CrashTarget(point, state);
    }

    @Override
    public String toString() {
        return point + "-" + state;
    }
}
