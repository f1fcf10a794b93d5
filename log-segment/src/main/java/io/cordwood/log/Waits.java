package io.cordwood.log;

import java.util.function.BooleanSupplier;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/** Waits for what other threads are doing to a disk, which takes as long as the disk does. */
final class Waits {
    private Waits() {}

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
