package io.cordwood.index.oracle;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
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
    private static final int TURNS = 6;

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
            throw new AssertionError("seed " + seed + " with " + game.partition.config() + ": " + e.getMessage(), e);
        }
    }

    private static final class Game {
        private final SplittableRandom random;
        private final Path directory;
        private final PartitionGame partition;
        private boolean wasClean = true;

        Game(final long seed, final Path directory) {
            this.random = new SplittableRandom(seed);
            this.directory = directory;
            this.partition = new PartitionGame(random);
        }

        void play(final boolean isOurs) throws Exception {
            final boolean endsCleanly = partition.mustEndCleanly() || random.nextInt(3) != 0;
            partition.pass();
            if (isOurs) {
                ours(endsCleanly);
            } else {
                kafkas(endsCleanly);
            }
            wasClean = endsCleanly;
            if (endsCleanly) {
                partition.dump(directory);
            }
        }

        private void ours(final boolean endsCleanly) {
            final CordwoodLog log = CordwoodLog.open(
                    directory,
                    partition.config(),
                    random.nextInt(3) == 0,
                    wasClean ? Long.MAX_VALUE : 0,
                    partition.model().start(),
                    partition.nowMs());
            partition.found(log);
            for (int act = random.nextInt(5, 60); act > 0; act--) {
                partition.act(log);
            }
            partition.leaving(log, endsCleanly);
            if (endsCleanly) {
                log.close();
            } else {
                log.abandon();
            }
        }

        private void kafkas(final boolean endsCleanly) throws Exception {
            final KafkaLog.Arrival arrival =
                    new KafkaLog.Arrival(wasClean, partition.model().start(), 0);
            final KafkaLog log = KafkaLog.open(directory, partition.config(), arrival, partition.nowMs());
            partition.found(log);
            for (int act = random.nextInt(5, 40); act > 0; act--) {
                partition.act(log);
            }
            partition.leaving(log, endsCleanly);
            if (endsCleanly) {
                log.close();
            } else {
                log.abandon();
            }
        }
    }
}
