package io.cordwood.simulation.crash;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.store.Storage;
import io.cordwood.testkit.CrashScenario;
import io.cordwood.testkit.LogChecker;
import io.cordwood.testkit.LogHistory;
import io.cordwood.testkit.SegmentCountState;
import io.cordwood.testkit.SimulatedStorage;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

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

    private final boolean isMapped;
    private final long seed;
    private final Consumer<LogLife> script;
    private final LogHistory model = new LogHistory();
    private final LogChecker checker;

    LogScenario(final boolean isMapped, final long seed, final Consumer<LogLife> script) {
        this.isMapped = isMapped;
        this.seed = seed;
        this.script = script;
        final LogChecker logChecker = new LogChecker(DIRECTORY, model, this::open).companion(Faults::new);
        // A state that forces its files in the log's directory makes up for a sync that the log has left out: one store
        // has none.
        this.checker = isMapped ? logChecker : logChecker.state(SegmentCountState::new, SegmentCountState::sums);
    }

    @Override
    public void run(final SimulatedStorage disk) {
        final LogLife life = new LogLife(this, model, disk, seed);
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
        checker.check(disk);
    }

    @Override
    public void checkKilled(final SimulatedStorage disk) {
        checker.checkKilled(disk);
    }

    Log open(final Storage disk, final long recoveryPoint) {
        return checker.open(disk, recoveryPoint);
    }

    private Log open(final Storage disk, final long recoveryPoint, final List<DerivedState> states) {
        final LogBuilder builder = new LogBuilder(disk, DIRECTORY)
                .config(CONFIG)
                .indexes(new SparseIndexes())
                .guard(model)
                .recoveryPoint(recoveryPoint);
        states.forEach(builder::state);
        return (isMapped ? builder.mapped() : builder).open(Batches.NOW);
    }
}
