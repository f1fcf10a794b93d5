package io.cordwood.jmh;

import java.util.Queue;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/** The thread on which the peer and the floors delete old files, as a broker does: no append waits until a large file is freed. */
final class Deletions {
    private static final ExecutorService THREAD = Executors.newSingleThreadExecutor(work -> {
        final Thread thread = new Thread(work, "deletions");
        thread.setDaemon(true);
        return thread;
    });

    private static final Queue<Exception> FAILURES = new ConcurrentLinkedQueue<>();

    private Deletions() {}

    /**
     * Deletes something soon.
     *
     * @param deletion does it.
     */
    static void add(final Callable<?> deletion) {
        THREAD.execute(() -> {
            try {
                deletion.call();
            } catch (final Exception e) {
                FAILURES.add(e);
            }
        });
    }

    /** Waits until all is deleted; fails if something could not be. */
    static void finish() {
        final Future<@Nullable Exception> last = THREAD.submit(FAILURES::poll);
        try {
            final Exception failed = last.get();
            if (failed != null) {
                throw new IllegalStateException("an old file could not be deleted", failed);
            }
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted before all old files were deleted", e);
        } catch (final ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }
}
