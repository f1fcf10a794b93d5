package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.testkit.SimulatedStorage;
import java.nio.ByteOrder;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** A small log for races: each batch is one record whose value is a number. */
final class RaceLog {
    static final long NOW = 1_700_000_000_000L;

    private static final int VALUE_BYTES = Long.BYTES;
    private static final LogConfig CONFIG =
            LogConfig.of(Map.of("file.delete.delay.ms", "0", "retention.bytes", "1", "retention.ms", "-1"));

    private RaceLog() {}

    static SimulatedStorage disk() {
        return new SimulatedStorage(() -> NOW);
    }

    static Log open(final SimulatedStorage disk) {
        return new LogBuilder(disk, "t-0").config(CONFIG).open(NOW);
    }

    /** A batch with that number. */
    static UnsafeBuffer batch(final long number) {
        final UnsafeBuffer value = new UnsafeBuffer(new byte[VALUE_BYTES]);
        value.putLong(0, number, ByteOrder.BIG_ENDIAN);
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[128]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        builder.append(NOW, null, 0, -1, value, 0, VALUE_BYTES, null);
        final int length = builder.finish();
        return new UnsafeBuffer(memory, 0, length);
    }

    static long append(final Log log, final long number) {
        final UnsafeBuffer batch = batch(number);
        return log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
    }

    /** Number of the first batch that the reader shows; the value's bytes stand in front of the count of headers. */
    static long number(final LogReader reader) {
        final int size = RaceLog.batch(0).capacity();
        return reader.buffer().getLong(size - 1 - VALUE_BYTES, ByteOrder.BIG_ENDIAN);
    }
}
