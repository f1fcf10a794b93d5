package io.cordwood.log;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileStatus;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.Validate;

/** The {@link FlushAgent}'s part beside the writer: {@link LogForces} and {@link ForceTarget}. What counts as forced is on the platter. */
@Param(name = "number", gen = IntGen.class)
public final class ForceRace {
    private static final int BATCH_BYTES = RaceLog.batch(0).capacity();

    private final SimulatedStorage disk = RaceLog.disk();
    private final Log log = RaceLog.open(disk);

    /** Creates a log with two batches, of which one is forced. */
    public ForceRace() {
        RaceLog.append(log, 0);
        log.flush();
        RaceLog.append(log, 1);
    }

    /** Appends. */
    @Operation(nonParallelGroup = "writer")
    public void append() {
        RaceLog.append(log, 0);
    }

    /** Rolls, and closes what is forced. */
    @Operation(nonParallelGroup = "writer")
    public void roll() {
        log.roll(RaceLog.NOW);
        log.doWork(RaceLog.NOW);
    }

    /** Truncates as soon as no force is under way. */
    @Operation(nonParallelGroup = "writer")
    public void truncate(@Param(name = "number") final int offset) {
        while (log.truncateTo(offset, RaceLog.NOW) == Refusal.FORCE_UNDER_WAY) {
            Thread.onSpinWait();
        }
    }

    /** Forces, unless the log is being cut. */
    @Operation(nonParallelGroup = "forcer")
    public void force() {
        final ForceTarget target = log.beginForce();
        if (target != null) {
            target.run();
        }
    }

    /** Nothing counts as forced that is not there, or not on the platter. */
    @Validate
    public void validate() {
        final long flushed = log.flushedOffset();
        if (flushed > log.endOffset()) {
            throw new IllegalStateException("flushed up to " + flushed + ", the log ends at " + log.endOffset());
        }
        long bytes = 0;
        final SimulatedStorage left = disk.afterPowerCut(PowerCut.nothing());
        for (final FileStatus file : left.list("t-0")) {
            if (file.name().endsWith(".log")) {
                bytes += file.length();
            }
        }
        if (bytes < flushed * BATCH_BYTES) {
            throw new IllegalStateException("flushed up to " + flushed + ", on the platter are " + bytes + " bytes");
        }
    }
}
