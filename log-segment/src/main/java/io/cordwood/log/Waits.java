package io.cordwood.log;

import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingIdleStrategy;

/** Waits for what other threads are doing to a disk, which takes as long as the disk does. */
final class Waits {
    private static final int SPINS = 100;
    private static final IdleStrategy SLEEP = new SleepingIdleStrategy(100_000);

    private Waits() {}

    /** Between two tries of something that others are in the way of: soon the thread sleeps, interrupted or not. */
    static void pause(final int tries) {
        if (tries < SPINS) {
            Thread.onSpinWait();
            return;
        }
        final boolean isInterrupted = Thread.interrupted();
        SLEEP.idle();
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Puts the thread to sleep until something is so; an interrupt does not end the wait, and is there behind it. */
    static void until(final BooleanSupplier isSo) {
        final IdleStrategy idle = new BackoffIdleStrategy();
        boolean isInterrupted = false;
        while (!isSo.getAsBoolean()) {
            // A thread that stays interrupted would not sleep.
            isInterrupted |= Thread.interrupted();
            idle.idle();
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
