package io.cordwood.simulation.races;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A reader that steps between any two acts of a log's writer on the disk, without a thread and without luck: all places of all acts of
 * one change are played. At each it reads every offset, anew and as one that reads on, sends what it had located at each place
 * before, and holds to the end what it was shown. What was there before the change and is there after it must always be readable, and
 * nothing must be shown that is neither. Beside a truncation alone a read may wait for the writer.
 */
final class SteppedReader implements AutoCloseable {
    private static final long NOW = 1_700_000_000_000L;
    private static final int OFFSETS = 70;
    /** Acts of a read: fewer than the tries after which a reader sleeps between two, and more than any that ends needs. */
    private static final int LOOKS_MOST = 90;

    private static final int VALUE_BYTES = 150;
    private static final LogConfig CONFIG = LogConfig.of(Map.of(
            "segment.bytes",
            "2048",
            "segment.index.bytes",
            "1024",
            "index.interval.bytes",
            "300",
            "file.delete.delay.ms",
            "0"));

    /** The changes by their names. */
    private static final Map<String, Consumer<Log>> CHANGES = new TreeMap<>(Map.ofEntries(
            Map.entry("append", log -> append(log, 3)),
            Map.entry("append and roll", log -> append(log, 20)),
            Map.entry("roll", log -> log.roll(NOW)),
            Map.entry("flush", Log::flush),
            Map.entry("truncate the last segment", log -> log.truncateTo(log.endOffset() - 3, NOW)),
            Map.entry("truncate sealed segments", log -> log.truncateTo(log.baseOffsets()[1] + 3, NOW)),
            Map.entry("truncate at a base", log -> log.truncateTo(log.baseOffsets()[2], NOW)),
            Map.entry("truncate all", log -> log.truncateTo(0, NOW)),
            Map.entry("truncate and append", log -> {
                log.truncateTo(log.baseOffsets()[1] + 3, NOW);
                append(log, 15);
            }),
            Map.entry("delete a prefix", log -> {
                log.deletePrefix(log.baseOffsets()[2] + 2, log.endOffset(), NOW);
                log.doWork(NOW);
            }),
            Map.entry("retain", log -> {
                log.configure(CONFIG.with("retention.bytes", "3000").with("retention.ms", "-1"));
                log.retain(NOW, log.endOffset());
                log.doWork(NOW);
            }),
            Map.entry("start anew below", log -> log.truncateFullyAndStartAt(4, NOW)),
            Map.entry("start anew above", log -> log.truncateFullyAndStartAt(60, NOW)),
            Map.entry("close", Log::close),
            Map.entry("close uncleanly", Log::closeUncleanly)));

    private final SteppingStorage.Steps steps = new SteppingStorage.Steps();
    private final List<LogReader> readers = new ArrayList<>();
    private final List<Seen> seen = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();
    private final Log log;
    private final LogReader readsOn;
    private int waits;

    /** What a read at an offset gave; null for nothing. */
    private record Seen(
            int place,
            long offset,
            @Nullable ByteBuffer batch,
            @Nullable StorageException failure) {}

    /** What a reader was shown at some place, and has not let go. */
    private record Held(int place, LogReader reader, ByteBuffer bytes) {}

    private SteppedReader(final Storage storage, final boolean isMapped) {
        final LogBuilder builder = new LogBuilder(SteppingStorage.of(storage, steps), "t-0")
                .config(CONFIG)
                .indexes(new SparseIndexes());
        log = (isMapped ? builder.mapped() : builder).open(NOW);
        append(log, 35);
        log.flush();
        append(log, 5);
        readsOn = log.newReader();
    }

    static List<String> changes() {
        return List.copyOf(CHANGES.keySet());
    }

    /**
     * Plays one change.
     *
     * @return places between acts at which the reader has stepped.
     */
    static int play(final Storage storage, final boolean isMapped, final String name) {
        final Consumer<Log> change = CHANGES.get(name);
        if (change == null) {
            throw new IllegalArgumentException("'" + name + "' is none of " + changes());
        }
        try (SteppedReader played = new SteppedReader(storage, isMapped)) {
            final int places = played.play(change, name.startsWith("close"));
            if (played.waits > 0 && !name.startsWith("truncate") && !name.startsWith("start")) {
                throw new AssertionError(played.waits + " reads wait for the writer: " + name);
            }
            return places;
        }
    }

    private int play(final Consumer<Log> change, final boolean isClosed) {
        final @Nullable ByteBuffer[] before = contents();
        steps.begin(this::step);
        change.accept(log);
        steps.begin(null);
        final @Nullable ByteBuffer[] after = isClosed ? new ByteBuffer[OFFSETS] : contents();
        for (final Seen one : seen) {
            check(one, before[(int) one.offset()], after[(int) one.offset()], isClosed);
        }
        return steps.count();
    }

    private static void check(
            final Seen one,
            final @Nullable ByteBuffer before,
            final @Nullable ByteBuffer after,
            final boolean isClosed) {
        final String where = "at place " + one.place() + " a read at offset " + one.offset();
        if (one.failure() != null && !isClosed) {
            throw new AssertionError(where + " fails", one.failure());
        }
        final ByteBuffer batch = one.batch();
        if (batch == null) {
            if (before != null && before.equals(after)) {
                throw new AssertionError(where + " shows nothing of what is there all the time");
            }
        } else if (!batch.equals(before) && !batch.equals(after)) {
            throw new AssertionError(where + " shows what was never there");
        }
    }

    /** The batch at each offset. */
    private @Nullable ByteBuffer[] contents() {
        final @Nullable ByteBuffer[] contents = new ByteBuffer[OFFSETS];
        try (LogReader reader = log.newReader()) {
            for (int offset = 0; offset < OFFSETS; offset++) {
                contents[offset] = reader.read(offset, Long.MAX_VALUE, 1) > 0 ? shown(reader, offset) : null;
            }
        }
        return contents;
    }

    private void step() {
        final int place = steps.count();
        try (LogReader fresh = log.newReader()) {
            for (int offset = 0; offset < OFFSETS; offset++) {
                look(place, fresh, offset);
                look(place, readsOn, offset);
            }
        }
        for (final Held other : held) {
            if (other.reader.isUnchanged() && !other.bytes.equals(bytes(other.reader))) {
                throw new AssertionError(
                        "what was shown at place " + other.place + " is something else at place " + place);
            }
        }
        hold(place);
        send(place);
    }

    private void look(final int place, final LogReader reader, final long offset) {
        steps.allow(LOOKS_MOST);
        try {
            final long read = reader.read(offset, Long.MAX_VALUE, 1);
            seen.add(new Seen(place, offset, read > 0 ? shown(reader, offset) : null, null));
        } catch (final StorageException e) {
            seen.add(new Seen(place, offset, null, e));
        } catch (final SteppingStorage.Waiting e) {
            waits++;
        }
    }

    /** Several batches in the middle, and the last ones. */
    private void hold(final int place) {
        for (final long offset : new long[] {log.startOffset(), 20, log.endOffset() - 2}) {
            final LogReader reader = log.newReader();
            readers.add(reader);
            steps.allow(LOOKS_MOST);
            try {
                if (reader.read(offset, Long.MAX_VALUE, 1000) > 0) {
                    held.add(new Held(place, reader, bytes(reader)));
                }
            } catch (final StorageException e) {
                seen.add(new Seen(place, Math.max(0, offset), null, e));
            } catch (final SteppingStorage.Waiting e) {
                waits++;
            }
        }
    }

    /** Finds and sends; what goes out is one of the batches, or is taken back. */
    private void send(final int place) {
        steps.allow(LOOKS_MOST);
        try (LogReader reader = log.newReader()) {
            final long found = reader.locate(20, Long.MAX_VALUE, 1);
            final ByteArrayOutputStream out = new ByteArrayOutputStream();
            if (found > 0 && reader.transferTo(Channels.newChannel(out), 0) == found) {
                seen.add(new Seen(place, 20, ByteBuffer.wrap(out.toByteArray()), null));
            }
        } catch (final StorageException e) {
            seen.add(new Seen(place, 20, null, e));
        } catch (final SteppingStorage.Waiting e) {
            waits++;
        }
    }

    private static ByteBuffer bytes(final LogReader reader) {
        final byte[] bytes = new byte[reader.buffer().capacity()];
        reader.buffer().getBytes(0, bytes);
        return ByteBuffer.wrap(bytes);
    }

    private static ByteBuffer shown(final LogReader reader, final long offset) {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(reader.buffer(), 0);
        if (offset < batch.baseOffset() || offset > batch.lastOffset()) {
            throw new AssertionError("a read at offset " + offset + " shows a batch from " + batch.baseOffset() + " to "
                    + batch.lastOffset());
        }
        final byte[] bytes = new byte[batch.sizeInBytes()];
        batch.buffer().getBytes(batch.index(), bytes);
        return ByteBuffer.wrap(bytes);
    }

    /** Batches of one record; their values tell when they were appended, and how far the log had come then. */
    private static void append(final Log log, final int batches) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
        for (int i = 0; i < batches; i++) {
            final byte[] value = new byte[VALUE_BYTES + i % 7 * 10];
            Arrays.fill(value, (byte) (1 + (log.sizeInBytes() + i) % 250));
            final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
            batch.append(NOW + i, null, 0, -1, new UnsafeBuffer(value), 0, value.length, null);
            log.append(memory, 0, batch.finish(), AppendAs.client(0), NOW);
        }
    }

    @Override
    public void close() {
        readers.forEach(LogReader::close);
        readsOn.close();
        log.closeUncleanly();
    }
}
