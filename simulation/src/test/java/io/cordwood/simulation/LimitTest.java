package io.cordwood.simulation;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** What does not end is told with the step at which it stands. */
final class LimitTest {
    private final AtomicBoolean isEnough = new AtomicBoolean();

    private void spin() {
        while (!isEnough.get()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anEndlessLoopThatHearsNothingIsTold() {
        final Limit limit = new Limit(1);
        final AssertionError told = assertThrows(
                AssertionError.class,
                () -> limit.run("seed 7", () -> {
                    limit.step(() -> "seed 7, input 3");
                    spin();
                }));
        isEnough.set(true);
        final String message = String.valueOf(told.getMessage());
        assertTrue(message.startsWith("not over after 1 s: seed 7, input 3\n"), message);
        assertTrue(message.contains("LimitTest.spin"), message);
    }

    @Test
    void whatWaitsForSomethingIsWokenByTakingItAway() throws InterruptedException {
        final CountDownLatch taken = new CountDownLatch(1);
        final CountDownLatch isWoken = new CountDownLatch(1);
        final Limit limit = new Limit(1, taken::countDown);
        assertThrows(
                AssertionError.class,
                () -> limit.run("a wait", () -> {
                    while (taken.getCount() > 0) {
                        LockSupport.parkNanos(1_000_000);
                    }
                    isWoken.countDown();
                }));
        isWoken.await();
    }

    @Test
    void manyStepsMayTakeLongerThanOne() {
        final Limit limit = new Limit(1);
        final long began = System.nanoTime();
        limit.run("steps", () -> {
            for (int i = 0; i < 6; i++) {
                final String what = "step " + i;
                limit.step(() -> what);
                final long stepBegan = System.nanoTime();
                while (System.nanoTime() - stepBegan < 250_000_000) {
                    Thread.onSpinWait();
                }
            }
        });
        assertTrue(System.nanoTime() - began > 1_000_000_000L);
    }

    @Test
    void whatIsThrownComesThrough() {
        final AssertionError error = new AssertionError("wrong");
        assertSame(
                error,
                assertThrows(
                        AssertionError.class,
                        () -> new Limit(60).run("it", () -> {
                            throw error;
                        })));
        final IllegalStateException exception = new IllegalStateException("wrong");
        assertSame(
                exception,
                assertThrows(
                        IllegalStateException.class,
                        () -> new Limit(60).run("it", () -> {
                            throw exception;
                        })));
    }
}
