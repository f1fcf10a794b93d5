package io.cordwood.simulation;

import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Ends the wait for something that does not end: it works in a thread of its own, tells each step that it begins, and if a step takes too
 * long, whoever waits gets an error that says which step that was and where the thread stands. The thread is interrupted then, and does
 * not keep the process alive if it does not hear that.
 */
public final class Limit {
    private static final int FRAMES_SHOWN = 15;

    private final long stepNanosMost;
    private final Runnable onExpiry;
    private volatile Step step = new Step(0, () -> "", System.nanoTime());

    /** What goes on, since when. */
    private record Step(long number, Supplier<String> what, long beganNanos) {}

    /**
     * Creates a limit.
     *
     * @param stepSecondsMost how long each step may take.
     */
    public Limit(final long stepSecondsMost) {
        this(stepSecondsMost, () -> {});
    }

    /**
     * Creates a limit for what cannot be interrupted.
     *
     * @param stepSecondsMost how long each step may take.
     * @param onExpiry wakes it, by taking away what it waits for.
     */
    public Limit(final long stepSecondsMost, final Runnable onExpiry) {
        this.stepNanosMost = TimeUnit.SECONDS.toNanos(stepSecondsMost);
        this.onExpiry = onExpiry;
    }

    /**
     * Begins the next step; for what is run.
     *
     * @param what in words, asked for only if it does not end.
     */
    public void step(final Supplier<String> what) {
        step = new Step(step.number + 1, what, System.nanoTime());
    }

    /**
     * Runs something to its end.
     *
     * @param what the first step in words.
     * @param act that throws what this throws.
     * @throws AssertionError if a step takes too long.
     */
    public void run(final String what, final Runnable act) {
        step(() -> what);
        final AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
        final CountDownLatch isOver = new CountDownLatch(1);
        final Thread thread = new Thread(
                () -> {
                    try {
                        act.run();
                    } catch (final RuntimeException | Error e) {
                        thrown.set(e);
                    } finally {
                        isOver.countDown();
                    }
                },
                what);
        thread.setDaemon(true);
        thread.start();
        try {
            await(thread, isOver);
        } catch (final InterruptedException e) {
            thread.interrupt();
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted: " + what, e);
        }
        final Throwable failure = thrown.get();
        if (failure instanceof Error error) {
            throw error;
        }
        if (failure instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private void await(final Thread thread, final CountDownLatch isOver) throws InterruptedException {
        while (true) {
            final Step now = step;
            final long left = stepNanosMost - (System.nanoTime() - now.beganNanos());
            if (isOver.await(Math.max(0, left), TimeUnit.NANOSECONDS)) {
                return;
            }
            if (left <= 0 && step.number == now.number) {
                final String frames = Arrays.stream(thread.getStackTrace())
                        .limit(FRAMES_SHOWN)
                        .map(frame -> "\n    at " + frame)
                        .collect(Collectors.joining());
                onExpiry.run();
                thread.interrupt();
                throw new AssertionError("not over after " + TimeUnit.NANOSECONDS.toSeconds(stepNanosMost) + " s: "
                        + now.what().get() + frames);
            }
        }
    }
}
