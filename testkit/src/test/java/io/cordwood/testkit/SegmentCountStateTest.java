package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchFlyweight;
import java.nio.ByteOrder;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What the contract of derived states leaves to each state. */
final class SegmentCountStateTest {
    private static final String DIRECTORY = "t-0";
    private static final long NOW = 1_700_000_000_000L;

    private final SimulatedStorage storage = new SimulatedStorage(() -> NOW);

    /** Its deletion was not durable when the power went, the snapshot made behind it was. */
    @Test
    void aSnapshotThatLacksASegmentWhichHasComeBackIsNotBelieved() {
        storage.makeDirectory(DIRECTORY);
        try (SegmentCountState state = new SegmentCountState(storage, DIRECTORY)) {
            state.restore(0, new long[] {0}, 0);
            state.apply(batch(3), 0);
            state.snapshot(10);
            state.apply(batch(13), 10);
            state.retain(10, new long[] {10});
            state.snapshot(20);
            state.force(20);
        }
        try (SegmentCountState state = new SegmentCountState(storage, DIRECTORY)) {
            assertEquals(10, state.restore(0, new long[] {0, 10, 20}, 20));
            assertEquals(Map.of(0L, 3L), state.sums());
        }
        try (SegmentCountState state = new SegmentCountState(storage, DIRECTORY)) {
            assertEquals(20, state.restore(10, new long[] {10, 20}, 20));
            assertEquals(Map.of(10L, 13L), state.sums());
        }
    }

    /** Of one record, in leader epoch 0. */
    private static RecordBatchFlyweight batch(final long offset) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[512]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        builder.append(NOW, null, 0, -1, new UnsafeBuffer(new byte[] {1}), 0, 1, null);
        builder.finish();
        memory.putLong(0, offset, ByteOrder.BIG_ENDIAN);
        memory.putInt(12, 0, ByteOrder.BIG_ENDIAN);
        return new RecordBatchFlyweight().wrap(memory, 0);
    }
}
