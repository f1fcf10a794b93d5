package io.cordwood.simulation.kill;

import io.cordwood.log.Log;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.simulation.ChildJvm;
import io.cordwood.simulation.Limit;
import io.cordwood.simulation.Scratch;
import io.cordwood.simulation.soak.Campaign;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Several lives of one data directory, each ended by {@code kill -9} after a number of acknowledgements that follows from a seed.
 * After each the log is recovered here: every acknowledged batch is there byte for byte and in order, and nothing else but what may
 * have been under way.
 */
public final class KilledLives {
    private static final int LIVES = 5;
    private static final int ACKNOWLEDGEMENTS_MOST = 2000;
    private static final int KILLED = 137;
    private static final int READ_BYTES = 1 << 20;

    /** The first line comes when a JVM has started and a log was recovered. */
    private static final long LINE_SECONDS_MOST = 60;

    private final Path root;
    private final boolean isMapped;
    private final boolean isForced;
    private final Random random;
    private final NumberedBatch batches = new NumberedBatch();

    /** Acknowledged and not taken back: numbers by offset. */
    private final NavigableMap<Long, Long> owed = new TreeMap<>();

    private long next = 1;
    private long owedFrom;
    private long cuttingTo = Long.MAX_VALUE;
    private long lastAcknowledged;
    private long acknowledged;

    private KilledLives(final Path root, final boolean isMapped, final boolean isForced, final long seed) {
        this.root = root;
        this.isMapped = isMapped;
        this.isForced = isForced;
        this.random = new Random(seed);
    }

    /**
     * Lists the campaigns.
     *
     * @return one for each store and durability.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> campaigns = new ArrayList<>();
        for (final boolean isMapped : new boolean[] {false, true}) {
            for (final boolean isForced : new boolean[] {false, true}) {
                final String name =
                        "kill/" + (isMapped ? "mapped" : "channel") + "/" + (isForced ? "forced" : "page-cache");
                campaigns.add(new Campaign("G17", name, true, (seed, tally) -> {
                    tally.add("acknowledgements", play(isMapped, isForced, seed, LIVES));
                    tally.add("kills", LIVES);
                }));
            }
        }
        return campaigns;
    }

    /**
     * Plays some lives in a directory of their own.
     *
     * @param isMapped which store.
     * @param isForced which durability.
     * @param seed of when to kill, and of what the processes do.
     * @param lives how many.
     * @return batches that were acknowledged.
     * @throws AssertionError if one of them is lost, or something is there that was not appended.
     */
    public static long play(final boolean isMapped, final boolean isForced, final long seed, final int lives) {
        try {
            final Path root = Files.createTempDirectory("cordwood-kill");
            try {
                final KilledLives played = new KilledLives(root, isMapped, isForced, seed);
                for (int life = 0; life < lives; life++) {
                    played.live("seed " + seed + ", life " + life + ": ");
                }
                return played.acknowledged;
            } finally {
                Scratch.delete(root);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Follows a process that need not be one that appends. */
    static void follow(final Process process, final long lineSecondsMost) {
        new KilledLives(Path.of(""), false, false, 0).follow(process, Integer.MAX_VALUE, "", lineSecondsMost);
    }

    private void live(final String where) throws IOException {
        final int killAfter = 1 + random.nextInt(ACKNOWLEDGEMENTS_MOST);
        final Process process = ChildJvm.of(
                        AppendingProcess.class,
                        root.toString(),
                        Boolean.toString(isMapped),
                        Boolean.toString(isForced),
                        Long.toString(random.nextLong()),
                        Long.toString(next))
                .start();
        follow(process, killAfter, where, LINE_SECONDS_MOST);
        recover(where);
    }

    /** Hears what the process says and kills it in time. It is killed too, and the life fails, if it says nothing for too long. */
    private void follow(final Process process, final int killAfter, final String where, final long lineSecondsMost) {
        // Not the process's own method: that would close what it has written and we have not read.
        final Runnable kill = () -> process.toHandle().destroyForcibly();
        final Limit limit = new Limit(lineSecondsMost, kill);
        try {
            limit.run(where + "awaited is the first line of the process", () -> {
                int seen = 0;
                try (BufferedReader out = new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
                    for (String line = wholeLine(out); line != null; line = wholeLine(out)) {
                        heard(line.split(" "));
                        if (++seen == killAfter) {
                            kill.run();
                        }
                        final String said = "behind '" + line + "', line " + seen + " of " + killAfter;
                        limit.step(() -> where + "awaited is what the process says " + said);
                    }
                    limit.step(() -> where + "awaited is the end of the process");
                    final int exitCode = process.waitFor();
                    require(exitCode == KILLED, where + "the process ended with " + exitCode);
                } catch (final IOException e) {
                    throw new UncheckedIOException(where, e);
                } catch (final InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw new IllegalStateException(where + "interrupted", e);
                }
            });
        } finally {
            kill.run();
        }
    }

    /** The next line; null at the end, also if a part of a line was said. */
    private static @Nullable String wholeLine(final BufferedReader out) throws IOException {
        final StringBuilder line = new StringBuilder();
        for (int c = out.read(); c >= 0; c = out.read()) {
            if (c == '\n') {
                return line.toString();
            }
            line.append((char) c);
        }
        return null;
    }

    private void heard(final String[] words) {
        final long offset = Long.parseLong(words[1]);
        switch (words[0]) {
            case "a" -> {
                final long number = Long.parseLong(words[2]);
                owed.put(offset, number);
                lastAcknowledged = Math.max(lastAcknowledged, number);
                acknowledged++;
            }
            case "cutting" -> cuttingTo = offset;
            case "cut" -> {
                owed.tailMap(offset).clear();
                cuttingTo = Long.MAX_VALUE;
            }
            case "dropping" -> owedFrom = Math.max(owedFrom, offset);
            default -> throw new AssertionError("the process says " + String.join(" ", words));
        }
    }

    private void recover(final String where) {
        try (DiskStorage storage = new DiskStorage(root);
                LogDirectory directory = AppendingProcess.open(storage)) {
            final Log log = AppendingProcess.open(directory, isMapped);
            final NavigableMap<Long, Long> found = read(log, where);
            final NavigableMap<Long, Long> isOwed = owed.subMap(owedFrom, true, Math.max(owedFrom, cuttingTo), false);
            isOwed.forEach((offset, number) -> {
                // A batch that holds the first of what may be cut goes as a whole.
                final boolean mayGo =
                        cuttingTo != Long.MAX_VALUE && isOwed.lastKey().equals(offset);
                require(
                        number.equals(found.get(offset)) || (mayGo && !found.containsKey(offset)),
                        where + "acknowledged at " + offset + " was batch " + number + ", found is "
                                + found.get(offset) + " in a log from " + log.startOffset() + " to "
                                + log.endOffset());
            });
            owed.clear();
            owed.putAll(found);
            owedFrom = Math.max(owedFrom, log.startOffset());
            cuttingTo = Long.MAX_VALUE;
            final long most = found.isEmpty() ? 0 : found.lastEntry().getValue();
            require(
                    most <= lastAcknowledged + 2L * AppendingProcess.TICKETS,
                    where + "batch " + most + " is there, acknowledged was " + lastAcknowledged);
            next = Math.max(next, lastAcknowledged) + 1000;
            if (random.nextBoolean()) {
                // The next life recovers again.
                log.closeUncleanly();
            }
        }
    }

    /** Numbers by offset of what is there; each batch is what its number says, and they ascend without a gap. */
    private NavigableMap<Long, Long> read(final Log log, final String where) {
        final NavigableMap<Long, Long> found = new TreeMap<>();
        final long[] expected = {-1, 0};
        try (LogReader reader = log.newReader()) {
            long offset = log.startOffset();
            while (reader.read(offset, Long.MAX_VALUE, READ_BYTES) > 0) {
                reader.forEach(batch -> {
                    require(batch, expected, where);
                    found.put(batch.baseOffset(), expected[1]);
                    return true;
                });
                offset = reader.nextOffset();
            }
            require(offset == log.endOffset(), where + "nothing is read at " + offset);
        }
        return found;
    }

    private void require(final RecordBatchFlyweight batch, final long[] expected, final String where) {
        final long number = batch.baseTimestamp() - NumberedBatch.NOW;
        final long offset = batch.baseOffset();
        require(
                expected[0] < 0 || offset == expected[0],
                where + "expected is offset " + expected[0] + ", found is " + offset);
        require(number > expected[1], where + "batch " + number + " follows on " + expected[1]);
        require(
                batches.isStored(batch.buffer(), batch.index(), batch.sizeInBytes(), number, offset),
                where + "the batch at " + offset + " is not batch " + number);
        expected[0] = batch.lastOffset() + 1;
        expected[1] = number;
    }

    private static void require(final boolean isSo, final String otherwise) {
        if (!isSo) {
            throw new AssertionError(otherwise);
        }
    }
}
