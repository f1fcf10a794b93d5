package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.LeaderEpoch;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.EpochEntry;

/**
 * One partition of a random game: what is done to it, by whichever side has it in its hands, and a plain list of what must be in
 * it. The seed decides everything.
 */
final class PartitionGame {
    private static final long BEGIN_MS = 1_700_000_000_000L;
    private static final int INDEX_BYTES_SMALL = 240;

    private final SplittableRandom random;
    private final Map<String, Object> config = new HashMap<>();
    private final LogModel model = new LogModel();
    private long nowMs = BEGIN_MS;
    private int epoch;
    private boolean wasClean = true;
    private List<LeaderEpoch> epochs = List.of();
    private long[] bases = {};

    PartitionGame(final SplittableRandom random) {
        this.random = random;
        config.put("internal.segment.bytes", 1 << random.nextInt(15, 18));
        config.put("index.interval.bytes", random.nextInt(3) == 0 ? 0 : 1 << random.nextInt(8, 13));
        config.put("segment.index.bytes", random.nextInt(3) == 0 ? INDEX_BYTES_SMALL : 10_000);
        config.put("segment.ms", random.nextBoolean() ? 300_000 : 604_800_000);
        config.put("message.timestamp.type", random.nextInt(3) == 0 ? "LogAppendTime" : "CreateTime");
        config.put("compression.type", random.nextInt(4) == 0 ? "lz4" : "producer");
        config.put("retention.ms", -1);
    }

    Map<String, Object> config() {
        return config;
    }

    LogModel model() {
        return model;
    }

    long nowMs() {
        return nowMs;
    }

    /** Some time passes between two owners. */
    void pass() {
        nowMs += random.nextLong(100_000);
    }

    /**
     * Whether the present owner must close the log. Kafka counts no bytes of the index interval across a restart. So a segment that
     * it ended because its index was full may have too many batches for a new index, and then it fails to recover from a crash.
     */
    boolean mustEndCleanly() {
        return Objects.equals(config.get("segment.index.bytes"), INDEX_BYTES_SMALL);
    }

    /** We have opened it. */
    void found(final CordwoodLog log) {
        model.settleEnd(log.endOffset());
        assertEquals(model.start(), log.startOffset());
        assertEquals(model.readable(), log.readAll());
        assertEpochs(log.epochs());
    }

    /** Kafka has opened it. */
    void found(final KafkaLog log) throws Exception {
        if (wasClean && !model.startsBehindAllBatches()) {
            assertEquals(List.of(), log.warnings());
        }
        model.settleEnd(log.endOffset());
        assertEquals(model.start(), log.startOffset());
        assertEquals(model.readable(), log.readAll());
        assertEpochs(ours(log.epochs()));
        // Kafka looks into one segment only, and finds nothing if what made it young lies below the log's start.
        if (log.segmentBases()[0] == model.start()) {
            checkTimes(log::offsetForTimestamp);
        }
    }

    /** We are about to leave it, one way or another. */
    void leaving(final CordwoodLog log, final boolean isClean) {
        log.publish();
        assertEquals(model.readable(), log.readAll());
        checkTimes(log::offsetForTimestamp);
        epochs = log.epochs();
        bases = log.segmentBases();
        wasClean = isClean;
    }

    /** Kafka is about to leave it, one way or another. */
    void leaving(final KafkaLog log, final boolean isClean) {
        epochs = ours(log.epochs());
        bases = log.segmentBases();
        wasClean = isClean;
    }

    long firstBase() {
        return bases[0];
    }

    /** Kafka's own tool has nothing to complain of in a log that was closed. */
    void dump(final Path directory) throws Exception {
        final KafkaDump dump = KafkaDump.of(directory);
        assertEquals(List.of(), dump.complaints());
        assertEquals(model.gaps(bases), dump.gaps());
    }

    /** One random act of ours. */
    void act(final CordwoodLog log) {
        log.clock(tick());
        switch (random.nextInt(30)) {
            case 0 -> log.roll();
            case 1 -> {
                final long offset = random.nextLong(model.start(), model.end() + 1);
                model.truncateTo(offset);
                model.settleEnd(log.truncateTo(offset));
            }
            case 2 -> {
                final long offset = random.nextLong(model.start(), model.end() + 1);
                log.deleteBefore(offset);
                model.deleteBefore(offset);
            }
            case 3, 4, 5 -> log.appendAsFollower(follow(3));
            case 6, 7, 8 -> {
                final ProducedBatch batch = draw();
                landed(batch, log.claimAndCommit(batch, epoch));
            }
            case 9, 10, 11 -> log.publish();
            case 12, 13, 14, 15, 16, 17 -> {
                final ProducedBatch batch = draw();
                landed(batch, log.gatherAsLeader(batch.sent(), epoch));
            }
            default -> {
                final ProducedBatch batch = draw();
                landed(batch, log.appendAsLeader(batch.sent(), epoch));
            }
        }
    }

    /** One random act of Kafka's. */
    void act(final KafkaLog log) throws Exception {
        log.clock(tick());
        switch (random.nextInt(30)) {
            case 0 -> log.roll();
            case 1 -> {
                final long offset = model.someBoundary(random);
                log.truncateTo(offset);
                model.truncateTo(offset);
                model.settleEnd(log.endOffset());
            }
            case 2 -> {
                final long offset = random.nextLong(model.start(), model.end() + 1);
                log.deleteBefore(offset);
                model.deleteBefore(offset);
            }
            // One batch: a run may overfill Kafka's index, and then Kafka fails.
            case 3, 4, 5 -> log.appendAsFollower(follow(1), epoch);
            default -> {
                final ProducedBatch batch = draw();
                landed(batch, log.appendAsLeader(batch.sent(), epoch));
            }
        }
    }

    private void landed(final ProducedBatch batch, final long offset) {
        final boolean isAppendTime = "LogAppendTime".equals(config.get("message.timestamp.type"));
        assertEquals(model.end(), offset);
        model.append(batch.landed(offset, epoch, isAppendTime ? nowMs : -1));
    }

    /** A run of a leader's batches, with gaps between them, a new epoch now and then. */
    private MemoryRecords follow(final int batchesMax) {
        final ByteBuffer run = ByteBuffer.allocate(100_000);
        long offset = model.end();
        for (int i = random.nextInt(batchesMax) + 1; i > 0; i--) {
            offset += random.nextInt(4) == 0 ? random.nextInt(1_000) : 0;
            final ProducedBatch batch = draw();
            run.put(batch.encoded(offset, epoch).buffer());
            model.append(batch.landed(offset, epoch, -1));
            offset = model.end();
        }
        return MemoryRecords.readableRecords(run.flip());
    }

    private ProducedBatch draw() {
        epoch += random.nextInt(50) == 0 ? random.nextInt(1, 4) : 0;
        return ProducedBatch.draw(random, nowMs);
    }

    private long tick() {
        nowMs += random.nextInt(20) == 0 ? random.nextLong(600_000) : random.nextLong(100);
        return nowMs;
    }

    private void checkTimes(final TimeLookup lookup) {
        for (int i = 0; i < 5; i++) {
            final long timestampMs = random.nextLong(BEGIN_MS - 60_000, nowMs + 60_000);
            assertEquals(model.offsetForTimestamp(timestampMs), lookup.find(timestampMs), () -> "time " + timestampMs);
        }
    }

    /**
     * An epoch that begins at the end has no batch, and an open forgets it. After a crash the table is made from an older
     * file and from the batches that are left: epochs may then begin later than they did.
     */
    private void assertEpochs(final List<LeaderEpoch> found) {
        final List<LeaderEpoch> expected = begun(epochs);
        if (wasClean) {
            assertEquals(expected, begun(found));
        } else {
            assertEquals(latest(expected), latest(begun(found)));
        }
    }

    /** What is said of the offsets above the start: of those below Kafka may know more than an open leaves. */
    private List<LeaderEpoch> begun(final List<LeaderEpoch> all) {
        final List<LeaderEpoch> begun = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            final boolean endsBelow = i + 1 < all.size() && all.get(i + 1).startOffset() <= model.start();
            if (!endsBelow && all.get(i).startOffset() < model.end()) {
                begun.add(new LeaderEpoch(
                        all.get(i).epoch(), Math.max(model.start(), all.get(i).startOffset())));
            }
        }
        return begun;
    }

    private static int latest(final List<LeaderEpoch> all) {
        return all.isEmpty() ? -1 : all.get(all.size() - 1).epoch();
    }

    private static List<LeaderEpoch> ours(final List<EpochEntry> kafkas) {
        final List<LeaderEpoch> epochs = new ArrayList<>();
        kafkas.forEach(entry -> epochs.add(new LeaderEpoch(entry.epoch(), entry.startOffset())));
        return epochs;
    }

    @FunctionalInterface
    private interface TimeLookup {
        long find(long timestampMs);
    }
}
