package io.cordwood.simulation.crash;

import io.cordwood.log.record.RecordBatchFlyweight;
import java.util.Arrays;
import java.util.HashSet;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What a log may hold and what it must hold, at each moment: a batch may be there from before its append until its truncation
 * is durable, and must be there from the force that covers it until somebody begins to take it back.
 */
final class LogModel {
    private final NavigableMap<Long, byte[]> allowed = new TreeMap<>();

    /** First offsets of what is missing between two batches that were found. */
    private final Set<Long> gaps = new HashSet<>();

    private long nextOffset;
    private long owedFrom;
    private long owedEnd;
    private long recoveryPoint;

    /** What a recovery point may say. */
    private long pointMost;

    private long promises;
    private int epoch;

    /** A batch that is about to be appended. */
    void appending(final byte[] batch) {
        allowed.put(nextOffset, batch);
        nextOffset = lastOffset(batch) + 1;
    }

    long nextOffset() {
        return nextOffset;
    }

    /** Everything below the offset was acknowledged as forced. */
    void forced(final long end) {
        owedEnd = Math.max(owedEnd, end);
        recoveryPoint = end;
        pointMost = owedEnd;
        promises++;
    }

    /** What lies below may go from now on, and may stay. */
    void droppingBelow(final long offset) {
        owedFrom = Math.max(owedFrom, offset);
        promises++;
    }

    /** Less than that has gone: what lies at or above the offset was there all the time. */
    void keptFrom(final long offset) {
        owedFrom = offset;
        promises++;
    }

    /** The same for who has to say up to where it was forced. */
    void keptFrom(final long offset, final long forcedEnd) {
        keptFrom(offset);
        owedEnd = Math.max(offset, forcedEnd);
    }

    /** What lies at or above the offset, and whole batches, may go from now on. */
    void cuttingTo(final long offset) {
        final var cut = allowed.floorEntry(offset - 1);
        final long end = cut != null && lastOffset(cut.getValue()) >= offset ? cut.getKey() : offset;
        owedEnd = Math.min(owedEnd, end);
        lowerRecoveryPoint(end);
    }

    /** It has gone. */
    void cutTo(final long end) {
        allowed.tailMap(end).clear();
        nextOffset = end;
        pointMost = Math.min(pointMost, end);
        promises++;
    }

    /** All may go, and the log begin elsewhere. */
    void startingAnew() {
        owedFrom = 0;
        owedEnd = 0;
        lowerRecoveryPoint(0);
    }

    void startedAt(final long offset) {
        allowed.clear();
        nextOffset = offset;
        owedFrom = offset;
        owedEnd = offset;
        recoveryPoint = offset;
        pointMost = offset;
        promises++;
    }

    /** Asked by the log before it truncates, as the owner of the recovery point. */
    boolean lowerRecoveryPoint(final long offset) {
        recoveryPoint = Math.min(recoveryPoint, offset);
        promises++;
        return true;
    }

    /** After a crash: what is not there any more does not come back. */
    void found(final NavigableMap<Long, byte[]> found, final long end) {
        allowed.keySet().retainAll(found.keySet());
        gaps.clear();
        long next = found.isEmpty() ? end : found.firstKey();
        for (final var batch : found.entrySet()) {
            if (batch.getKey() != next) {
                gaps.add(next);
            }
            next = lastOffset(batch.getValue()) + 1;
        }
        if (next != end) {
            gaps.add(next);
        }
        nextOffset = end;
        promises++;
    }

    /** Whether it is known that the offsets from this one on are missing. */
    boolean isGap(final long offset) {
        return gaps.contains(offset);
    }

    int nextEpoch() {
        return ++epoch;
    }

    int epoch() {
        return epoch;
    }

    long owedFrom() {
        return owedFrom;
    }

    long owedEnd() {
        return owedEnd;
    }

    long pointMost() {
        return pointMost;
    }

    long recoveryPoint() {
        return recoveryPoint;
    }

    long promises() {
        return promises;
    }

    /** Throws if batches are missing that are owed, or there that must not be. */
    void require(final NavigableMap<Long, byte[]> found) {
        found.forEach((offset, bytes) -> {
            final byte[] expected = allowed.get(offset);
            if (!Arrays.equals(bytes, expected)) {
                throw new AssertionError("at offset " + offset + " there is " + name(bytes) + ", appended was "
                        + (expected == null ? "nothing" : name(expected)));
            }
        });
        if (owedEnd <= owedFrom) {
            return;
        }
        final Long first = allowed.floorKey(owedFrom);
        allowed.subMap(first == null ? owedFrom : first, owedEnd).forEach((offset, bytes) -> {
            if (lastOffset(bytes) >= owedFrom && !found.containsKey(offset)) {
                throw new AssertionError("forced are the offsets " + owedFrom + " to " + owedEnd + ", but the batch at "
                        + offset + " is missing; found are " + found.keySet());
            }
        });
    }

    static long lastOffset(final byte[] batch) {
        return new RecordBatchFlyweight().wrap(new UnsafeBuffer(batch), 0).lastOffset();
    }

    private static String name(final byte[] bytes) {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(new UnsafeBuffer(bytes), 0);
        return "a batch of " + batch.sizeInBytes() + " bytes up to offset " + batch.lastOffset() + " with checksum "
                + Long.toHexString(batch.crc()) + " and epoch " + batch.partitionLeaderEpoch();
    }
}
