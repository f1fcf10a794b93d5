package io.cordwood.inspector;

import io.cordwood.log.RecoveryProgress;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Tells a person at a terminal how far the open of a log is, while another thread is at it. */
final class RecoveryWatch implements AutoCloseable {
    private static final int WIDTH = 50;
    private static final long INTERVAL_MS = 500;

    private final Streams streams;
    private final @Nullable ScheduledExecutorService thread;
    private @Nullable ScheduledFuture<?> telling;
    private boolean isShown;

    RecoveryWatch(final Streams streams) {
        this.streams = streams;
        thread = streams.isTerminal() ? Executors.newSingleThreadScheduledExecutor() : null;
    }

    /** Tells of it again and again until the end; false if nobody is there to be told. */
    boolean begin(final RecoveryProgress progress) {
        if (thread != null) {
            telling = thread.scheduleAtFixedRate(
                    () -> show(progress), streams.patienceMs(), INTERVAL_MS, TimeUnit.MILLISECONDS);
        }
        return telling != null;
    }

    private void show(final RecoveryProgress progress) {
        final int done = progress.segmentsDone();
        isShown = true;
        streams.err()
                .print("\r" + Text.number(done) + " of " + Text.count(done + progress.segmentsLeft(), "segment")
                        + " looked at  ");
        streams.err().flush();
    }

    /** Ends the telling, and makes room for another line. */
    @Override
    public void close() {
        if (thread != null) {
            if (telling != null) {
                telling.cancel(false);
            }
            thread.shutdown();
            end(thread);
            if (isShown) {
                streams.err().print("\r" + " ".repeat(WIDTH) + "\r");
                streams.err().flush();
            }
        }
    }

    /** A line that is being written is finished first. */
    private static void end(final ScheduledExecutorService thread) {
        try {
            if (!thread.awaitTermination(1, TimeUnit.MINUTES)) {
                throw new IllegalStateException("standard error takes nothing more");
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
