package io.cordwood.simulation.crash;

import io.cordwood.log.AppendAs;
import io.cordwood.log.ForceTarget;
import io.cordwood.log.Log;
import io.cordwood.log.record.Refusal;
import io.cordwood.testkit.LogHistory;
import java.nio.ByteOrder;
import org.agrona.concurrent.UnsafeBuffer;

/** A log as a script sees it: each act tells the model what it promises and what it takes back. */
class LogWriter {
    private static final int EPOCH_AT = 12;

    private final LogHistory model;
    private final Batches batches;
    private Log log;
    private int segmentsMost;

    LogWriter(final LogHistory model, final Log log, final long seed) {
        this.model = model;
        this.batches = new Batches(seed);
        this.log = log;
    }

    /** Without publishing. */
    LogWriter gather(final int records, final int valueBytes) {
        final int length = batches.next(records, valueBytes);
        final long base = model.nextOffset();
        model.appending(batches.memory(), 0, length, batches.epoch());
        final long offset = log.gather(batches.memory(), 0, length, AppendAs.client(batches.epoch()), Batches.NOW);
        require(offset, base);
        segmentsMost = Math.max(segmentsMost, log.segmentCount());
        return this;
    }

    LogWriter append(final int records, final int valueBytes) {
        return gather(records, valueBytes).publish();
    }

    /** As a follower appends what a leader's log has: with the offset and the epoch that it has there, and maybe some offsets missing. */
    LogWriter replicate(final long missing, final int records, final int valueBytes) {
        final int length = batches.next(records, valueBytes);
        final UnsafeBuffer stored = new UnsafeBuffer(new byte[length]);
        stored.putBytes(0, batches.memory(), 0, length);
        final long base = model.nextOffset() + missing;
        stored.putLong(0, base, ByteOrder.BIG_ENDIAN);
        stored.putInt(EPOCH_AT, batches.epoch(), ByteOrder.BIG_ENDIAN);
        model.appending(stored.byteArray());
        require(log.gather(stored, 0, length, AppendAs.replica(), Batches.NOW), base);
        segmentsMost = Math.max(segmentsMost, log.segmentCount());
        return publish();
    }

    LogWriter publish() {
        model.published(log.publish());
        return this;
    }

    LogWriter flush() {
        log.publish();
        model.forced(log.flush());
        return this;
    }

    /** A force that another thread would do, with appends between its beginning and its end. */
    LogWriter flushBeside(final Runnable appends) {
        final ForceTarget target = log.beginForce();
        if (target == null) {
            throw new IllegalStateException("a force is under way");
        }
        appends.run();
        target.run();
        model.forced(target.endOffset());
        return this;
    }

    LogWriter roll() {
        log.roll(Batches.NOW);
        return this;
    }

    LogWriter nextEpoch() {
        batches.nextEpoch();
        return this;
    }

    /** The duty cycle, which deletes what was dropped. */
    LogWriter work() {
        log.doWork(Batches.NOW);
        return this;
    }

    /** Keeps about so many bytes. */
    LogWriter retain(final long bytes) {
        log.configure(LogScenario.CONFIG.with("retention.bytes", Long.toString(bytes)));
        log.publish();
        // Nobody knows how far it goes before it has gone.
        model.droppingBelow(log.endOffset());
        log.retain(Batches.NOW, log.endOffset());
        model.keptFrom(log.startOffset());
        return this;
    }

    LogWriter deletePrefix(final long offset) {
        model.droppingBelow(offset);
        require(log.deletePrefix(offset, log.endOffset(), Batches.NOW), offset);
        model.keptFrom(offset);
        return this;
    }

    LogWriter truncate(final long offset) {
        log.publish();
        model.cuttingTo(offset);
        model.cutTo(log.truncateTo(offset, Batches.NOW));
        return this;
    }

    LogWriter startAnew(final long offset) {
        model.startingAnew();
        require(log.truncateFullyAndStartAt(offset, Batches.NOW), offset);
        model.startedAt(offset);
        return this;
    }

    /** Goes on with the same log, which was opened anew. */
    void goOn(final Log opened) {
        log = opened;
    }

    Log log() {
        return log;
    }

    LogHistory model() {
        return model;
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

    int segmentCount() {
        return log.segmentCount();
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
