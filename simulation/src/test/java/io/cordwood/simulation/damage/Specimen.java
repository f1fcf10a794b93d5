package io.cordwood.simulation.damage;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.Storage;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A log of three segments that was made by the engine from a seed and closed cleanly: a short one, one of up to 64 KiB, the victim,
 * and the active one. Batches of all codecs, timestamps that mostly grow, a new leader epoch now and then.
 */
final class Specimen {
    static final String DIRECTORY = "t-0";
    static final long NOW = 1_700_000_000_000L;

    private static final List<CompressionType> CODECS = List.of(CompressionType.values());
    private static final int BATCH_BYTES_MAX = 1 << 13;

    private final boolean isMapped;
    private final LogConfig config;
    private final MemoryDisk disk;
    private final List<PlacedBatch> batches = new ArrayList<>();
    private long end;

    private Specimen(final MemoryDisk disk, final boolean isMapped, final int segmentBytes) {
        this.disk = disk;
        this.isMapped = isMapped;
        this.config = LogConfig.of(Map.of(
                "segment.bytes", Integer.toString(segmentBytes),
                "segment.index.bytes", "4096",
                "index.interval.bytes", "600",
                "file.delete.delay.ms", "0"));
    }

    /** With a victim of up to 64 KiB. */
    static Specimen of(final long seed, final boolean isMapped) {
        return of(seed, isMapped, 1 << 16);
    }

    static Specimen of(final long seed, final boolean isMapped, final int segmentBytes) {
        final Specimen made = new Specimen(new MemoryDisk(), isMapped, segmentBytes);
        final Maker maker = new Maker(new Random(seed));
        try (Log log = made.open(made.disk, 0)) {
            while (log.sizeInBytes() < segmentBytes / 8) {
                maker.append(log);
            }
            log.roll(NOW);
            while (log.segmentCount() < 3) {
                maker.append(log);
            }
            while (log.sizeInBytes() < segmentBytes * 5L / 4) {
                maker.append(log);
            }
            made.end = log.endOffset();
        }
        made.list();
        return made;
    }

    /** The same log before it was truncated in the middle of the victim and written anew: it had other batches from there on. */
    Specimen older(final long seed) {
        final Specimen made = new Specimen(disk.copy(), isMapped, config.segmentBytes());
        final Maker maker = new Maker(new Random(~seed));
        try (Log log = made.open(made.disk, Long.MAX_VALUE)) {
            final String path = victim(LogFiles.LOG);
            final int middle = indexAt(path, disk.content(path).length / 2);
            log.truncateTo(batches.get(middle).baseOffset(), NOW);
            maker.epoch = log.leaderEpochs().latestEpoch();
            while (log.endOffset() < end) {
                maker.append(log);
            }
            made.end = log.endOffset();
        }
        made.list();
        return made;
    }

    /** A new open of a disk that began as a copy of this one's. */
    Log open(final Storage storage, final long recoveryPoint) {
        final LogBuilder builder = new LogBuilder(storage, DIRECTORY)
                .config(config)
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint);
        return (isMapped ? builder.mapped() : builder).open(NOW);
    }

    private void list() {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        for (final String path : disk.paths()) {
            if (!path.endsWith(LogFiles.LOG)) {
                continue;
            }
            final UnsafeBuffer content = new UnsafeBuffer(disk.content(path));
            for (int at = 0; at < content.capacity(); at += batch.sizeInBytes()) {
                batch.wrap(content, at);
                final byte[] bytes = new byte[batch.sizeInBytes()];
                content.getBytes(at, bytes);
                batches.add(new PlacedBatch(path, at, batch.baseOffset(), timestamps(batch), bytes));
            }
        }
    }

    private static long[] timestamps(final RecordBatchFlyweight batch) {
        final long[] timestamps = new long[batch.recordCount()];
        try (RecordReader reader = new RecordReader(Codecs.standard(), 1 << 20)) {
            reader.wrap(batch);
            for (int i = 0; reader.next(); i++) {
                timestamps[i] = reader.record().timestamp();
            }
        }
        return timestamps;
    }

    /** As the log was closed; to be copied, or mended after each damage. */
    MemoryDisk disk() {
        return disk;
    }

    List<PlacedBatch> batches() {
        return batches;
    }

    long endOffset() {
        return end;
    }

    /** Path of the segment in the middle, or with another suffix of what belongs to it. */
    String victim(final String suffix) {
        final String log = disk.paths().stream()
                .filter(path -> path.endsWith(LogFiles.LOG))
                .toList()
                .get(1);
        return log.substring(0, log.length() - LogFiles.LOG.length()) + suffix;
    }

    /** Path of the active segment. */
    String active() {
        return active(LogFiles.LOG);
    }

    /** The same with another suffix. */
    String active(final String suffix) {
        final String log = batches.get(batches.size() - 1).path();
        return log.substring(0, log.length() - LogFiles.LOG.length()) + suffix;
    }

    /** What a log that holds all batches must know of its leaders, by their first offsets. */
    NavigableMap<Long, Integer> epochs() {
        final NavigableMap<Long, Integer> found = new TreeMap<>();
        final RecordBatchFlyweight flyweight = new RecordBatchFlyweight();
        for (final PlacedBatch batch : batches) {
            final int epoch = flyweight.wrap(new UnsafeBuffer(batch.bytes()), 0).partitionLeaderEpoch();
            if (found.isEmpty() || found.lastEntry().getValue() != epoch) {
                found.put(batch.baseOffset(), epoch);
            }
        }
        return found;
    }

    /** Another batch behind the end, of the leader that the log knows last. */
    byte[] append(final Log log) {
        final Maker maker = new Maker(new Random(end));
        maker.epoch = Math.max(0, log.leaderEpochs().latestEpoch());
        maker.time = NOW + 3_000_000;
        return maker.append(log);
    }

    /** The batch that has a byte of a segment. */
    int indexAt(final String path, final int position) {
        for (int i = 0; i < batches.size(); i++) {
            final PlacedBatch batch = batches.get(i);
            if (batch.path().equals(path) && position < batch.position() + batch.bytes().length) {
                return i;
            }
        }
        throw new IllegalArgumentException("no batch has position " + position + " of " + path);
    }

    /** The first offset whose record is at least so young; -1 if there is none. */
    long offsetForTimestamp(final long timestamp) {
        for (final PlacedBatch batch : batches) {
            for (int i = 0; i < batch.timestamps().length; i++) {
                if (batch.timestamps()[i] >= timestamp) {
                    return batch.baseOffset() + i;
                }
            }
        }
        return -1;
    }

    /** What appends; one life's. */
    private static final class Maker {
        private final Random random;
        private final BatchBuilder builder = new BatchBuilder(Codecs.standard());
        private final UnsafeBuffer memory = new UnsafeBuffer(new byte[BATCH_BYTES_MAX]);
        private long time = NOW;
        private int epoch = 3;

        Maker(final Random random) {
            this.random = random;
        }

        /** The bytes as the log has them. */
        byte[] append(final Log log) {
            if (random.nextInt(25) == 0) {
                epoch += 1 + random.nextInt(3);
            }
            builder.wrap(memory, 0, memory.capacity());
            if (random.nextInt(3) == 0) {
                builder.compression(CODECS.get(random.nextInt(CODECS.size())), CompressionType.DEFAULT_LEVEL);
            }
            for (int left = 1 + random.nextInt(8); left > 0; left--) {
                final byte[] value = new byte[random.nextInt(120)];
                random.nextBytes(value);
                // Some repeat, so that there is something to compress.
                Arrays.fill(value, value.length / 2, value.length, (byte) left);
                time += random.nextInt(5);
                builder.append(
                        time - (random.nextInt(6) == 0 ? random.nextInt(40) : 0),
                        null,
                        0,
                        -1,
                        new UnsafeBuffer(value),
                        0,
                        value.length,
                        null);
            }
            final int length = builder.finish();
            final long offset = log.append(memory, 0, length, AppendAs.client(epoch), NOW);
            if (offset < 0) {
                throw new IllegalStateException(log.refusalReason());
            }
            final byte[] stored = new byte[length];
            memory.getBytes(0, stored);
            ByteBuffer.wrap(stored)
                    .putLong(0, offset)
                    .putInt(RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET, epoch);
            return stored;
        }
    }
}
