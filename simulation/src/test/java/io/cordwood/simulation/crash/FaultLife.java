package io.cordwood.simulation.crash;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.testkit.FaultyStorage;
import io.cordwood.testkit.LogContents;
import io.cordwood.testkit.LogExam;
import io.cordwood.testkit.LogHistory;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.NavigableMap;
import java.util.Random;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A log whose disk fails somewhere in its life. After each failure it tries again, with the same log if that takes appends and with
 * one that is opened anew if not, and checks what is owed: by the page cache in one model, by the platter in the other.
 */
final class FaultLife implements FaultSites.Subject {
    static final String DIRECTORY = "t-0";

    private static final LogConfig CONFIG = LogConfig.of(java.util.Map.of(
            "segment.bytes",
            "2048",
            "segment.index.bytes",
            "240",
            "index.interval.bytes",
            "300",
            "file.delete.delay.ms",
            "0"));

    /** Something that is done to the log, and may be done again after it has failed. */
    @FunctionalInterface
    interface Step {
        void run(Log log);
    }

    private final boolean isMapped;
    private final SimulatedStorage disk;
    private final FaultyStorage faulty;
    private final LogHistory published = new LogHistory();
    private final LogHistory forced = new LogHistory();
    private final Batches batches = new Batches(1);

    private final List<byte[]> appended = new ArrayList<>();

    /** What a log has not found that was opened anew after a failure: a power cut may bring it back until the next force. */
    private final List<byte[]> earlier = new ArrayList<>();

    private boolean isOver;
    private boolean endsAtFailedForce;
    private int failures;
    private @Nullable Log log;

    FaultLife(final boolean isMapped, final String... rules) {
        this.isMapped = isMapped;
        this.disk = new SimulatedStorage(() -> Batches.NOW);
        this.faulty = new FaultyStorage(disk, rules);
    }

    /**
     * Where the machine stops as soon as a force has failed: as long as it runs it shows what was lost, and another force of it
     * succeeds.
     */
    FaultLife endingAtFailedForce() {
        endsAtFailedForce = true;
        return this;
    }

    @Override
    public FaultyStorage storage() {
        return faulty;
    }

    @Override
    public int failures() {
        return failures;
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public void live() {
        append(1, 100)
                .append(3, 100)
                .gatherAndPublish(2, 80)
                .flush()
                .append(2, 300)
                .nextEpoch()
                .append(2, 400)
                .append(1, 700)
                .flush()
                .append(1, 90)
                .roll()
                .append(2, 60)
                .read()
                .reopen(true)
                .append(1, 900)
                .append(1, 900)
                .flush()
                .checked()
                .retain(5000)
                .deletePrefix(1)
                .append(2, 200)
                .truncate(1, false)
                .append(1, 100)
                .flush()
                .truncate(1, true)
                .append(1, 1200)
                .append(1, 1200)
                .reopen(false)
                .append(1, 50)
                .flush()
                .checked()
                .startAnew(100)
                .append(2, 70)
                .flush()
                .reopen(true);
    }

    /** Does a step; if it fails, does what an operator would do, unless the disk is broken for good. */
    FaultLife then(final Step step) {
        if (isOver) {
            return this;
        }
        Log current = log == null ? reopened(0) : log;
        for (int tries = 0; current != null && tries < 3; tries++) {
            try {
                step.run(current);
                return this;
            } catch (final StorageException e) {
                failed(e);
                current = usable(current);
            }
        }
        isOver = true;
        return this;
    }

    /** What a power cut would leave now, before a later step throws it away. */
    FaultLife checked() {
        check(disk.afterPowerCut(PowerCut.nothing()), forced);
        return this;
    }

    FaultLife append(final int records, final int valueBytes) {
        return then(current -> {
            gather(current, records, valueBytes);
            publish(current);
        });
    }

    FaultLife gatherAndPublish(final int runs, final int valueBytes) {
        return then(current -> {
            for (int i = 0; i < runs; i++) {
                gather(current, 1 + i, valueBytes);
            }
            publish(current);
        });
    }

    FaultLife flush() {
        return then(current -> {
            final long flushed = current.flush();
            require(flushed == current.endOffset() && flushed == current.flushedOffset(), "flushed up to " + flushed);
            forcedTo(flushed);
        });
    }

    FaultLife roll() {
        return then(current -> current.roll(Batches.NOW));
    }

    FaultLife nextEpoch() {
        batches.nextEpoch();
        return this;
    }

    FaultLife retain(final long bytes) {
        return then(current -> {
            current.configure(CONFIG.with("retention.bytes", Long.toString(bytes)));
            final long[] bases = current.baseOffsets();
            final long forcedEnd = forced.owedEnd();
            forced.droppingBelow(bases[bases.length - 1]);
            published.droppingBelow(bases[bases.length - 1]);
            current.retain(Batches.NOW, current.endOffset());
            forced.keptFrom(current.startOffset(), forcedEnd);
            published.keptFrom(current.startOffset(), current.endOffset());
            current.doWork(Batches.NOW);
        });
    }

    FaultLife deletePrefix(final int segments) {
        return then(current -> {
            final long offset = current.baseOffsets()[Math.min(segments, current.segmentCount() - 1)];
            forced.droppingBelow(offset);
            published.droppingBelow(offset);
            requireResult(offset, () -> current.deletePrefix(offset, current.endOffset(), Batches.NOW));
            forced.keptFrom(offset);
            published.keptFrom(offset);
            current.doWork(Batches.NOW);
        });
    }

    /** Cuts some offsets below the end, or below the beginning of the last segment. */
    FaultLife truncate(final int offsets, final boolean isBelowActive) {
        return then(current -> {
            final long[] bases = current.baseOffsets();
            final long from = isBelowActive ? bases[bases.length - 1] : current.endOffset();
            final long offset = Math.max(current.startOffset(), from - offsets);
            forced.cuttingTo(offset);
            published.cuttingTo(offset);
            final long end = current.truncateTo(offset, Batches.NOW);
            require(!Refusal.isRefusal(end), "a truncation is refused: " + end);
            forced.cutTo(end);
            published.cutTo(end);
        });
    }

    FaultLife startAnew(final int offsets) {
        return then(current -> {
            final long offset = current.endOffset() + offsets;
            forced.startingAnew();
            published.startingAnew();
            requireResult(offset, () -> current.truncateFullyAndStartAt(offset, Batches.NOW));
            forced.startedAt(offset);
            published.startedAt(offset);
        });
    }

    /** Reads all, and sends all. */
    FaultLife read() {
        return then(current -> {
            published.require(LogContents.readAndLookUp(current, offset -> false));
            SentBytes.requireAll(current);
        });
    }

    /** A clean close and an open that trusts it, or an open that recovers. */
    FaultLife reopen(final boolean isClean) {
        return then(current -> {
            if (isClean) {
                final long end = current.endOffset();
                log = null;
                current.close();
                forcedTo(end);
            } else {
                log = null;
                current.closeUncleanly();
            }
            requireNothingOpen();
            if (reopened(isClean ? Long.MAX_VALUE : forced.recoveryPoint()) == null) {
                isOver = true;
            }
        });
    }

    /** The end: what is left on a disk that is sound again, with its power cut and without. */
    @Override
    public void finish(final long seed) {
        final Log last = log;
        if (last != null) {
            closed(last);
        }
        final Random random = new Random(seed);
        for (final PowerCut cut : List.of(PowerCut.nothing(), PowerCut.random(random))) {
            check(disk.afterPowerCut(cut), forced);
        }
        check(disk.kill(), published);
    }

    private void gather(final Log current, final int records, final int valueBytes) {
        final int length = batches.next(records, valueBytes);
        final long base = published.nextOffset();
        final byte[] stored = published.appending(batches.memory(), 0, length, batches.epoch());
        forced.appending(stored);
        appended.add(stored);
        requireResult(
                base, () -> current.gather(batches.memory(), 0, length, AppendAs.client(batches.epoch()), Batches.NOW));
    }

    /** What came before and is not in the log any more is gone for good. */
    private void forcedTo(final long end) {
        forced.forced(end);
        earlier.clear();
    }

    private void publish(final Log current) {
        current.publish();
        published.forced(current.endOffset());
    }

    private void failed(final StorageException failure) {
        failures++;
        PlantedFault.requireTold(failure);
    }

    /** The log to go on with after a failure; null if there will be none. */
    private @Nullable Log usable(final Log current) {
        if (log == null) {
            // It was closed, well or badly.
            requireNothingOpen();
            isOver |= endsAtFailedForce;
            return isOver ? null : reopened(forced.recoveryPoint());
        }
        requireReadable(current);
        if (!isOffLine(current)) {
            require(current.forceFailure() == null, "a log with a failed force takes appends");
            // What has failed is not there, and its offsets are given again.
            current.publish();
            published.cutTo(current.endOffset());
            forced.cutTo(current.endOffset());
            return current;
        }
        requireNoAcknowledgement(current);
        closed(current);
        if (endsAtFailedForce) {
            isOver = true;
            return null;
        }
        return reopened(forced.recoveryPoint());
    }

    /** Asks for what is refused in any case. */
    private static boolean isOffLine(final Log current) {
        try {
            require(Refusal.isRefusal(current.truncateTo(-1, Batches.NOW)), "there is an offset below 0");
            return false;
        } catch (final StorageException e) {
            return true;
        }
    }

    private void requireReadable(final Log current) {
        try {
            published.require(LogContents.read(current, offset -> false));
        } catch (final StorageException e) {
            failed(e);
        }
    }

    private void requireNoAcknowledgement(final Log current) {
        final long flushed = current.flushedOffset();
        final long end = current.endOffset();
        try {
            final int length = batches.next(1, 10);
            final long offset =
                    current.append(batches.memory(), 0, length, AppendAs.client(batches.epoch()), Batches.NOW);
            throw new AssertionError("a log that is off line acknowledges an append: " + offset);
        } catch (final StorageException e) {
            failed(e);
        }
        if (current.forceFailure() != null) {
            require(current.beginForce() == null, "a log that is off line begins a force");
            try {
                require(Refusal.isRefusal(current.flush()), "a log that is off line flushes");
            } catch (final StorageException e) {
                failed(e);
            }
        }
        require(current.flushedOffset() == flushed && current.endOffset() == end, "a log that is off line moves on");
    }

    private void closed(final Log current) {
        log = null;
        try {
            current.close();
        } catch (final StorageException e) {
            failed(e);
        }
        requireNothingOpen();
    }

    private void requireNothingOpen() {
        require(faulty.leftOpen().isEmpty(), "left open: " + faulty.leftOpen());
    }

    /** Opens the log, twice if the first time fails. */
    private @Nullable Log reopened(final long recoveryPoint) {
        for (int tries = 0; tries < (endsAtFailedForce ? 1 : 2); tries++) {
            try {
                final Log opened = open(faulty, tries == 0 ? recoveryPoint : forced.recoveryPoint());
                log = opened;
                final LongPredicate told = LogExam.toldGaps(opened);
                final NavigableMap<Long, byte[]> found = LogContents.read(opened, told);
                published.require(found);
                published.found(found, opened.endOffset());
                earlier.addAll(appended);
                appended.removeIf(batch -> found.values().stream().noneMatch(there -> Arrays.equals(there, batch)));
                forced.found(found, opened.endOffset());
                return opened;
            } catch (final StorageException e) {
                failed(e);
                final Log opened = log;
                if (opened != null) {
                    closed(opened);
                }
                requireNothingOpen();
            }
        }
        isOver = true;
        return null;
    }

    private Log open(final Storage storage, final long recoveryPoint) {
        final LogBuilder builder = new LogBuilder(storage, DIRECTORY)
                .config(CONFIG)
                .indexes(new SparseIndexes())
                .guard(forced)
                .recoveryPoint(recoveryPoint);
        return (isMapped ? builder.mapped() : builder).open(Batches.NOW);
    }

    private void check(final SimulatedStorage left, final LogHistory owed) {
        try (Log found = open(left, forced.recoveryPoint())) {
            final LongPredicate told = LogExam.toldGaps(found);
            final NavigableMap<Long, byte[]> contents = LogContents.readAndLookUp(found, told);
            contents.values()
                    .removeIf(batch -> appended.stream().noneMatch(known -> Arrays.equals(batch, known))
                            && earlier.stream().anyMatch(back -> Arrays.equals(batch, back)));
            owed.require(contents);
            require(
                    found.endOffset() >= owed.owedEnd(),
                    "the log ends at " + found.endOffset() + " below " + owed.owedEnd());
        }
        final List<Fault> faults = Faults.of(left, DIRECTORY);
        require(faults.isEmpty(), "faults after a clean close: " + faults);
    }

    private static void requireResult(final long expected, final LongSupplier act) {
        final long result = act.getAsLong();
        require(result == expected, "expected " + expected + ", got " + result);
    }

    private static void require(final boolean holds, final String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
