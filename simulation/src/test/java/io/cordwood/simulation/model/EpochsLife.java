package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.EpochEndOffset;
import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.LeaderEpochTable;
import io.cordwood.simulation.damage.MemoryDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The table of leader epochs beside a list of entries, as the file has them, and a log start below which none is shown. */
final class EpochsLife implements Life {
    private static final String DIRECTORY = "t-0";
    private static final long[] BASES = {0};

    private final Random random;
    private final MemoryDisk disk = new MemoryDisk();
    private final List<String> history = new ArrayList<>();
    private List<LeaderEpoch> entries = new ArrayList<>();
    private List<LeaderEpoch> filed = List.of();
    private LeaderEpochTable table = new LeaderEpochTable(disk, DIRECTORY);
    private long start;
    private long end;

    EpochsLife(final long seed) {
        random = new Random(seed);
        disk.makeDirectory(DIRECTORY);
        table.restore(0, BASES, 0);
        table.force(0);
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void step() {
        switch (random.nextInt(8)) {
            case 0, 1, 2 -> assign(latest() + random.nextInt(4), end);
            // What a leader does that began before: an older epoch, or an offset below the end.
            case 3 -> assign(Math.max(0, latest() - random.nextInt(3)), Math.max(0, end - random.nextInt(20)));
            case 4 -> force();
            case 5 -> {
                start = Math.min(end, start + random.nextInt(15));
                history.add("retain from " + start);
                table.retain(start, new long[] {start});
                entries = from(entries);
            }
            // A truncation, which forces the table first.
            case 6 -> {
                force();
                restore(Math.max(start, end - random.nextInt(25)));
            }
            // The process dies, and starts again.
            default -> {
                table = new LeaderEpochTable(disk, DIRECTORY);
                entries = new ArrayList<>(filed);
                restore(end);
            }
        }
        end += random.nextInt(6);
        agree();
    }

    private int latest() {
        return entries.isEmpty() ? 0 : entries.get(entries.size() - 1).epoch();
    }

    private void assign(final int epoch, final long offset) {
        history.add("assign " + epoch + " from " + offset);
        final LeaderEpoch last = entries.isEmpty() ? null : entries.get(entries.size() - 1);
        final boolean isNew =
                last == null || epoch > last.epoch() || (epoch == last.epoch() && offset < last.startOffset());
        assertEquals(isNew, table.assign(epoch, offset));
        if (isNew) {
            entries.removeIf(entry -> entry.startOffset() >= offset);
            entries.add(new LeaderEpoch(epoch, offset));
            entries = from(entries);
        }
    }

    private void force() {
        history.add("force");
        table.force(end);
        filed = List.copyOf(entries);
    }

    private void restore(final long upTo) {
        history.add("restore up to " + upTo);
        assertEquals(upTo, table.restore(start, BASES, upTo), () -> String.valueOf(table.damage()));
        entries.removeIf(entry -> entry.startOffset() >= upTo);
        filed = List.copyOf(entries);
        entries = from(entries);
        end = upTo;
    }

    /** Those that reach above the log start. */
    private List<LeaderEpoch> from(final List<LeaderEpoch> all) {
        final List<LeaderEpoch> kept = new ArrayList<>();
        for (int i = 0; i < all.size(); i++) {
            if (i == all.size() - 1 || all.get(i + 1).startOffset() > start) {
                kept.add(all.get(i));
            }
        }
        return kept;
    }

    private void agree() {
        final List<LeaderEpoch> shown = entries.stream()
                .map(entry -> new LeaderEpoch(entry.epoch(), Math.max(start, entry.startOffset())))
                .toList();
        assertEquals(shown, table.entries());
        for (int epoch = -1; epoch <= latest() + 1; epoch++) {
            assertEquals(endOf(shown, epoch), table.endOffsetFor(epoch, end), "end of epoch " + epoch);
        }
        for (long offset = Math.max(0, end - 40); offset <= end; offset++) {
            int expected = -1;
            for (final LeaderEpoch entry : shown) {
                expected = entry.startOffset() <= offset && offset >= start ? entry.epoch() : expected;
            }
            assertEquals(expected, table.epochAt(offset), "epoch at " + offset);
        }
    }

    private EpochEndOffset endOf(final List<LeaderEpoch> shown, final int epoch) {
        if (shown.isEmpty() || epoch < 0 || epoch > shown.get(shown.size() - 1).epoch()) {
            return new EpochEndOffset(EpochEndOffset.UNDEFINED, EpochEndOffset.UNDEFINED);
        }
        int floor = epoch;
        for (final LeaderEpoch entry : shown) {
            if (entry.epoch() > epoch) {
                return new EpochEndOffset(floor, entry.startOffset());
            }
            floor = entry.epoch();
        }
        return new EpochEndOffset(floor, end);
    }
}
