package io.cordwood.simulation.crash;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.Storage;
import io.cordwood.testkit.CrashScenario;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.function.Consumer;
import org.agrona.concurrent.UnsafeBuffer;

/** One log without a data directory: what a script does to it, and what is owed after each power cut. */
final class LogScenario implements CrashScenario {
    static final String DIRECTORY = "t-0";

    private static final int SEGMENTS_LEAST = 3;

    static final LogConfig CONFIG = LogConfig.of(Map.of(
            "segment.bytes",
            "4096",
            "segment.index.bytes",
            "1024",
            "index.interval.bytes",
            "600",
            "file.delete.delay.ms",
            "0"));

    /** What a recovery may report if nothing but the power has failed. */
    private static final Set<Kind> CRASHES = EnumSet.of(
            Kind.LEFTOVER_DELETED,
            Kind.INDEX_REBUILT,
            Kind.STATE_REBUILT,
            Kind.CUT,
            Kind.TAIL_CUT,
            Kind.SEGMENT_DELETED,
            Kind.OFFSETS_MISSING);

    private final boolean isMapped;
    private final Consumer<LogLife> script;
    private final LogModel model = new LogModel();
    private final UnsafeBuffer header = new UnsafeBuffer(0, 0);

    LogScenario(final boolean isMapped, final Consumer<LogLife> script) {
        this.isMapped = isMapped;
        this.script = script;
    }

    @Override
    public void run(final SimulatedStorage disk) {
        final LogLife life = new LogLife(this, model, disk);
        script.accept(life);
        if (life.segmentsMost() < SEGMENTS_LEAST) {
            throw new IllegalStateException("the script makes " + life.segmentsMost() + " segments");
        }
    }

    @Override
    public long promises() {
        return model.promises();
    }

    @Override
    public void check(final SimulatedStorage disk) {
        final NavigableMap<Long, byte[]> found;
        final boolean hasGap;
        final long state;
        try (Uncleanly first = new Uncleanly(open(disk, model.recoveryPoint()))) {
            hasGap = hasGap(first.log);
            found = LogContents.readAndLookUp(first.log, hasGap);
            model.require(found);
            requireEnd(first.log);
            requireEpochs(first.log, found);
            state = contents(disk);
        }
        try (Log again = open(disk, model.recoveryPoint())) {
            if (contents(disk) != state) {
                throw new AssertionError("a second recovery leaves other files than the first");
            }
            requireEqual(found, LogContents.read(again, hasGap), "a second recovery");
        }
        final List<Fault> faults = Faults.of(disk, DIRECTORY);
        if (!faults.isEmpty()) {
            throw new AssertionError("after a clean close: " + faults);
        }
        try (Uncleanly last = new Uncleanly(open(disk, Long.MAX_VALUE))) {
            requireEqual(found, LogContents.readAndLookUp(last.log, hasGap), "a clean close");
        }
    }

    Log open(final Storage disk, final long recoveryPoint) {
        final LogBuilder builder = new LogBuilder(disk, DIRECTORY)
                .config(CONFIG)
                .indexes(new SparseIndexes())
                .guard(model::lowerRecoveryPoint)
                .recoveryPoint(recoveryPoint);
        return (isMapped ? builder.mapped() : builder).open(Batches.NOW);
    }

    static boolean hasGap(final Log log) {
        boolean hasGap = false;
        for (final var entry : log.recovery().entries()) {
            if (!CRASHES.contains(entry.kind())) {
                throw new AssertionError("no power cut explains what is reported: " + entry.kind() + ", " + entry);
            }
            hasGap |= entry.kind() == Kind.OFFSETS_MISSING;
        }
        return hasGap;
    }

    /** Hash of all names and contents as the next process would see them. */
    private static long contents(final SimulatedStorage disk) {
        return disk.afterPowerCut(PowerCut.everything()).platterHash();
    }

    private void requireEnd(final Log log) {
        if (log.endOffset() < model.owedEnd()) {
            throw new AssertionError(
                    "the log ends at " + log.endOffset() + ", below what was forced: " + model.owedEnd());
        }
    }

    private void requireEpochs(final Log log, final NavigableMap<Long, byte[]> found) {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        found.forEach((offset, bytes) -> {
            header.wrap(bytes);
            final int epoch = batch.wrap(header, 0).partitionLeaderEpoch();
            final int told = log.leaderEpochs().epochAt(Math.max(offset, log.startOffset()));
            if (epoch != told) {
                throw new AssertionError(
                        "the batch at " + offset + " is of epoch " + epoch + ", the table says " + told);
            }
        });
        if (!found.isEmpty()) {
            header.wrap(found.lastEntry().getValue());
            final int last = batch.wrap(header, 0).partitionLeaderEpoch();
            if (log.leaderEpochs().latestEpoch() != last) {
                throw new AssertionError("the last batch is of epoch " + last + ", the table ends with "
                        + log.leaderEpochs().entries());
            }
        }
    }

    private static void requireEqual(
            final NavigableMap<Long, byte[]> before, final NavigableMap<Long, byte[]> after, final String what) {
        if (!before.keySet().equals(after.keySet())
                || !before.entrySet().stream()
                        .allMatch(e -> java.util.Arrays.equals(e.getValue(), after.get(e.getKey())))) {
            throw new AssertionError(
                    what + " changes the log: batches at " + before.keySet() + ", then at " + after.keySet());
        }
    }

    /** A log that is left as a crash of the process leaves it. */
    private record Uncleanly(Log log) implements AutoCloseable {
        @Override
        public void close() {
            log.closeUncleanly();
        }
    }
}
