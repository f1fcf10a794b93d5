package io.cordwood.inspector;

import java.util.concurrent.TimeUnit;

/** Tells a person at a terminal how far long work is; tells nobody else anything. */
final class Progress {
    private static final long INTERVAL_NANOS = 500_000_000L;
    private static final int MEGABYTE = 1 << 20;

    private final Streams streams;
    private final String verb;
    private final boolean isWanted;
    private long nextNanos;
    private long bytes;
    private boolean isShown;

    Progress(final Streams streams, final String verb) {
        this(streams, verb, streams.isTerminal());
    }

    private Progress(final Streams streams, final String verb, final boolean isWanted) {
        this.streams = streams;
        this.verb = verb;
        this.isWanted = isWanted;
        nextNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(streams.patienceMs());
    }

    /** Of work whose results come as it goes on. */
    static Progress besideResults(final Streams streams, final String verb) {
        return new Progress(streams, verb, streams.isTerminal() && !streams.isOutSeen());
    }

    void add(final long more) {
        bytes += more;
        if (isWanted && System.nanoTime() - nextNanos >= 0) {
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
