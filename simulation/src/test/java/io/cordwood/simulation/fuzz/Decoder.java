package io.cordwood.simulation.fuzz;

import com.sun.management.ThreadMXBean;
import io.cordwood.index.IndexDump;
import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.ConfigException;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Fault;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LeaderEpochCheckpoint;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionMetadata;
import io.cordwood.log.PartitionName;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.record.CorruptRecordException;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import io.cordwood.simulation.damage.MemoryDisk;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;

/** What reads bytes that somebody else may have written: each takes any bytes and ends, or throws what it documents. */
final class Decoder {
    /** Most bytes that a batch may decompress to. */
    static final int DECOMPRESSED_MOST = 1 << 16;

    private static final long ALLOCATED_MOST = 8L << 20;
    private static final int ALLOCATED_PER_BYTE = 256;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final String DIRECTORY = "t-0";
    private static final long BASE = 50;
    private static final long NOW = 1_700_000_000_000L;

    private final String name;
    private final Consumer<byte[]> act;
    private final List<Class<? extends RuntimeException>> documented;

    private Decoder(
            final String name, final Consumer<byte[]> act, final List<Class<? extends RuntimeException>> documented) {
        this.name = name;
        this.act = act;
        this.documented = documented;
    }

    /** All of them. */
    static List<Decoder> all() {
        final List<Decoder> all = new ArrayList<>();
        all.add(new Decoder("batch/validated", Decoder::validate, List.of()));
        all.add(new Decoder(
                "batch/read", Decoder::records, List.of(CorruptRecordException.class, CodecException.class)));
        for (final CompressionType type : CompressionType.values()) {
            all.add(new Decoder(
                    "codec/" + type.codecName(), bytes -> decompress(type, bytes), List.of(CodecException.class)));
        }
        all.add(new Decoder(
                "checkpoint/offsets",
                bytes -> OffsetCheckpoint.parse("f", new UnsafeBuffer(bytes), 0, bytes.length),
                List.of(CorruptLogException.class)));
        all.add(new Decoder(
                "checkpoint/epochs",
                bytes -> LeaderEpochCheckpoint.parse("f", new UnsafeBuffer(bytes), 0, bytes.length),
                List.of(CorruptLogException.class)));
        all.add(new Decoder(
                "partition.metadata",
                bytes -> PartitionMetadata.parse("f", bytes),
                List.of(CorruptLogException.class)));
        all.add(new Decoder(
                "meta.properties",
                bytes -> MetaProperties.read(disk(MetaProperties.FILE, bytes)),
                List.of(CorruptLogException.class)));
        all.add(new Decoder(
                "clean-shutdown",
                bytes -> CleanShutdownMarker.read(disk(CleanShutdownMarker.FILE, bytes)),
                List.of(CorruptLogException.class)));
        all.add(new Decoder("names", Decoder::names, List.of()));
        all.add(new Decoder("index/dump", Decoder::dump, List.of()));
        all.add(new Decoder("index/look-up", Decoder::lookUp, List.of()));
        all.add(new Decoder("segment/check", Decoder::check, List.of()));
        all.add(new Decoder("segment/open", bytes -> open(bytes, 0), List.of()));
        all.add(new Decoder("segment/read", bytes -> open(bytes, Long.MAX_VALUE), List.of()));
        all.add(new Decoder("segment/transactions", Decoder::transactions, List.of()));
        all.add(new Decoder("mended/batch", Mended::batch, List.of()));
        all.add(new Decoder("mended/check", bytes -> check(Mended.mended(bytes)), List.of()));
        all.add(new Decoder("mended/open", bytes -> open(Mended.mended(bytes), 0), List.of()));
        all.add(new Decoder("mended/read", bytes -> open(Mended.mended(bytes), Long.MAX_VALUE), List.of()));
        all.add(new Decoder(
                "append/producer", bytes -> Mended.append(bytes, AppendAs.client(1), "producer"), List.of()));
        all.add(new Decoder("append/converted", bytes -> Mended.append(bytes, AppendAs.client(1), "lz4"), List.of()));
        all.add(new Decoder(
                "append/replica", bytes -> Mended.append(bytes, AppendAs.replica(), "producer"), List.of()));
        all.add(new Decoder("directory", Mended::directory, List.of()));
        all.add(new Decoder("settings", Mended::settings, List.of(ConfigException.class)));
        return all;
    }

    /** Valid inputs for most of them. */
    static List<byte[]> samples() {
        return Samples.all();
    }

    /** One that does not document what it throws: whether the fuzzer tells. In no list. */
    static Decoder planted() {
        return new Decoder(
                "planted", bytes -> OffsetCheckpoint.parse("f", new UnsafeBuffer(bytes), 0, bytes.length), List.of());
    }

    /** The one of that name. */
    static Decoder named(final String name) {
        return Stream.concat(all().stream(), Stream.of(planted()))
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("no decoder is called '" + name + "'"));
    }

    String name() {
        return name;
    }

    /** Feeds it; throws if it throws what it does not document. */
    void feed(final byte[] bytes) {
        try {
            act.accept(bytes);
        } catch (final RuntimeException e) {
            if (documented.stream().noneMatch(kind -> kind.isInstance(e))) {
                throw new AssertionError(name + " throws what it does not document: " + e, e);
            }
        }
    }

    /** Feeds it, and throws as well if more is allocated than the input explains. */
    void feedMeasured(final byte[] bytes) {
        final long most = ALLOCATED_MOST + (long) ALLOCATED_PER_BYTE * bytes.length;
        // Twice, because the first input that comes to a class pays for the loading of it.
        if (allocated(bytes) > most) {
            final long allocated = allocated(bytes);
            if (allocated > most) {
                throw new AssertionError(name + ": " + allocated + " bytes were allocated for " + bytes.length);
            }
        }
    }

    private long allocated(final byte[] bytes) {
        final long before = THREADS.getCurrentThreadAllocatedBytes();
        feed(bytes);
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }

    private static void validate(final byte[] bytes) {
        try (BatchValidator validator = new BatchValidator(Codecs.standard())) {
            final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
            validator.header(buffer, 0, bytes.length);
            validator.structure(buffer, 0, bytes.length);
        }
    }

    /** Whatever the checksum says: a program may read what it has checked itself. */
    private static void records(final byte[] bytes) {
        if (bytes.length < RecordBatchDescriptor.HEADER_BYTES) {
            return;
        }
        final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(new UnsafeBuffer(bytes), 0);
        final ControlRecord control = new ControlRecord();
        try (RecordReader reader = new RecordReader(Codecs.standard(), DECOMPRESSED_MOST)) {
            reader.wrap(batch);
            while (reader.next()) {
                final RecordFlyweight record = reader.record();
                record.rewindHeaders();
                while (record.nextHeader()) {
                    record.headerNameLength();
                }
                if (batch.isControl()) {
                    control.wrap(record);
                }
            }
        }
    }

    private static void decompress(final CompressionType type, final byte[] bytes) {
        Codecs.standard()
                .of(type)
                .decompress(
                        new UnsafeBuffer(bytes),
                        0,
                        bytes.length,
                        RecordBatchDescriptor.MAGIC_V2,
                        new CodecBuffer(DECOMPRESSED_MOST));
    }

    private static void names(final byte[] bytes) {
        final String text = new String(bytes, StandardCharsets.UTF_8);
        PartitionName.parse(text);
        PartitionName.parseMarked(text);
        LogFiles.offset(text, LogFiles.LOG);
    }

    private static void dump(final byte[] bytes) {
        final MemoryDisk disk = disk("index", bytes);
        try (StorageFile file = disk.open("index", FileUse.READ, 0)) {
            for (final IndexDump dump : List.of(IndexDump.ofOffsets(file, BASE), IndexDump.ofTimes(file, BASE))) {
                for (int i = 0; i < dump.entries(); i++) {
                    dump.key(i);
                    dump.value(i);
                }
                dump.complaint();
            }
        }
    }

    private static void lookUp(final byte[] bytes) {
        final MemoryDisk disk = disk(path(LogFiles.OFFSET_INDEX), bytes);
        disk.put(path(LogFiles.TIME_INDEX), bytes);
        disk.put(path(LogFiles.LOG), new byte[1000]);
        try (SegmentIndex index = new SparseIndexes().open(disk, DIRECTORY, BASE, new IndexLimits(4096, 100));
                FileView view = new FileView()) {
            index.lookUps().largestTimestamp(view);
            for (long key = BASE - 1; key < BASE + 300; key += 13) {
                index.lookUps().positionOf(key, view);
                index.lookUps().positionOfTimestamp(key * 1000, view);
            }
        }
    }

    private static void check(final byte[] bytes) {
        final MemoryDisk disk = disk(path(LogFiles.LOG), bytes);
        final List<Fault> faults = new ArrayList<>();
        try (LogCheck check = new LogCheck(disk, DECOMPRESSED_MOST, DECOMPRESSED_MOST, faults::add)) {
            check.check(DIRECTORY);
        }
    }

    /** An open, and a read of all that is there. */
    private static void open(final byte[] bytes, final long recoveryPoint) {
        open(disk(path(LogFiles.LOG), bytes), recoveryPoint);
    }

    /** An index of aborted transactions beside a segment whose end is torn; and one that waits to be swapped in with its log. */
    private static void transactions(final byte[] bytes) {
        final byte[] batch = Samples.batch(CompressionType.NONE, BASE);
        final MemoryDisk torn = disk(path(LogFiles.LOG), Arrays.copyOf(batch, batch.length + 20));
        torn.put(path(LogFiles.TXN_INDEX), bytes);
        open(torn, 0);
        final MemoryDisk swapped = disk(path(LogFiles.LOG), batch);
        swapped.put(path(LogFiles.LOG) + LogFiles.SWAP, batch);
        swapped.put(path(LogFiles.TXN_INDEX) + LogFiles.SWAP, bytes);
        open(swapped, 0);
    }

    private static void open(final MemoryDisk disk, final long recoveryPoint) {
        final Log log = new LogBuilder(disk, DIRECTORY)
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
        try (LogReader reader = log.newReader()) {
            readAll(log, reader);
            lookUpTimes(reader);
        } finally {
            log.closeUncleanly();
        }
    }

    /** Reads to the end, and past what is damaged as long as the error tells where to go on. */
    static void readAll(final Log log, final LogReader reader) {
        long next = log.startOffset();
        while (next < log.endOffset()) {
            try {
                if (reader.read(next, Long.MAX_VALUE, 1 << 12) <= 0) {
                    break;
                }
                next = reader.nextOffset();
            } catch (final CorruptLogException e) {
                if (e.nextOffset() <= next) {
                    break;
                }
                next = e.nextOffset();
            }
        }
    }

    private static void lookUpTimes(final LogReader reader) {
        for (final long time : new long[] {0, NOW + 1, Long.MAX_VALUE}) {
            try {
                reader.offsetForTimestamp(time, Long.MAX_VALUE);
            } catch (final CorruptLogException e) {
                // Documented: a batch on the way is damaged.
                if (String.valueOf(e.getMessage()).isBlank()) {
                    throw new AssertionError("an exception without words", e);
                }
            }
        }
    }

    private static String path(final String suffix) {
        return LogFiles.path(DIRECTORY, LogFiles.name(BASE, suffix));
    }

    private static MemoryDisk disk(final String path, final byte[] bytes) {
        final MemoryDisk disk = new MemoryDisk();
        disk.put(path, bytes);
        return disk;
    }
}
