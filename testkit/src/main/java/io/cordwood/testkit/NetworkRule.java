package io.cordwood.testkit;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What happens to the n-th message on a way, such as {@code 1>2 3 lost}. Counts the messages that it matches. */
final class NetworkRule {
    /** What happens to a message. */
    enum Fate {
        LOST,
        TWICE,
        LATE
    }

    private static final Pattern FORM =
            Pattern.compile("(NUMBER|\\*)>(NUMBER|\\*) ([1-9]\\d{0,8})(\\+?) (lost|twice|late=(NUMBER))"
                    // One number is one text, so that two rules are equal if their texts are.
                    .replace("NUMBER", "0|[1-9]\\d{0,8}"));

    private final String text;
    private final int from;
    private final int to;
    private final int nth;
    private final boolean isForGood;
    private final Fate fate;
    private final long lateMs;
    private int seen;
    private boolean hasHappened;

    private NetworkRule(final String text, final Matcher words) {
        this.text = text;
        this.from = node(words.group(1));
        this.to = node(words.group(2));
        this.nth = Integer.parseInt(words.group(3));
        this.isForGood = !words.group(4).isEmpty();
        final @Nullable String late = words.group(6);
        this.lateMs = late == null ? 0 : Long.parseLong(late);
        this.fate = late != null ? Fate.LATE : words.group(5).equals("lost") ? Fate.LOST : Fate.TWICE;
    }

    static NetworkRule parse(final String text) {
        final Matcher words = FORM.matcher(text);
        if (!words.matches()) {
            throw new IllegalArgumentException(
                    "a rule is '<from, or * for any>><to, or *> <n, or n+ for the n-th and all after it>"
                            + " <lost, twice or late=<ms>>': '" + text + "'");
        }
        return new NetworkRule(text, words);
    }

    /** Counts a message that is about to be sent; true if the rule is about this one. */
    boolean hits(final int sender, final int receiver) {
        if ((from >= 0 && from != sender) || (to >= 0 && to != receiver)) {
            return false;
        }
        seen++;
        return isForGood ? seen >= nth : seen == nth;
    }

    /** Notes that a message has its fate from this rule, and not from one that stands before it. */
    void happens() {
        hasHappened = true;
    }

    boolean hasHappened() {
        return hasHappened;
    }

    Fate fate() {
        return fate;
    }

    long lateMs() {
        return lateMs;
    }

    @Override
    public String toString() {
        return text;
    }

    private static int node(final String word) {
        return word.equals("*") ? -1 : Integer.parseInt(word);
    }
}
