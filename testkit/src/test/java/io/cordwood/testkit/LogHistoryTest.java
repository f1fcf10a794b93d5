package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import java.nio.ByteOrder;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What is owed, and where offsets may be missing. Batches of two records each. */
final class LogHistoryTest {
    private final LogHistory history = new LogHistory();

    private static byte[] batch(final long offset) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[512]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        for (int i = 0; i < 2; i++) {
            builder.append(1, null, 0, -1, new UnsafeBuffer(new byte[] {1}), 0, 1, null);
        }
        final byte[] bytes = new byte[builder.finish()];
        memory.putLong(0, offset, ByteOrder.BIG_ENDIAN);
        memory.getBytes(0, bytes);
        return bytes;
    }

    private void append(final long... offsets) {
        for (final long offset : offsets) {
            history.appending(batch(offset));
        }
    }

    private static NavigableMap<Long, byte[]> batches(final long... offsets) {
        final NavigableMap<Long, byte[]> found = new TreeMap<>();
        for (final long offset : offsets) {
            found.put(offset, batch(offset));
        }
        return found;
    }

    @Test
    void whatWasPublishedIsOwedToADeadProcessAndWhatWasForcedToADeadMachine() {
        append(0, 2, 4);
        history.forced(2);
        history.published(4);
        history.require(batches(0));
        assertThrows(AssertionError.class, () -> history.requirePublished(batches(0)));
        history.requirePublished(batches(0, 2));
        assertThrows(AssertionError.class, () -> history.require(batches(2, 4)));
        history.powerGoes();
        history.requirePublished(batches(0));
    }

    @Test
    void aTruncationTakesBackWhatWasPublished() {
        append(0, 2, 4);
        history.published(6);
        history.cuttingTo(3);
        history.requirePublished(batches(0));
        history.cutTo(2);
        assertThrows(AssertionError.class, () -> history.require(batches(0, 2)));
    }

    /** The end cannot lie below the start, and so lies within the batch that has gone. */
    @Test
    void theWholeBatchThatATruncationEndsInHasGone() {
        append(0, 2);
        history.droppingBelow(3);
        history.cuttingTo(3);
        history.cutTo(3);
        history.forced(3);
        assertEquals(2, history.endLeast());
        append(3);
        history.forced(5);
        assertEquals(5, history.endLeast());
        assertThrows(AssertionError.class, () -> history.require(batches(0, 2)));
        assertTrue(history.isAppendedGap(2, 3));
        assertTrue(history.hasAppendedGaps());
    }

    /** The start of a log is made durable when its owner likes: a crash brings back what was dropped, maybe without its leader epoch. */
    @Test
    void whatWasDroppedIsNotOwedAgain() {
        append(0, 2, 4);
        history.forced(6);
        history.droppingBelow(2);
        history.keptFrom(2);
        history.droppingBelow(6);
        history.keptFrom(0);
        assertEquals(2, history.owedFrom());
        history.droppingBelow(6);
        history.keptFrom(4);
        assertEquals(4, history.owedFrom());
    }

    @Test
    void whatIsTriedTwiceMayHaveLeftAsMuchAsWhatIsTriedOnce() {
        append(0, 2, 4);
        history.forced(6);
        history.droppingBelow(4);
        history.droppingBelow(4);
        history.keptFrom(2);
        assertThrows(AssertionError.class, () -> history.require(batches(4)));
        history.require(batches(2, 4));
    }

    @Test
    void aHoleIsForgottenWithWhatLayBehindIt() {
        append(0, 2, 4, 6, 8);
        history.found(batches(0, 2, 4, 8), 10);
        assertTrue(history.isGap(6));
        history.cuttingTo(7);
        history.cutTo(7);
        assertTrue(history.isGap(6));
        history.cuttingTo(2);
        history.cutTo(2);
        append(2, 4, 6, 8);
        assertFalse(history.isGap(6));
    }

    @Test
    void aReplicasGapIsForgottenWithWhatLayBehindIt() {
        append(0, 10);
        assertTrue(history.hasAppendedGaps());
        history.cuttingTo(2);
        history.cutTo(2);
        assertFalse(history.hasAppendedGaps());
        append(10);
        history.startingAnew();
        history.startedAt(0);
        assertFalse(history.hasAppendedGaps());
        append(0, 10);
        history.found(batches(0), 2);
        assertFalse(history.hasAppendedGaps());
    }

    @Test
    void aHoleThatWasFoundIsKnownAlsoInFrontOfTheFirstBatch() {
        append(0, 2, 4);
        history.found(batches(2), 6);
        assertTrue(history.isGap(0) && history.isGap(1));
        assertFalse(history.isGap(2) || history.isGap(3));
        assertTrue(history.isGap(4) && history.isGap(5));
        assertEquals(6, history.nextOffset());
    }

    @Test
    void aReplicasGapIsOneAsLongAsThereAreBatchesOnBothSides() {
        append(0);
        assertFalse(history.hasAppendedGaps());
        append(10);
        assertTrue(history.hasAppendedGaps());
        assertTrue(history.isAppendedGap(2, 10) && history.isAppendedGap(9, 10));
        assertFalse(history.isAppendedGap(1, 3) || history.isAppendedGap(9, 11) || history.isAppendedGap(12, 13));
    }
}
