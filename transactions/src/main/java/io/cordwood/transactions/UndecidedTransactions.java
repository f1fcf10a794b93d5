package io.cordwood.transactions;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * What keeps offsets of a log from being stable: transactions without a marker, and those whose marker is not replicated yet. Ascending by first
 * offset, in primitives; there are few at a time.
 *
 * <p>The writer's thread, but for {@link #firstUnstable}, which any thread may ask.
 */
final class UndecidedTransactions {
    /** What {@link #firstUnstable} answers if everything is decided. */
    static final long NONE = Long.MAX_VALUE;

    private static final VarHandle FIRST_UNSTABLE;

    static {
        try {
            FIRST_UNSTABLE =
                    MethodHandles.lookup().findVarHandle(UndecidedTransactions.class, "firstUnstable", long.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private long[] firsts = new long[8];
    private long[] producers = new long[8];

    /** Offset of the marker; -1 while there is none. */
    private long[] markers = new long[8];

    private int count;

    @SuppressWarnings("UnusedVariable") // Through the handle alone.
    private long firstUnstable = NONE;

    /** A producer's transaction has its first batch. */
    void begin(final long producerId, final long first) {
        if (count == firsts.length) {
            firsts = Arrays.copyOf(firsts, count * 2);
            producers = Arrays.copyOf(producers, count * 2);
            markers = Arrays.copyOf(markers, count * 2);
        }
        int place = count;
        while (place > 0 && firsts[place - 1] > first) {
            move(place - 1, place);
            place--;
        }
        firsts[place] = first;
        producers[place] = producerId;
        markers[place] = -1;
        count++;
        publish();
    }

    /** A producer's transaction has its marker. */
    void decide(final long producerId, final long first, final long marker) {
        for (int i = 0; i < count; i++) {
            if (firsts[i] == first && producers[i] == producerId) {
                markers[i] = marker;
                return;
            }
        }
        throw new IllegalStateException("no transaction of producer " + producerId + " began at " + first);
    }

    /** Everything below an offset is replicated: so are the decisions below it. */
    void replicatedTo(final long offset) {
        int kept = 0;
        for (int i = 0; i < count; i++) {
            if (markers[i] < 0 || markers[i] >= offset) {
                move(i, kept);
                kept++;
            }
        }
        count = kept;
        publish();
    }

    private void move(final int from, final int to) {
        firsts[to] = firsts[from];
        producers[to] = producers[from];
        markers[to] = markers[from];
    }

    void clear() {
        count = 0;
        publish();
    }

    private void publish() {
        FIRST_UNSTABLE.setRelease(this, count == 0 ? NONE : firsts[0]);
    }

    /** First offset of all that are here; {@link #NONE} if there are none. Any thread. */
    long firstUnstable() {
        return (long) FIRST_UNSTABLE.getAcquire(this);
    }

    /** First offset of those without a marker; {@link #NONE} if there are none. */
    long firstUndecided() {
        return firstUndecidedBut(-1);
    }

    /** The same without those of one producer. */
    long firstUndecidedBut(final long producerId) {
        for (int i = 0; i < count; i++) {
            if (markers[i] < 0 && producers[i] != producerId) {
                return firsts[i];
            }
        }
        return NONE;
    }
}
