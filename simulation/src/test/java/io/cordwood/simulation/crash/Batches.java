package io.cordwood.simulation.crash;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.agrona.concurrent.UnsafeBuffer;

/** Batches whose every byte is told by their number, to which a log gives nothing but an offset and a leader epoch. */
final class Batches {
    static final long NOW = 1_700_000_000_000L;

    /** By so many bytes at most the sizes of values differ from seed to seed. */
    private static final int SPREAD = 20;

    private static final int AHEAD_ONE_IN = 7;
    private static final long AHEAD_MS = 40;

    private final SplittableRandom random;
    private final UnsafeBuffer memory = new UnsafeBuffer(new byte[1 << 14]);
    private int count;
    private int epoch;
    private int records;

    /** The same seed gives the same batches. */
    Batches(final long seed) {
        random = new SplittableRandom(seed);
    }

    /**
     * Makes the next batch; {@link #memory} holds it. Timestamps grow from record to record, but one batch in a few is from so far ahead that
     * the rest of its segment is older: what an index has lost of it, no later batch makes good.
     */
    int next(final int recordCount, final int valueBytesAbout) {
        final int valueBytes = Math.max(0, valueBytesAbout + random.nextInt(-SPREAD, SPREAD + 1));
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        final byte[] value = new byte[valueBytes];
        count++;
        final long ahead = count % AHEAD_ONE_IN == 0 ? AHEAD_MS : 0;
        for (int i = 0; i < recordCount; i++) {
            // No zeros, and no two values alike.
            Arrays.fill(value, (byte) (1 + count % 251));
            final byte[] number = Integer.toString(records).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
            System.arraycopy(number, 0, value, 0, Math.min(number.length, value.length));
            batch.append(NOW + records + ahead, null, 0, -1, new UnsafeBuffer(value), 0, valueBytes, null);
            records++;
        }
        return batch.finish();
    }

    UnsafeBuffer memory() {
        return memory;
    }

    /** Leader epoch that the next batches are appended with. */
    int epoch() {
        return epoch;
    }

    void nextEpoch() {
        epoch++;
    }

    int recordCount() {
        return records;
    }
}
