package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The two derived states of this module against naive models, over random lives of a log: appends, leaders with and without
 * batches, rolls, forces, moved starts, truncations, power cuts and damaged files. One seed alone is run again by
 * {@code -Dcordwood.seed=N}.
 */
class DerivedStateModelTest {
    private static final int SEEDS = 150;
    private static final int STEPS = 120;

    static LongStream seeds() {
        final Long one = Long.getLong("cordwood.seed");
        return one == null ? LongStream.range(0, SEEDS) : LongStream.of(one);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theLeaderEpochTableIsWhatTheModelSays(final long seed) {
        new EpochLife(seed).live();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void theRecordCountsAreThoseOfTheBatches(final long seed) {
        new CountLife(seed).live();
    }

    /** A random life; what is compared after each step is for the two below. */
    private abstract static class Life {
        final Random random;
        final long seed;
        MemoryStorage storage = new MemoryStorage();
        ToyLog log;
        int epoch;
        int step;

        Life(final long seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.log = new ToyLog(random.nextBoolean() ? 0 : random.nextInt(1000));
        }

        void live() {
            open("first open");
            for (step = 0; step < STEPS; step++) {
                compare(act());
            }
        }

        private String act() {
            final int choice = random.nextInt(100);
            if (choice < 45) {
                final int newEpoch = random.nextInt(6) == 0 ? epoch + 1 + random.nextInt(3) : epoch;
                epoch = newEpoch;
                final long base = log.end();
                log.append(1 + random.nextInt(9), newEpoch);
                appended(new ToyLog.Batch(base, 1, newEpoch));
                return "append";
            } else if (choice < 55) {
                log.roll();
                return "roll";
            } else if (choice < 65) {
                log.force();
                forced();
                return "force";
            } else if (choice < 72) {
                forced();
                log.moveStart(log.logStart + random.nextInt((int) (log.end() - log.logStart) + 1));
                startMoved();
                return "move start";
            } else if (choice < 80) {
                truncate();
                return "truncate";
            } else if (choice < 90) {
                storage = storage.powerCut(random);
                log.powerCut(random);
                memoryLost();
                open("power cut");
                return "power cut";
            } else if (choice < 94) {
                log.cleanClose();
                forced();
                open("clean close");
                return "clean close";
            } else if (choice < 97) {
                truncateFully();
                return "truncate fully";
            }
            return special();
        }

        private void truncate() {
            final List<Long> targets = new ArrayList<>(List.of(log.end(), log.logStart));
            log.batches().stream()
                    .map(ToyLog.Batch::end)
                    .filter(end -> end >= log.logStart)
                    .forEach(targets::add);
            final long target = targets.get(random.nextInt(targets.size()));
            if (log.segments.get(0).batches().stream().allMatch(b -> b.end() <= target || b.baseOffset() >= target)) {
                log.truncate(target);
                restored(log.end());
            }
        }

        private void truncateFully() {
            final long newStart = random.nextBoolean() ? log.end() : log.end() + random.nextInt(100);
            if (random.nextBoolean()) {
                log.truncateFully(newStart, () -> restored(0));
                restored(newStart);
            } else {
                log.forget();
                restored(0);
                log.throwAway(newStart);
                memoryLost();
                storage = storage.powerCut(random);
                open("interrupted full truncation");
            }
        }

        private void open(final String why) {
            log.open(List.of(newState()));
            restored(log.upTo());
            compare(why);
        }

        abstract DerivedState newState();

        abstract void appended(ToyLog.Batch batch);

        abstract void startMoved();

        abstract void forced();

        abstract void memoryLost();

        abstract void restored(final long upTo);

        abstract String special();

        abstract void compare(String act);

        String at(final String act) {
            return "seed " + seed + ", step " + step + ", " + act;
        }
    }

    private static final class EpochLife extends Life {
        private LeaderEpochTable table = new LeaderEpochTable(storage, "");
        private final List<LeaderEpoch> model = new ArrayList<>();
        private List<LeaderEpoch> modelOfFile = List.of();
        private boolean isDamaged;

        EpochLife(final long seed) {
            super(seed);
        }

        @Override
        DerivedState newState() {
            table = new LeaderEpochTable(storage, "");
            return table;
        }

        @Override
        void appended(final ToyLog.Batch batch) {
            if (model.isEmpty() || batch.epoch() > model.get(model.size() - 1).epoch()) {
                begin(new LeaderEpoch(batch.epoch(), batch.baseOffset()));
            }
        }

        private void begin(final LeaderEpoch entry) {
            model.removeIf(old -> old.startOffset() >= entry.startOffset());
            model.add(entry);
            startMoved();
        }

        @Override
        void startMoved() {
            while (model.size() > 1 && model.get(1).startOffset() <= log.logStart) {
                model.remove(0);
            }
        }

        @Override
        void forced() {
            modelOfFile = List.copyOf(model);
        }

        @Override
        void memoryLost() {
            model.clear();
            model.addAll(modelOfFile);
        }

        @Override
        void restored(final long upTo) {
            assertEquals(isDamaged, table.damage() != null, () -> at("restore: " + table.damage()));
            final boolean isRebuilt = isDamaged;
            if (isRebuilt) {
                model.clear();
            } else {
                model.removeIf(old -> old.startOffset() >= upTo);
            }
            forced();
            final long from = isRebuilt ? 0 : upTo;
            log.batches().stream().filter(b -> b.baseOffset() >= from).forEach(this::appended);
            startMoved();
            isDamaged = false;
        }

        @Override
        String special() {
            if (random.nextInt(3) == 0) {
                log.thin(random);
                return "thin";
            }
            if (random.nextBoolean() && log.recoveryPoint > log.bases()[0]) {
                log.cleanClose();
                final byte[] content = storage.content(LogFiles.LEADER_EPOCHS);
                final int length = random.nextInt(content.length);
                storage.put(LogFiles.LEADER_EPOCHS, Arrays.copyOf(content, length));
                isDamaged = true;
                log.open(List.of(newState()));
                restored(log.upTo());
                assertNull(new Reopened().damage(), at("the damage is mended by the next force"));
                return "cut file";
            }
            epoch += 1 + random.nextInt(2);
            table.assign(epoch, log.end());
            begin(new LeaderEpoch(epoch, log.end()));
            return "leader without batch";
        }

        /** The table that another process would see after a force. */
        private final class Reopened {
            @Nullable
            String damage() {
                log.force();
                forced();
                final LeaderEpochTable other = new LeaderEpochTable(storage, "");
                other.restore(log.logStart, log.bases(), log.upTo());
                assertNotNull(other.entries());
                return other.damage();
            }
        }

        @Override
        void compare(final String act) {
            final List<LeaderEpoch> expected = model.stream()
                    .map(e -> new LeaderEpoch(e.epoch(), Math.max(e.startOffset(), log.logStart)))
                    .toList();
            assertEquals(expected, table.entries(), () -> at(act));
            assertEquals(
                    expected.isEmpty() ? -1 : expected.get(expected.size() - 1).epoch(), table.latestEpoch());
            final int asked = random.nextInt(epoch + 3) - 1;
            assertEquals(endOffset(expected, asked), table.endOffsetFor(asked, log.end()), () -> at(act) + " " + asked);
            final long offset = log.logStart + random.nextInt((int) (log.end() - log.logStart) + 2);
            int epochThere = -1;
            for (final LeaderEpoch entry : expected) {
                epochThere = entry.startOffset() <= offset ? entry.epoch() : epochThere;
            }
            assertEquals(epochThere, table.epochAt(offset), () -> at(act) + " offset " + offset);
        }

        private EpochEndOffset endOffset(final List<LeaderEpoch> entries, final int asked) {
            if (entries.isEmpty()
                    || asked < 0
                    || asked > entries.get(entries.size() - 1).epoch()) {
                return new EpochEndOffset(-1, -1);
            }
            int found = asked;
            long end = log.end();
            for (int i = entries.size() - 1; i >= 0 && entries.get(i).epoch() > asked; i--) {
                end = entries.get(i).startOffset();
            }
            for (final LeaderEpoch entry : entries) {
                found = entry.epoch() <= asked ? entry.epoch() : found;
            }
            return new EpochEndOffset(found, end);
        }
    }

    private static final class CountLife extends Life {
        private RecordCountState state = new RecordCountState(storage, "");

        CountLife(final long seed) {
            super(seed);
        }

        @Override
        DerivedState newState() {
            state = new RecordCountState(storage, "");
            return state;
        }

        @Override
        void appended(final ToyLog.Batch batch) {}

        @Override
        void startMoved() {}

        @Override
        void forced() {}

        @Override
        void memoryLost() {}

        @Override
        void restored(final long upTo) {}

        @Override
        String special() {
            return "nothing";
        }

        @Override
        void compare(final String act) {
            final Map<Long, Long> expected = new TreeMap<>();
            for (final ToyLog.Segment segment : log.segments) {
                segment.batches().forEach(batch -> expected.merge(segment.base(), (long) batch.records(), Long::sum));
            }
            assertEquals(expected, state.counts(), () -> at(act));
        }
    }
}
