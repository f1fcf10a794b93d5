package io.cordwood.simulation.crash;

import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import org.jspecify.annotations.Nullable;

/** A log without a data directory, through several lives. */
final class LogLife extends LogWriter {
    private final LogScenario scenario;
    private SimulatedStorage disk;

    LogLife(final LogScenario scenario, final LogModel model, final SimulatedStorage disk) {
        super(model, scenario.open(disk, 0));
        this.scenario = scenario;
        this.disk = disk;
    }

    /** A clean close, and the open that trusts it. */
    void close() {
        log().close();
        model().forced(model().nextOffset());
        goOn(scenario.open(disk, Long.MAX_VALUE));
    }

    /** The process dies, or the machine, and starts again. */
    void die(final @Nullable PowerCut cut) {
        disk = cut == null ? disk.kill() : disk.powerCut(cut);
        goOn(scenario.open(disk, model().recoveryPoint()));
        LogExam.goOn(log(), model());
    }
}
