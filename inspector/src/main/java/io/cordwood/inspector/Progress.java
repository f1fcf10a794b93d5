package io.cordwood.inspector;

/** Tells a person at a terminal how far long work is; tells nobody else anything. */
final class Progress {
    private static final long INTERVAL_NANOS = 500_000_000L;
    private static final int MEGABYTE = 1 << 20;

    private final Streams streams;
    private final String verb;
    private long nextNanos = System.nanoTime() + 2 * INTERVAL_NANOS;
    private long bytes;
    private boolean isShown;

    Progress(final Streams streams, final String verb) {
        this.streams = streams;
        this.verb = verb;
    }

    void add(final long more) {
        bytes += more;
        if (streams.isTerminal() && System.nanoTime() - nextNanos > 0) {
            nextNanos = System.nanoTime() + INTERVAL_NANOS;
            isShown = true;
            streams.err().print("\r" + Text.number(bytes / MEGABYTE) + " MiB " + verb + "  ");
            streams.err().flush();
        }
    }

    /** Makes room for another line. */
    void clear() {
        if (isShown) {
            isShown = false;
            streams.err().print("\r" + " ".repeat(40) + "\r");
            streams.err().flush();
        }
    }
}
