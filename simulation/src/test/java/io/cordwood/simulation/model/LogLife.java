package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.RetentionResult;
import io.cordwood.log.ScanIndexes;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import io.cordwood.simulation.crash.Faults;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/** One log, its model, and random acts on both, from one seed. */
final class LogLife implements Life {
    private static final long RETENTION_MS = 5_000;
    private static final long RETENTION_BYTES = 2_500;
    private static final CompressionType[] CODECS = CompressionType.values();

    private final Random random;
    private final Storage storage;
    private final boolean isMapped;
    private final boolean isIndexed;
    private final LogConfig config;
    private final LogModel model = new LogModel();
    private final List<String> history = new ArrayList<>();
    private final UnsafeBuffer claim = new UnsafeBuffer(0, 0);
    private long nowMs = 1_700_000_000_000L;
    private int lives;
    private int tags;
    private int epoch;
    private Log log;
    private LogReader reader;

    LogLife(final long seed, final Storage storage, final boolean isMapped, final boolean isIndexed) {
        this.random = new Random(seed);
        this.isMapped = isMapped;
        this.isIndexed = isIndexed;
        this.storage = storage;
        this.config = LogConfig.of(Map.of(
                "segment.bytes", "" + (300 + random.nextInt(1500)),
                "index.interval.bytes", "" + (random.nextInt(4) * 120),
                "segment.index.bytes", "" + (random.nextInt(3) == 0 ? 40 : 4096),
                "segment.ms", "" + (random.nextInt(3) == 0 ? 2_000 : 604_800_000),
                "segment.jitter.ms", "" + random.nextInt(2) * 500,
                "file.delete.delay.ms", "" + random.nextInt(2) * 3_000,
                "preallocate", "" + random.nextBoolean(),
                "retention.ms", "" + RETENTION_MS,
                "retention.bytes", "" + RETENTION_BYTES));
        this.log = open(directory(), 0, 0);
        this.reader = log.newReader();
    }

    private String directory() {
        return "t-" + lives;
    }

    private Log open(final String directory, final long recoveryPoint, final long startOffset) {
        final LogBuilder builder = new LogBuilder(storage, directory)
                .config(config)
                .indexes(isIndexed ? new SparseIndexes() : new ScanIndexes())
                .recoveryPoint(recoveryPoint)
                .startOffset(startOffset)
                .jitterSeed(7);
        return (isMapped ? builder.mapped() : builder).open(nowMs);
    }

    @Override
    public List<String> history() {
        return history;
    }

    private void did(final String act) {
        history.add(act);
    }

    @Override
    public void step() {
        nowMs += random.nextInt(400);
        final int choice = random.nextInt(100);
        if (choice < 28) {
            append(random.nextInt(3) > 0);
        } else if (choice < 38) {
            appendAsReplica();
        } else if (choice < 41) {
            refused();
        } else if (choice < 49) {
            claim();
        } else if (choice < 52) {
            did("publish");
            log.publish();
            model.publish();
        } else if (choice < 73) {
            look();
        } else {
            change(choice);
        }
        agree();
    }

    private void change(final int choice) {
        if (choice < 76) {
            model.publish();
            // A segment that stays empty in front of one too far away would be kept for the age of its file, which no
            // model knows.
            if (!model.isEndInGap()) {
                did("roll");
                log.roll(nowMs);
            }
        } else if (choice < 80) {
            did("flush");
            log.flush();
            log.publish();
            model.flush(log.flushedOffset());
        } else if (choice < 83) {
            retain();
        } else if (choice < 87) {
            deletePrefix();
        } else if (choice < 92) {
            final long offset = anyOffset();
            did("truncate to " + offset);
            model.publish();
            final long expected = offset < model.start() ? Refusal.OFFSET_OUT_OF_RANGE : model.truncateTo(offset);
            assertEquals(expected, log.truncateTo(offset, nowMs));
            model.learn(log.baseOffsets());
            if (expected != Refusal.OFFSET_OUT_OF_RANGE) {
                adoptEpochs();
            }
        } else if (choice < 93) {
            final long offset = model.end() + random.nextInt(20) - 10;
            if (offset >= 0) {
                did("start anew at " + offset);
                assertEquals(offset, log.truncateFullyAndStartAt(offset, nowMs));
                model.startAnew(offset);
            }
        } else if (choice < 97) {
            reopen();
        } else {
            reopenKilled();
        }
    }

    private void adoptEpochs() {
        if (model.hasLostEpochs()) {
            model.adoptEpochs(log.leaderEpochs().entries());
        }
    }

    private long anyOffset() {
        final long span = model.end() - model.start();
        return Math.max(0, model.start() - 3 + (long) (random.nextDouble() * (span + 7)));
    }

    private StoredBatch anyBatch(final long base, final int batchEpoch) {
        final long[] timestamps = new long[1 + random.nextInt(3)];
        for (int i = 0; i < timestamps.length; i++) {
            timestamps[i] = nowMs - random.nextInt(random.nextInt(4) == 0 ? 8_000 : 300);
        }
        final CompressionType type = random.nextInt(4) == 0 ? CODECS[random.nextInt(CODECS.length)] : CODECS[0];
        return StoredBatch.encode(base, batchEpoch, type, timestamps, "r".repeat(random.nextInt(60)) + tags++);
    }

    private static UnsafeBuffer run(final List<StoredBatch> batches) {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        batches.forEach(batch -> bytes.writeBytes(batch.bytes()));
        return new UnsafeBuffer(bytes.toByteArray());
    }

    private void append(final boolean publishes) {
        epoch = Math.max(epoch, model.latestEpoch()) + (random.nextInt(6) == 0 ? 1 : 0);
        final List<StoredBatch> sent = new ArrayList<>();
        final long first = model.nextOffset();
        for (int i = random.nextInt(3); i >= 0; i--) {
            final StoredBatch batch = anyBatch(0, -1);
            sent.add(batch);
            model.gather(batch.at(model.nextOffset(), epoch));
        }
        did((publishes ? "append " : "gather ") + sent.size() + " at " + first + " epoch " + epoch);
        final UnsafeBuffer run = run(sent);
        final AppendAs as = AppendAs.client(epoch);
        assertEquals(
                first,
                publishes
                        ? log.append(run, 0, run.capacity(), as, nowMs)
                        : log.gather(run, 0, run.capacity(), as, nowMs),
                log.refusalReason());
        if (publishes) {
            model.publish();
        }
        adoptPublished();
    }

    private void appendAsReplica() {
        epoch = Math.max(epoch, model.latestEpoch()) + random.nextInt(2);
        final List<StoredBatch> sent = new ArrayList<>();
        final boolean isFar = random.nextInt(10) == 0 && !model.published().isEmpty() && isActiveFilled();
        for (int i = random.nextInt(3); i >= 0; i--) {
            final long gap = isFar && i == 0 ? 3_000_000_000L : random.nextInt(3) * 2L;
            final StoredBatch batch = anyBatch(model.nextOffset() + gap, epoch);
            sent.add(batch);
            model.gather(batch);
        }
        did("replicate " + sent.size() + " from " + sent.get(0).base() + " epoch " + epoch);
        final UnsafeBuffer run = run(sent);
        assertEquals(
                sent.get(0).base(), log.append(run, 0, run.capacity(), AppendAs.replica(), nowMs), log.refusalReason());
        model.publish();
    }

    private boolean isActiveFilled() {
        final long[] bases = log.baseOffsets();
        return model.published().get(model.published().size() - 1).base() >= bases[bases.length - 1];
    }

    /** A roll in the middle of a run publishes what came before. */
    private void adoptPublished() {
        model.learn(log.baseOffsets());
        for (int count = 1; count <= model.gatheredCount(); count++) {
            if (log.endOffset() == model.endWithGathered(count)) {
                model.publishFirst(count);
                return;
            }
        }
    }

    private void refused() {
        final long end = model.nextOffset();
        if (end == 0) {
            return;
        }
        did("refused");
        final UnsafeBuffer below = run(List.of(anyBatch(end - 1, Math.max(0, model.latestEpoch()))));
        assertEquals(Refusal.OFFSETS_OUT_OF_ORDER, log.append(below, 0, below.capacity(), AppendAs.replica(), nowMs));
        final UnsafeBuffer fine = run(List.of(anyBatch(0, -1)));
        if (model.latestEpoch() > 0) {
            final AppendAs old = AppendAs.client(model.latestEpoch() - 1);
            assertEquals(Refusal.FENCED_LEADER_EPOCH, log.append(fine, 0, fine.capacity(), old, nowMs));
        }
        final UnsafeBuffer torn = run(List.of(anyBatch(0, -1), anyBatch(0, -1)));
        torn.putByte(torn.capacity() - 3, (byte) ~torn.getByte(torn.capacity() - 3));
        final AppendAs as = AppendAs.client(Math.max(epoch, model.latestEpoch()));
        assertEquals(Refusal.CORRUPT_BATCH, log.append(torn, 0, torn.capacity(), as, nowMs));
    }

    private void claim() {
        final int room = 150 + random.nextInt(100);
        did("claim " + room);
        assertEquals(Refusal.ACCEPTED, log.claim(room, claim, nowMs), log.refusalReason());
        adoptPublished();
        if (random.nextInt(3) == 0) {
            log.abort();
            return;
        }
        epoch = Math.max(epoch, model.latestEpoch());
        final long[] timestamps = {nowMs - 5};
        final String tag = "claim" + tags++;
        final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(claim, 0, room);
        StoredBatch.fill(builder, timestamps, tag);
        model.gather(StoredBatch.encode(model.nextOffset(), epoch, CompressionType.NONE, timestamps, tag));
        assertEquals(
                model.endWithGathered(model.gatheredCount()) - 1,
                log.commit(builder.finish(), AppendAs.coordinator(epoch), nowMs));
    }

    private void retain() {
        final long mark = random.nextBoolean() ? Long.MAX_VALUE : anyOffset();
        model.publish();
        final long highWatermark = Math.min(mark, model.end());
        did("retain up to " + highWatermark);
        final int expected = model.expectDropped(nowMs, highWatermark, RETENTION_MS, RETENTION_BYTES);
        final RetentionResult result = log.retain(nowMs, highWatermark);
        assertEquals(expected, result.dropped(), () -> result.toString());
        model.dropFront(0, expected, log.baseOffsets()[0]);
    }

    private void deletePrefix() {
        final long offset = anyOffset();
        final long highWatermark = random.nextBoolean() ? Long.MAX_VALUE : anyOffset();
        model.publish();
        did("delete below " + offset + ", high watermark " + highWatermark);
        if (offset > Math.min(highWatermark, model.end())) {
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, log.deletePrefix(offset, highWatermark, nowMs));
        } else {
            final int dropped = offset > model.start() ? model.expectDroppedByStart(offset) : 0;
            final int before = log.segmentCount();
            model.dropFront(offset, dropped, 0);
            assertEquals(model.start(), log.deletePrefix(offset, highWatermark, nowMs));
            assertEquals(before - dropped, log.segmentCount());
        }
    }

    private void look() {
        final long offset = anyOffset();
        final long upTo = random.nextInt(3) == 0 ? anyOffset() : Long.MAX_VALUE;
        final int bytesMax = random.nextInt(1_000);
        did("read " + offset + " up to " + upTo + ", " + bytesMax + " bytes");
        final ModelReads reads = new ModelReads(model, reader);
        reads.agreeOnRead(offset, upTo, bytesMax);
        if (random.nextBoolean()) {
            reads.agreeOnRead(reader.nextOffset(), upTo, bytesMax);
        }
        reads.agreeOnTransfer(offset, upTo, bytesMax);
        final long timestamp = nowMs - random.nextInt(8_000);
        assertEquals(model.offsetForTimestamp(timestamp, upTo), reader.offsetForTimestamp(timestamp, upTo));
        if (random.nextInt(4) == 0) {
            reader.release();
        }
        log.doWork(nowMs);
    }

    private void agree() {
        model.learn(log.baseOffsets());
        assertEquals(model.start(), log.startOffset(), "start");
        assertEquals(model.end(), log.endOffset(), "end");
        assertEquals(model.flushed(), log.flushedOffset(), "flushed");
        assertEquals(model.sizeInBytes(), log.sizeInBytes(), "bytes");
        assertEquals(model.largestTimestamp(), log.largestTimestamp(), "largest timestamp");
        final List<LeaderEpoch> epochs = log.leaderEpochs().entries();
        if (model.start() == model.end() && model.gatheredCount() == 0 && epochs.size() <= 1) {
            // Of a log without records the table may know the last epoch or not: a file that was written since says
            // where it begins now, and
            // that is the end.
            model.adoptEpochs(epochs);
        }
        assertEquals(model.epochs(), epochs);
    }

    private void reopen() {
        did("close and open");
        final long start = log.startOffset();
        reader.close();
        log.close();
        model.publish();
        checkClosed();
        log = open(directory(), Long.MAX_VALUE, start);
        reader = log.newReader();
        model.learn(log.baseOffsets());
        model.reopened(true);
        adoptEpochs();
    }

    private void checkClosed() {
        assertEquals(List.of(), isIndexed ? Faults.of(storage, directory()) : Faults.ofSegments(storage, directory()));
        final Map<String, byte[]> left = Folder.read(storage, directory());
        final String copy = "copy-" + history.size();
        final Map<String, byte[]> segments = new TreeMap<>(left);
        segments.keySet().removeIf(name -> !name.endsWith(LogFiles.LOG));
        Folder.write(storage, copy, segments);
        try (Log rebuilt = open(copy, 0, model.start())) {
            assertEquals(Math.max(model.start(), lastEnd()), rebuilt.endOffset());
        }
        final Map<String, byte[]> built = Folder.read(storage, copy);
        left.forEach((name, content) -> {
            // The epochs of batches that are gone are only in their file.
            if (!name.equals(LogFiles.LEADER_EPOCHS)) {
                assertArrayEquals(content, built.get(name), name);
            }
        });
        Folder.delete(storage, copy);
    }

    private long lastEnd() {
        final List<StoredBatch> batches = model.published();
        final long[] bases = log.baseOffsets();
        final long base = bases[bases.length - 1];
        return batches.isEmpty()
                ? base
                : Math.max(base, batches.get(batches.size() - 1).last() + 1);
    }

    /** As a killed process leaves its directory: what is in the page cache stays, in a mapping also what was only gathered. */
    private void reopenKilled() {
        did("kill and open");
        final Map<String, byte[]> left = Folder.read(storage, directory());
        final long flushed = log.flushedOffset();
        final long start = log.startOffset();
        reader.close();
        log.closeUncleanly();
        Folder.delete(storage, directory());
        lives++;
        Folder.write(storage, directory(), left);
        log = open(directory(), flushed, start);
        reader = log.newReader();
        model.learn(log.baseOffsets());
        final int survived = survivors();
        assertTrue(isMapped || survived == 0, "gathered batches that were written: " + survived);
        model.publish(survived);
        model.reopened(false);
        adoptEpochs();
    }

    private int survivors() {
        for (int count = model.gatheredCount(); count > 0; count--) {
            if (log.endOffset() == model.endWithGathered(count)) {
                return count;
            }
        }
        return 0;
    }

    /** Ends with a clean close and its checks. */
    @Override
    public void end() {
        reopen();
        agree();
    }

    @Override
    public void close() {
        reader.close();
        log.closeUncleanly();
    }
}
