package io.cordwood.log;

import static io.cordwood.log.record.RecordBatchDescriptor.BASE_OFFSET_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.HEADER_BYTES;
import static io.cordwood.log.record.RecordBatchDescriptor.LAST_OFFSET_DELTA_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.LENGTH_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.LOG_OVERHEAD;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_V2;
import static io.cordwood.log.record.RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.RECORD_COUNT_OFFSET;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.record.RecordBatchFlyweight;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a log does with its derived states, in the order in which it must, with segments that are mere lists of batches: the
 * procedure of the contract, small enough to be seen through, against which the states are tried.
 */
final class ToyLog {
    record Batch(long baseOffset, int records, int epoch) {
        long end() {
            return baseOffset + records;
        }

        RecordBatchFlyweight flyweight() {
            final UnsafeBuffer buffer = new UnsafeBuffer(new byte[HEADER_BYTES]);
            buffer.putLong(BASE_OFFSET_OFFSET, baseOffset, BIG_ENDIAN);
            buffer.putInt(LENGTH_OFFSET, HEADER_BYTES - LOG_OVERHEAD, BIG_ENDIAN);
            buffer.putInt(PARTITION_LEADER_EPOCH_OFFSET, epoch, BIG_ENDIAN);
            buffer.putByte(MAGIC_OFFSET, MAGIC_V2);
            buffer.putInt(LAST_OFFSET_DELTA_OFFSET, records - 1, BIG_ENDIAN);
            buffer.putInt(RECORD_COUNT_OFFSET, records, BIG_ENDIAN);
            return new RecordBatchFlyweight().wrap(buffer, 0);
        }
    }

    record Segment(long base, List<Batch> batches) {}

    final List<Segment> segments = new ArrayList<>();
    long logStart;
    long recoveryPoint;
    private long end;
    private long forcedEnd;
    private List<DerivedState> states = List.of();

    ToyLog(final long startOffset) {
        segments.add(new Segment(startOffset, new ArrayList<>()));
        logStart = startOffset;
        end = startOffset;
        forcedEnd = startOffset;
    }

    long end() {
        return end;
    }

    long[] bases() {
        return segments.stream().mapToLong(Segment::base).toArray();
    }

    long upTo() {
        return Math.max(bases()[0], Math.min(recoveryPoint, end));
    }

    List<Batch> batches() {
        return segments.stream().flatMap(segment -> segment.batches().stream()).toList();
    }

    /** Opens with states that know nothing yet. */
    void open(final List<DerivedState> newStates) {
        states = newStates;
        restore(upTo());
    }

    void append(final int records, final int epoch) {
        final Batch batch = new Batch(end, records, epoch);
        final Segment active = segments.get(segments.size() - 1);
        states.forEach(state -> state.check(batch.flyweight(), Origin.CLIENT, 0));
        active.batches().add(batch);
        states.forEach(state -> state.apply(batch.flyweight(), active.base()));
        end = batch.end();
    }

    void roll() {
        if (!segments.get(segments.size() - 1).batches().isEmpty()) {
            segments.add(new Segment(end, new ArrayList<>()));
            states.forEach(state -> state.snapshot(end));
        }
    }

    void force() {
        final long offset = end;
        forcedEnd = offset;
        states.forEach(state -> state.force(offset));
        recoveryPoint = offset;
    }

    void cleanClose() {
        states.forEach(state -> state.snapshot(end));
        force();
        states.forEach(DerivedState::close);
    }

    /** Only what is durable may be given up for good, so the log is forced first. */
    void moveStart(final long newStart) {
        force();
        logStart = newStart;
        while (segments.size() > 1 && segments.get(1).base() <= newStart) {
            segments.remove(0);
        }
        states.forEach(state -> state.retain(logStart, bases()));
    }

    /** As a cleaner does: batches vanish from sealed segments that are durable. */
    void thin(final Random random) {
        for (int i = 0; i < segments.size() - 1 && segments.get(i + 1).base() <= recoveryPoint; i++) {
            segments.get(i).batches().removeIf(batch -> random.nextInt(4) == 0);
        }
        states.forEach(state -> state.retain(logStart, bases()));
    }

    void truncate(final long target) {
        states.forEach(state -> state.force(end));
        recoveryPoint = Math.min(recoveryPoint, target);
        cut(target);
        forcedEnd = end;
        restore(end);
    }

    /** Ends at the target, or before the batch that holds it. */
    private void cut(final long target) {
        while (segments.size() > 1 && segments.get(segments.size() - 1).base() > target) {
            segments.remove(segments.size() - 1);
        }
        segments.get(segments.size() - 1).batches().removeIf(batch -> batch.end() > target);
        end = Math.min(end, target);
    }

    void truncateFully(final long newStart, final Runnable afterForgetting) {
        forget();
        throwAway(newStart);
        afterForgetting.run();
        recoveryPoint = newStart;
        restore(newStart);
    }

    /** The first step of a full truncation: the states are told that nothing is left. */
    void forget() {
        recoveryPoint = 0;
        states.forEach(state -> state.restore(0, new long[] {0}, 0));
    }

    /** The second step. */
    void throwAway(final long newStart) {
        segments.clear();
        segments.add(new Segment(newStart, new ArrayList<>()));
        logStart = newStart;
        end = newStart;
        forcedEnd = newStart;
    }

    /** The power goes: batches above the last force are lost from some point on. */
    void powerCut(final Random random) {
        final List<Long> ends = new ArrayList<>(List.of(forcedEnd));
        for (final Batch batch : batches()) {
            if (batch.end() > forcedEnd) {
                ends.add(batch.end());
            }
        }
        cut(ends.get(random.nextInt(ends.size())));
    }

    private void restore(final long upTo) {
        final long[] bases = bases();
        final long[] from = new long[states.size()];
        for (int i = 0; i < from.length; i++) {
            from[i] = states.get(i).restore(logStart, bases, upTo);
            if (from[i] < bases[0] || from[i] > upTo) {
                throw new AssertionError("replay from " + from[i] + " outside " + bases[0] + ".." + upTo);
            }
        }
        for (final Segment segment : segments) {
            for (int i = 0; i < from.length; i++) {
                if (from[i] < segment.base()) {
                    states.get(i).snapshot(segment.base());
                }
                for (final Batch batch : segment.batches()) {
                    if (batch.baseOffset() >= from[i]) {
                        states.get(i).apply(batch.flyweight(), segment.base());
                    }
                }
            }
        }
    }
}
