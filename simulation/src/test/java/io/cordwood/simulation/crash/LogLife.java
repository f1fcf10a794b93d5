package io.cordwood.simulation.crash;

import io.cordwood.testkit.LogExam;
import io.cordwood.testkit.LogHistory;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;

/** A log without a data directory, through several lives. */
final class LogLife extends LogWriter {
    private final LogScenario scenario;
    private final SplittableRandom random;
    private SimulatedStorage disk;

    LogLife(final LogScenario scenario, final LogHistory model, final SimulatedStorage disk, final long seed) {
        super(model, scenario.open(disk, 0), seed);
        this.random = new SplittableRandom(~seed);
        this.scenario = scenario;
        this.disk = disk;
    }

    /** For a script that leaves to the seed what it does. */
    SplittableRandom random() {
        return random;
    }

    /** A clean close, and the open that trusts it. */
    void close() {
        log().close();
        model().forced(model().nextOffset());
        goOn(scenario.open(disk, Long.MAX_VALUE));
    }

    /** The process dies, or the machine, and starts again. */
    void die(final @Nullable PowerCut cut) {
        if (cut != null) {
            model().powerGoes();
        }
        disk = cut == null ? disk.kill() : disk.powerCut(cut);
        goOn(scenario.open(disk, model().recoveryPoint()));
        if (cut == null) {
            LogExam.goOnAfterKill(log(), model());
        } else {
            LogExam.goOn(log(), model());
        }
    }
}
