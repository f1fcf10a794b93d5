package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.CorruptLogException;
import java.util.function.LongUnaryOperator;

/**
 * A log that replicates what a cleaner has thinned elsewhere may begin a segment behind a hole, and then nothing tells it from one
 * that has lost a segment: a reader is told so once and goes on behind the hole.
 */
public final class Holes {
    private Holes() {}

    /** Reads from an offset, or from behind the hole in which it lies. */
    public static long read(final long offset, final LongUnaryOperator reading) {
        try {
            return reading.applyAsLong(offset);
        } catch (final CorruptLogException e) {
            assertTrue(e.reason().endsWith("are missing in front of the next segment"), e.toString());
            assertTrue(e.nextOffset() > offset, e.toString());
            return reading.applyAsLong(e.nextOffset());
        }
    }
}
