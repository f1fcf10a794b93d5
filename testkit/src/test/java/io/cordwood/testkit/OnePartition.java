package io.cordwood.testkit;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogReader;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/** The log of the one partition of a data directory of our own, for scenarios that lose power. */
final class OnePartition {
    private static final PartitionName NAME = new PartitionName("a", 0);
    private static final LogSetup SETUP = (cells, builder) -> {
        builder.config(LogConfig.of(Map.of("file.delete.delay.ms", "0")));
        return true;
    };

    private OnePartition() {}

    static LogDirectory directory(final SimulatedStorage disk) {
        final DirectoryConfig config = new DirectoryConfig(300_000, 1, 60_000);
        return LogDirectory.openOwned(disk, config, MetaProperties.fresh(new UUID(1, 2), "cluster", 1));
    }

    static PartitionCells open(final LogDirectory directory) {
        directory.create(NAME, null);
        return Objects.requireNonNull(directory.open(NAME, SETUP, Disk.NOW));
    }

    static void append(final Log log, final String value) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        final UnsafeBuffer bytes = new UnsafeBuffer(value.getBytes(StandardCharsets.US_ASCII));
        batch.append(Disk.NOW, null, 0, -1, bytes, 0, bytes.capacity(), null);
        log.append(memory, 0, batch.finish(), AppendAs.client(0), Disk.NOW);
    }

    /** As a follower of a leader whose log was cleaned: at an offset of the leader's choice. */
    static void replicate(final Log log, final long offset) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        batch.append(Disk.NOW, null, 0, -1, memory, 0, 0, null);
        final int length = batch.finish();
        RecordBatchDescriptor.putBaseOffset(memory, 0, offset);
        RecordBatchDescriptor.putPartitionLeaderEpoch(memory, 0, 0);
        log.append(memory, 0, length, AppendAs.replica(), Disk.NOW);
    }

    static SortedMap<Long, String> records(final Log log) {
        final SortedMap<Long, String> found = new TreeMap<>();
        try (LogReader reader = log.newReader();
                RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
            long offset = log.startOffset();
            while (reader.read(offset, Long.MAX_VALUE, 1 << 20) > 0) {
                reader.forEach(batch -> {
                    records.wrap(batch);
                    while (records.next()) {
                        final byte[] value = new byte[records.record().valueLength()];
                        records.record().buffer().getBytes(records.record().valueIndex(), value);
                        found.put(records.record().offset(), new String(value, StandardCharsets.US_ASCII));
                    }
                    return true;
                });
                offset = reader.nextOffset();
            }
        }
        return found;
    }
}
