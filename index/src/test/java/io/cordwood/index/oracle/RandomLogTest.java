package io.cordwood.index.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.LeaderEpoch;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.storage.internals.log.EpochEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One directory goes to and fro between our log and Kafka's. Each in its turn appends as leader and as follower, rolls,
 * truncates and deletes a prefix, closes cleanly or is lost; the other must open it without complaint and read what a plain
 * list says is in it. {@code -Dcordwood.oracle.seed=N} plays one game again, {@code -Dcordwood.oracle.games=N} plays more.
 */
@Tag("oracle")
final class RandomLogTest {
    private static final long BEGIN_MS = 1_700_000_000_000L;
    private static final int TURNS = 6;
    private static final int INDEX_BYTES_SMALL = 240;

    static long[] seeds() {
        final Long one = Long.getLong("cordwood.oracle.seed");
        return one != null
                ? new long[] {one}
                : LongStream.rangeClosed(1, Integer.getInteger("cordwood.oracle.games", 16))
                        .toArray();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatOneWritesTheOtherReads(final long seed, @TempDir final Path temporary) throws Exception {
        final Game game = new Game(seed, Files.createDirectory(temporary.resolve("topic-0")));
        try {
            for (int turn = 0; turn < TURNS; turn++) {
                game.play(turn % 2 == 0);
            }
        } catch (final Exception | AssertionError e) {
            throw new AssertionError("seed " + seed + " with " + game.config + ": " + e.getMessage(), e);
        }
    }

    private static final class Game {
        private final SplittableRandom random;
        private final Path directory;
        private final Map<String, Object> config = new HashMap<>();
        private final LogModel model = new LogModel();
        private long nowMs = BEGIN_MS;
        private int epoch;
        private boolean wasClean = true;
        private List<LeaderEpoch> epochs = List.of();

        Game(final long seed, final Path directory) {
            this.random = new SplittableRandom(seed);
            this.directory = directory;
            config.put("internal.segment.bytes", 1 << random.nextInt(15, 18));
            config.put("index.interval.bytes", random.nextInt(3) == 0 ? 0 : 1 << random.nextInt(8, 13));
            config.put("segment.index.bytes", random.nextInt(3) == 0 ? INDEX_BYTES_SMALL : 10_000);
            config.put("segment.ms", random.nextBoolean() ? 300_000 : 604_800_000);
            config.put("message.timestamp.type", random.nextInt(3) == 0 ? "LogAppendTime" : "CreateTime");
            config.put("compression.type", random.nextInt(4) == 0 ? "lz4" : "producer");
            config.put("retention.ms", -1);
        }

        void play(final boolean isOurs) throws Exception {
            // Kafka counts no bytes of the index interval across a restart. So a segment that it ended because its
            // index was
            // full may have too many batches for a new index, and then it fails to recover from a crash.
            final boolean mustEndCleanly = Objects.equals(config.get("segment.index.bytes"), INDEX_BYTES_SMALL);
            final boolean endsCleanly = mustEndCleanly || random.nextInt(3) != 0;
            nowMs += random.nextLong(100_000);
            final long[] bases = isOurs ? ours(endsCleanly) : kafkas(endsCleanly);
            wasClean = endsCleanly;
            if (endsCleanly) {
                final KafkaDump dump = KafkaDump.of(directory);
                assertEquals(List.of(), dump.complaints());
                assertEquals(model.gaps(bases), dump.gaps());
            }
        }

        private long[] ours(final boolean endsCleanly) {
            final CordwoodLog log = CordwoodLog.open(
                    directory, config, random.nextInt(3) == 0, wasClean ? Long.MAX_VALUE : 0, model.start(), nowMs);
            model.settleEnd(log.endOffset());
            assertEquals(model.readable(), log.readAll());
            assertEpochs(log.epochs());
            for (int act = random.nextInt(5, 60); act > 0; act--) {
                log.clock(tick());
                ourAct(log);
            }
            log.publish();
            assertEquals(model.readable(), log.readAll());
            checkTimes(log::offsetForTimestamp);
            epochs = log.epochs();
            final long[] bases = log.segmentBases();
            if (endsCleanly) {
                log.close();
            } else {
                log.abandon();
            }
            return bases;
        }

        private void ourAct(final CordwoodLog log) {
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

        private long[] kafkas(final boolean endsCleanly) throws Exception {
            final KafkaLog log =
                    KafkaLog.open(directory, config, new KafkaLog.Arrival(wasClean, model.start(), 0), nowMs);
            if (wasClean && !model.startsBehindAllBatches()) {
                assertEquals(List.of(), log.warnings());
            }
            model.settleEnd(log.endOffset());
            assertEquals(model.readable(), log.readAll());
            assertEpochs(ours(log.epochs()));
            // Kafka looks into one segment only, and finds nothing if what made it young lies below the log's start.
            if (log.segmentBases()[0] == model.start()) {
                checkTimes(log::offsetForTimestamp);
            }
            for (int act = random.nextInt(5, 40); act > 0; act--) {
                log.clock(tick());
                kafkaAct(log);
            }
            epochs = ours(log.epochs());
            final long[] bases = log.segmentBases();
            if (endsCleanly) {
                log.close();
            } else {
                log.abandon();
            }
            return bases;
        }

        private void kafkaAct(final KafkaLog log) throws Exception {
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
                assertEquals(
                        model.offsetForTimestamp(timestampMs), lookup.find(timestampMs), () -> "time " + timestampMs);
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

        private List<LeaderEpoch> begun(final List<LeaderEpoch> all) {
            return all.stream()
                    .filter(entry -> entry.startOffset() < model.end())
                    .toList();
        }

        private static int latest(final List<LeaderEpoch> all) {
            return all.isEmpty() ? -1 : all.get(all.size() - 1).epoch();
        }

        private static List<LeaderEpoch> ours(final List<EpochEntry> kafkas) {
            final List<LeaderEpoch> epochs = new ArrayList<>();
            kafkas.forEach(entry -> epochs.add(new LeaderEpoch(entry.epoch(), entry.startOffset())));
            return epochs;
        }
    }

    @FunctionalInterface
    private interface TimeLookup {
        long find(long timestampMs);
    }
}
