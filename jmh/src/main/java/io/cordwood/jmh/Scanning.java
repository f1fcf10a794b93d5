package io.cordwood.jmh;

import java.io.IOException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A thread that reads a log from its start to its end, over and over, while another one appends to it. */
final class Scanning implements AutoCloseable {
    private final Scan scan;
    private final Thread thread;
    private volatile boolean isOver;
    private volatile @Nullable Throwable failure;

    /** What reads; one thread's. */
    interface Scan extends AutoCloseable {
        /**
         * Reads some KiB more; behind the end, or if retention was faster, begins anew.
         *
         * @return bytes that were read.
         * @throws IOException the log's own.
         */
        long step() throws IOException;

        @Override
        void close();
    }

    /** A log that can be scanned while it grows. */
    interface Scanned {
        /**
         * Makes a scan.
         *
         * @return to be closed before the log is.
         */
        Scan newScan();
    }

    Scanning(final Scan scan) {
        this.scan = scan;
        this.thread = new Thread(this::run, "scan");
        this.thread.setDaemon(true);
        thread.start();
    }

    private void run() {
        try {
            while (!isOver) {
                scan.step();
            }
        } catch (final IOException | RuntimeException | Error e) {
            failure = e;
        }
    }

    /**
     * Stops it.
     *
     * @throws IllegalStateException if it has failed.
     */
    @Override
    public void close() {
        isOver = true;
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        scan.close();
        if (failure != null) {
            throw new IllegalStateException("the scan beside the appends has failed", Objects.requireNonNull(failure));
        }
    }
}
