package io.cordwood.simulation.crash;

import io.cordwood.log.AppendAs;
import io.cordwood.log.ForceTarget;
import io.cordwood.log.Log;
import io.cordwood.log.record.Refusal;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import org.jspecify.annotations.Nullable;

/** A log as a script sees it: each act tells the model what it promises and what it takes back. */
final class LogLife {
    private final LogScenario scenario;
    private final LogModel model;
    private final Batches batches = new Batches();
    private SimulatedStorage disk;
    private Log log;
    private int segmentsMost;

    LogLife(final LogScenario scenario, final LogModel model, final SimulatedStorage disk) {
        this.scenario = scenario;
        this.model = model;
        this.disk = disk;
        this.log = scenario.open(disk, 0);
    }

    /** Without publishing. */
    LogLife gather(final int records, final int valueBytes) {
        final int length = batches.next(records, valueBytes);
        final long base = model.nextOffset();
        model.appending(batches.stored(length, base, model.epoch()));
        final long offset = log.gather(batches.memory(), 0, length, AppendAs.client(model.epoch()), Batches.NOW);
        require(offset, base);
        segmentsMost = Math.max(segmentsMost, log.segmentCount());
        return this;
    }

    LogLife append(final int records, final int valueBytes) {
        return gather(records, valueBytes).publish();
    }

    LogLife publish() {
        log.publish();
        return this;
    }

    LogLife flush() {
        log.publish();
        model.forced(log.flush());
        return this;
    }

    /** A force that another thread would do, with appends between its beginning and its end. */
    LogLife flushBeside(final Runnable appends) {
        final ForceTarget target = log.beginForce();
        if (target == null) {
            throw new IllegalStateException("a force is under way");
        }
        appends.run();
        target.run();
        model.forced(target.endOffset());
        return this;
    }

    LogLife roll() {
        log.roll(Batches.NOW);
        return this;
    }

    LogLife nextEpoch() {
        model.nextEpoch();
        return this;
    }

    /** The duty cycle, which deletes what was dropped. */
    LogLife work() {
        log.doWork(Batches.NOW);
        return this;
    }

    /** Keeps about so many bytes. */
    LogLife retain(final long bytes) {
        log.configure(LogScenario.CONFIG.with("retention.bytes", Long.toString(bytes)));
        log.publish();
        // Nobody knows how far it goes before it has gone: all but the active segment may be dropped.
        final long[] bases = log.baseOffsets();
        final long forcedEnd = model.owedEnd();
        model.droppingBelow(bases[bases.length - 1]);
        log.retain(Batches.NOW, log.endOffset());
        model.keptFrom(log.startOffset(), forcedEnd);
        return this;
    }

    LogLife deletePrefix(final long offset) {
        model.droppingBelow(offset);
        require(log.deletePrefix(offset, log.endOffset(), Batches.NOW), offset);
        return this;
    }

    LogLife truncate(final long offset) {
        log.publish();
        model.cuttingTo(offset);
        model.cutTo(log.truncateTo(offset, Batches.NOW));
        return this;
    }

    LogLife startAnew(final long offset) {
        model.startingAnew();
        require(log.truncateFullyAndStartAt(offset, Batches.NOW), offset);
        model.startedAt(offset);
        return this;
    }

    /** A clean close, and the open that trusts it. */
    LogLife close() {
        log.close();
        model.forced(model.nextOffset());
        open(Long.MAX_VALUE);
        return this;
    }

    /** The process dies, or the machine, and starts again. */
    LogLife die(final @Nullable PowerCut cut) {
        disk = cut == null ? disk.kill() : disk.powerCut(cut);
        open(model.recoveryPoint());
        model.found(LogContents.read(log, LogScenario.hasGap(log)), log.endOffset());
        return this;
    }

    private void open(final long recoveryPoint) {
        log = scenario.open(disk, recoveryPoint);
    }

    /** First offset of a segment, counted from the front. */
    long base(final int segment) {
        return log.baseOffsets()[segment];
    }

    long startOffset() {
        return log.startOffset();
    }

    long endOffset() {
        return log.endOffset();
    }

    int segmentsMost() {
        return segmentsMost;
    }

    private static void require(final long result, final long expected) {
        if (Refusal.isRefusal(result) || result != expected) {
            throw new IllegalStateException("expected " + expected + ", got " + result);
        }
    }
}
