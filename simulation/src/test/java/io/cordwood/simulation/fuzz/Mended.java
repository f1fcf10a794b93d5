package io.cordwood.simulation.fuzz;

import static io.cordwood.log.record.RecordBatchDescriptor.HEADER_BYTES;
import static io.cordwood.log.record.RecordBatchDescriptor.LENGTH_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.LOG_OVERHEAD;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_V2;
import static io.cordwood.log.record.RecordBatchDescriptor.sealCrc;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.LogSetup;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.Origin;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchConverter;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.record.ValidationRules;
import io.cordwood.simulation.damage.MemoryDisk;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What lies behind the checksum, and behind the opening of a whole directory: who means harm computes the checksum that fits. A fuzzer
 * would never find one.
 */
final class Mended {
    private static final String PARTITION = "t-0";
    private static final long NOW = 1_700_000_000_000L;
    private static final long BASE = 50;
    private static final PartitionName NAME = new PartitionName("t", 0);
    private static final DirectoryConfig SCHEDULE = new DirectoryConfig(1_000_000, 100, 500);
    private static final List<String> SMALL_FILES = List.of(
            CleanShutdownMarker.FILE,
            OffsetCheckpoint.RECOVERY_POINTS,
            OffsetCheckpoint.LOG_STARTS,
            OffsetCheckpoint.HIGH_WATERMARKS,
            OffsetCheckpoint.CLEANER_OFFSETS,
            LogFiles.path(PARTITION, LogFiles.LEADER_EPOCHS),
            LogFiles.path(PARTITION, LogFiles.PARTITION_METADATA));
    private static final LogSetup SETUP = (partition, builder) -> {
        builder.indexes(new SparseIndexes());
        return true;
    };
    private static final MemoryDisk SOUND = sound();

    private Mended() {}

    /** A batch of any client, checked to the last record, and in another codec if it is good. */
    static void batch(final byte[] bytes) {
        final UnsafeBuffer buffer = new UnsafeBuffer(mended(bytes));
        try (BatchValidator validator = new BatchValidator(Codecs.standard());
                BatchConverter converter = new BatchConverter(Codecs.standard(), Decoder.DECOMPRESSED_MOST)) {
            if (validator.header(buffer, 0, bytes.length) < 0 || validator.structure(buffer, 0, bytes.length) < 0) {
                return;
            }
            final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(buffer, 0);
            for (final ValidationRules rules :
                    List.of(ValidationRules.DEFAULTS, ValidationRules.DEFAULTS.forCoordinator())) {
                if (validator.records(batch, rules, NOW) == Refusal.ACCEPTED) {
                    converter.convert(
                            batch,
                            CompressionType.LZ4,
                            CompressionType.DEFAULT_LEVEL,
                            new CodecBuffer(2 * Decoder.DECOMPRESSED_MOST));
                }
            }
        }
    }

    /** A run of batches, appended to an empty log, which has to take or refuse it; what it takes can be read. */
    static void append(final byte[] bytes, final AppendAs as, final String codec) {
        final UnsafeBuffer run = new UnsafeBuffer(mended(bytes));
        final Log log = new LogBuilder(new MemoryDisk(), PARTITION)
                .config(LogConfig.of(Map.of("compression.type", codec, "segment.bytes", "16384")))
                .indexes(new SparseIndexes())
                .startOffset(BASE)
                .open(NOW);
        try {
            if (bytes.length == 0 || log.append(run, 0, bytes.length, as, NOW) < 0) {
                return;
            }
            if (as.origin() != Origin.REPLICA) {
                readAll(log);
                return;
            }
            // A leader may send offsets with a gap; a reader tells of one in front of a segment, and goes on behind it.
            try (LogReader reader = log.newReader()) {
                Decoder.readAll(log, reader);
            }
        } finally {
            log.closeUncleanly();
        }
    }

    /** A data directory in which all small files but one hold these bytes. */
    static void directory(final byte[] bytes) {
        final MemoryDisk disk = SOUND.copy();
        SMALL_FILES.forEach(path -> disk.put(path, bytes));
        try (LogDirectory directory = LogDirectory.open(disk, SCHEDULE)) {
            readAll(Objects.requireNonNull(directory.open(NAME, SETUP, NOW)).log());
            directory.doWork(NOW);
            directory.doWork(NOW + 1000);
        }
    }

    /** Settings as somebody may have typed them. */
    static void settings(final byte[] bytes) {
        final Map<String, String> settings = new TreeMap<>();
        new String(bytes, StandardCharsets.UTF_8).lines().forEach(line -> {
            final int equals = line.indexOf('=');
            settings.put(line.substring(0, Math.max(0, equals)), line.substring(equals + 1));
        });
        final LogConfig config = LogConfig.of(settings);
        LogConfig.of(config.toProperties());
    }

    /** The same with checksums that fit; the last batch gets a length that fits as well. */
    static byte[] mended(final byte[] bytes) {
        final byte[] mended = bytes.clone();
        final UnsafeBuffer buffer = new UnsafeBuffer(mended);
        final Crc32c crc = new Crc32c();
        int at = 0;
        while (mended.length - at >= HEADER_BYTES && mended[at + MAGIC_OFFSET] == MAGIC_V2) {
            int size = LOG_OVERHEAD + buffer.getInt(at + LENGTH_OFFSET, ByteOrder.BIG_ENDIAN);
            if (size < HEADER_BYTES || size > mended.length - at) {
                size = mended.length - at;
                buffer.putInt(at + LENGTH_OFFSET, size - LOG_OVERHEAD, ByteOrder.BIG_ENDIAN);
            }
            sealCrc(buffer, at, size, crc);
            at += size;
        }
        return mended;
    }

    private static void readAll(final Log log) {
        try (LogReader reader = log.newReader()) {
            for (long next = log.startOffset(); next < log.endOffset(); next = reader.nextOffset()) {
                if (reader.read(next, Long.MAX_VALUE, 1 << 12) <= 0) {
                    throw new AssertionError("nothing at offset " + next + " of " + log.endOffset());
                }
            }
        }
    }

    private static MemoryDisk sound() {
        final MemoryDisk disk = new MemoryDisk();
        final MetaProperties fresh = MetaProperties.fresh(new UUID(11, 12), "cluster", 1);
        try (LogDirectory directory = LogDirectory.openOwned(disk, SCHEDULE, fresh)) {
            directory.create(NAME, new UUID(7, 1));
            final Log log =
                    Objects.requireNonNull(directory.open(NAME, SETUP, NOW)).log();
            final byte[] batch = Samples.batch(CompressionType.NONE, 0);
            log.append(new UnsafeBuffer(batch), 0, batch.length, AppendAs.client(1), NOW);
            log.append(new UnsafeBuffer(batch), 0, batch.length, AppendAs.client(2), NOW);
            log.flush();
        }
        return disk;
    }
}
