package io.cordwood.testkit;

import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which act fails, and how, such as {@code force *.log 2 eio}. Counts the acts that it matches; guarded by the lock of its
 * {@link FaultyStorage}.
 */
final class FaultRule {
    /** How an act fails. */
    enum Outcome {
        EIO("input/output error", false),
        ENOSPC("no space left on the disk", false),
        SHORT("it stopped midway", true),
        LOST("input/output error", false),
        DROPPED("", false),
        SLOW("", true);

        private final String reason;
        private final boolean hasAmount;

        Outcome(final String reason, final boolean hasAmount) {
            this.reason = reason;
            this.hasAmount = hasAmount;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        String reason() {
            return "a planted fault: " + reason;
        }

        /** Whether an act can end so. */
        boolean fits(final Act act) {
            return switch (this) {
                case EIO -> act != Act.CLAIM;
                case ENOSPC ->
                    act == Act.OPEN
                            || act == Act.RENAME
                            || act == Act.MAKE
                            || act == Act.LOCK
                            || act == Act.CLAIM
                            || act == Act.PUBLISH;
                case SHORT -> act == Act.PUBLISH || act == Act.VIEW || act == Act.SEND;
                case LOST -> act == Act.FORCE;
                case DROPPED -> act == Act.FORCE || act == Act.SYNC;
                case SLOW -> true;
            };
        }
    }

    private static final String FORM =
            "a rule is '<act, or * for any> <path, * for any part> <n, or n+ for the n-th and all after it>"
                    + " <eio, enospc, short=<bytes>, lost, dropped or slow=<ms>>': '";

    private static final String ANY = "*";

    private final String text;
    private final @Nullable Act act;
    private final Pattern path;
    private final int nth;
    private final boolean isForGood;
    private final Outcome outcome;
    private final int amount;
    private int seen;
    private boolean hasHappened;

    private FaultRule(
            final String text, final @Nullable Act act, final String glob, final String count, final String outcome) {
        this.text = text;
        this.act = act;
        this.path = Pattern.compile(
                Stream.of(glob.split("\\*", -1)).map(Pattern::quote).collect(Collectors.joining(".*")));
        this.isForGood = count.endsWith("+");
        this.nth = number(text, isForGood ? count.substring(0, count.length() - 1) : count);
        final int equals = outcome.indexOf('=');
        this.outcome = enumOf(Outcome.class, text, equals < 0 ? outcome : outcome.substring(0, equals));
        this.amount = equals < 0 ? 0 : number(text, outcome.substring(equals + 1));
        if (nth == 0 || this.outcome.hasAmount != (equals >= 0)) {
            throw new IllegalArgumentException(FORM + text + "'");
        }
        if (glob.isEmpty() || glob.startsWith("/")) {
            throw new IllegalArgumentException(
                    "a path begins at the root of the storage, which is a dot: '" + text + "'");
        }
        if (!isPath(glob)) {
            throw new IllegalArgumentException(
                    "a path has no empty parts, '.' and '..', so nothing ever matches: '" + text + "'");
        }
        if (act != null && !this.outcome.fits(act)) {
            throw new IllegalArgumentException(act.word() + " cannot be " + outcome + ": '" + text + "'");
        }
    }

    static FaultRule parse(final String text) {
        final String[] words = text.split(" ", -1);
        if (words.length != 4) {
            throw new IllegalArgumentException(FORM + text + "'");
        }
        final Act act = words[0].equals(ANY) ? null : enumOf(Act.class, text, words[0]);
        return new FaultRule(text, act, words[1], words[2], words[3]);
    }

    /** Whether some path matches. */
    private static boolean isPath(final String glob) {
        return glob.equals(".")
                || Stream.of(glob.split("/", -1))
                        .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
    }

    /** Counts an act that is about to be done; true if this one fails. */
    boolean hits(final Act done, final String donePath) {
        if (!(act == null ? outcome.fits(done) : done == act)
                || !path.matcher(donePath).matches()) {
            return false;
        }
        seen++;
        return isForGood ? seen >= nth : seen == nth;
    }

    /** Notes that the act fails or is cut short by this rule, and not by one that stands before it. */
    void happens() {
        hasHappened = true;
    }

    boolean hasHappened() {
        return hasHappened;
    }

    Outcome outcome() {
        return outcome;
    }

    /** Bytes of a short act, milliseconds of a slow one. */
    int amount() {
        return amount;
    }

    @Override
    public String toString() {
        return text;
    }

    private static <E extends Enum<E>> E enumOf(final Class<E> type, final String rule, final String word) {
        @Nullable E found = null;
        for (final E constant : type.getEnumConstants()) {
            if (constant.name().toLowerCase(Locale.ROOT).equals(word)) {
                found = constant;
            }
        }
        if (found == null) {
            throw new IllegalArgumentException("'" + word + "' is none of "
                    + Stream.of(type.getEnumConstants())
                            .map(c -> c.name().toLowerCase(Locale.ROOT))
                            .collect(Collectors.joining(", "))
                    + ": '" + rule + "'");
        }
        return found;
    }

    private static int number(final String rule, final String digits) {
        try {
            // One number is one text, so that two rules are equal if their texts are.
            if (digits.matches("0|[1-9][0-9]*")) {
                return Integer.parseInt(digits);
            }
        } catch (final NumberFormatException e) {
            throw new IllegalArgumentException(FORM + rule + "'", e);
        }
        throw new IllegalArgumentException(FORM + rule + "'");
    }
}
