package io.cordwood.testkit;

import io.cordwood.log.TruncationGuard;
import io.cordwood.log.record.RecordBatchFlyweight;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * What one log may hold and what it must hold, at each moment of its life: a batch may be there from before its append until its
 * truncation is durable, and must be there, byte for byte, from the force that covers it until somebody begins to take it back; after
 * the death of a process alone, from when it was published.
 * A test tells it what it does to the log, and {@link LogExam} holds it against a log that was opened after a crash:
 *
 * <pre>
 *   log.append              history.appending(batch ...)      before
 *   log.publish             history.published(end)            after
 *   log.flush               history.forced(end)               after
 *   log.retain              history.droppingBelow(end)        before,   keptFrom(log.startOffset())  after
 *   log.deletePrefix        history.droppingBelow(offset)     before,   keptFrom(log.startOffset())  after
 *   log.truncateTo          history.cuttingTo(offset)         before,   cutTo(end)                   after
 *   truncateFullyAndStartAt history.startingAnew()            before,   startedAt(offset)            after
 *   a clean close           history.forced(nextOffset())      after
 *   a power cut             history.powerGoes()               before,   LogExam.goOn(log, history)           after the open
 *   the process dies        LogExam.goOnAfterKill(log, history)                                              after the open
 * </pre>
 *
 * <p>So it is true between any two acts on the disk, where a {@link CrashExplorer} cuts the power, and is what a {@link CrashScenario}
 * needs for its {@link CrashScenario#promises}. It is a {@link TruncationGuard} too: the owner of the {@link #recoveryPoint}, which a
 * truncation lowers first.
 *
 * <p>One thread's. Memory: all batches that the log may hold. Each call but {@link #cutTo} and {@link #found} takes logarithmic time.
 */
public final class LogHistory implements TruncationGuard {
    private static final int EPOCH_AT = 12;

    private final NavigableMap<Long, byte[]> allowed = new TreeMap<>();

    private final KnownGaps gaps = new KnownGaps();

    private long nextOffset;
    private long owedFrom;

    /** What was owed before somebody began to drop: what is below was dropped earlier, and is not owed if a crash brings it back. */
    private long keptLeast;

    /** Whether nobody has said yet how far the last dropping went, which may have been tried again. */
    private boolean isDropping;

    private long owedEnd;
    private long publishedEnd;
    private long recoveryPoint;
    private long pointMost;
    private long promises;

    /** Where the log ended in a batch that is gone, and the base of that: until the start there is durable, a crash may end the log so. */
    private long bareEnd = -1;

    private long bareEndLeast;

    /** A history that begins with an empty log at offset 0. */
    public LogHistory() {}

    /**
     * Notes a batch that is about to be appended.
     *
     * @param stored all bytes of it as the log will have them, with its offset and leader epoch; not copied.
     */
    public void appending(final byte[] stored) {
        final RecordBatchFlyweight batch = batch(stored);
        if (batch.baseOffset() < nextOffset) {
            throw new IllegalArgumentException(
                    "a batch at offset " + batch.baseOffset() + ", but the next is " + nextOffset);
        }
        final var before = allowed.lastEntry();
        if (before != null && batch.baseOffset() > lastOffset(before.getValue()) + 1) {
            gaps.appended(lastOffset(before.getValue()) + 1, batch.baseOffset());
        }
        allowed.put(batch.baseOffset(), stored);
        nextOffset = batch.lastOffset() + 1;
    }

    /**
     * Notes a batch of a client that is about to be appended, to which the log gives nothing but an offset, the next, and a leader
     * epoch: one without a compression, timestamps or a format that the log's settings would change.
     *
     * @param buffer that holds the batch.
     * @param index of its first byte.
     * @param length of it in bytes.
     * @param leaderEpoch that it is appended with.
     * @return the batch as the log will have it.
     */
    public byte[] appending(final DirectBuffer buffer, final int index, final int length, final int leaderEpoch) {
        final UnsafeBuffer stored = new UnsafeBuffer(new byte[length]);
        stored.putBytes(0, buffer, index, length);
        stored.putLong(0, nextOffset, ByteOrder.BIG_ENDIAN);
        stored.putInt(EPOCH_AT, leaderEpoch, ByteOrder.BIG_ENDIAN);
        appending(stored.byteArray());
        return stored.byteArray();
    }

    /**
     * The offset that the next batch gets.
     *
     * @return at least 0.
     */
    public long nextOffset() {
        return nextOffset;
    }

    /**
     * Notes an acknowledgement from the page cache: everything below is there if the process dies and the machine does not.
     *
     * @param end what the publication returned.
     * @throws IllegalArgumentException if it lies above all that was ever appended, or is a refusal.
     */
    public void published(final long end) {
        refuseOutside(end, nextOffset, "published");
        publishedEnd = Math.max(publishedEnd, end);
    }

    /** Notes that the power is about to go: what was published and not forced is not owed any more. */
    public void powerGoes() {
        publishedEnd = Math.min(publishedEnd, owedEnd);
    }

    /**
     * Notes an acknowledgement: everything below was forced.
     *
     * @param end what the force returned.
     * @throws IllegalArgumentException if it lies above all that was ever appended.
     */
    public void forced(final long end) {
        refuseOutside(end, nextOffset, "forced");
        owedEnd = Math.max(owedEnd, end);
        published(end);
        recoveryPoint = end;
        pointMost = owedEnd;
        promises++;
    }

    /**
     * Notes that what lies below may go from now on, and may stay: a retention or a deletion of a prefix begins.
     *
     * @param offset the most up to which may be dropped.
     * @throws IllegalArgumentException if it lies above all that was ever appended.
     */
    public void droppingBelow(final long offset) {
        refuseOutside(offset, nextOffset, "dropped");
        if (!isDropping) {
            keptLeast = owedFrom;
            isDropping = true;
        }
        owedFrom = Math.max(owedFrom, offset);
        promises++;
    }

    /**
     * Notes that less has gone than could have: what lies at or above the offset was there all the time. What was dropped before that is
     * not owed again, if a crash has brought it back.
     *
     * @param offset where the log starts now.
     */
    public void keptFrom(final long offset) {
        refuseOutside(offset, nextOffset, "kept");
        owedFrom = Math.max(keptLeast, offset);
        keptLeast = owedFrom;
        isDropping = false;
        promises++;
    }

    /**
     * The same where a failing disk has made it unclear what is owed.
     *
     * @param offset where the log starts now.
     * @param forcedEnd up to where everything from there on was forced.
     */
    public void keptFrom(final long offset, final long forcedEnd) {
        refuseOutside(forcedEnd, nextOffset, "forced");
        keptFrom(offset);
        owedEnd = Math.max(offset, forcedEnd);
    }

    /**
     * Notes that what lies at or above may go from now on, and the whole batch that holds the offset: a truncation begins.
     *
     * @param offset to truncate to.
     */
    public void cuttingTo(final long offset) {
        refuseOutside(offset, Long.MAX_VALUE, "cut");
        final var cut = allowed.floorEntry(offset - 1);
        final long end = cut != null && lastOffset(cut.getValue()) >= offset ? cut.getKey() : offset;
        owedEnd = Math.min(owedEnd, end);
        publishedEnd = Math.min(publishedEnd, end);
        lowered(end);
    }

    /**
     * Notes that the truncation is durable: nothing that was cut may come back.
     *
     * @param end of the log now, as it returned.
     * @throws IllegalArgumentException if it lies above all that was ever appended, or within a batch that it should have taken whole.
     */
    public void cutTo(final long end) {
        refuseOutside(end, nextOffset, "cut");
        final var cut = allowed.lowerEntry(end);
        if (cut != null && lastOffset(cut.getValue()) >= end) {
            if (end > owedFrom) {
                throw new IllegalArgumentException("cut is at " + end + ", within the batch at " + cut.getKey());
            }
            // Where the log ends at its start, the whole batch around that has gone.
            allowed.remove(cut.getKey());
            bareEnd = end;
            bareEndLeast = cut.getKey();
        }
        allowed.tailMap(end).clear();
        gaps.cutTo(end);
        nextOffset = end;
        pointMost = Math.min(pointMost, end);
        promises++;
    }

    /** Notes that all may go, and the log begin elsewhere. */
    public void startingAnew() {
        owedFrom = 0;
        keptLeast = 0;
        owedEnd = 0;
        publishedEnd = 0;
        lowered(0);
    }

    /**
     * Notes that all has gone, durably.
     *
     * @param offset where the log begins now.
     */
    public void startedAt(final long offset) {
        refuseOutside(offset, Long.MAX_VALUE, "begun anew");
        allowed.clear();
        nextOffset = offset;
        owedFrom = offset;
        keptLeast = offset;
        isDropping = false;
        gaps.clear();
        owedEnd = offset;
        bareEnd = -1;
        publishedEnd = offset;
        recoveryPoint = offset;
        pointMost = offset;
        promises++;
    }

    /** Lowers the recovery point, if it is higher; never refuses. */
    @Override
    public boolean lowered(final long endOffset) {
        recoveryPoint = Math.min(recoveryPoint, endOffset);
        promises++;
        return true;
    }

    /**
     * Takes what was found after a crash for what was left: what is not there any more must not come back. What is owed stays owed.
     *
     * @param found all batches by their base offsets.
     * @param end of the log.
     */
    public void found(final NavigableMap<Long, byte[]> found, final long end) {
        allowed.keySet().retainAll(found.keySet());
        gaps.found(found, owedFrom, end);
        nextOffset = end;
        publishedEnd = end;
        promises++;
    }

    /**
     * Whether it is known that an offset is missing.
     *
     * @param offset of a hole; one hole may begin anew with each of the empty segments in it.
     * @return true if {@link #found} was told of the hole, or the batches around were appended so.
     */
    public boolean isGap(final long offset) {
        return gaps.isKnown(offset);
    }

    /**
     * Whether no batch was appended that has one of some offsets, but one before them and one behind: so a leader's compacted log comes to a
     * replica.
     *
     * @param from first offset that may be missing.
     * @param to offset behind the last.
     * @return true if they must be missing.
     */
    public boolean isAppendedGap(final long from, final long to) {
        return gaps.isAppended(from, to);
    }

    /**
     * Whether offsets are missing between batches as they were appended.
     *
     * @return true if there is any such gap now.
     */
    public boolean hasAppendedGaps() {
        return gaps.hasAppended();
    }

    /**
     * First offset that must be there.
     *
     * @return the offset; nothing is owed if it is not below {@link #owedEnd}.
     */
    public long owedFrom() {
        return owedFrom;
    }

    /**
     * Up to where everything must be there.
     *
     * @return the offset behind.
     */
    public long owedEnd() {
        return owedEnd;
    }

    /**
     * Where the log must end at least: {@link #owedEnd}, unless its last act was a truncation to a start within a batch. That is gone, and
     * nothing on the disk tells of its last offsets but a start that is made durable when its owner likes.
     *
     * @return the offset.
     */
    public long endLeast() {
        return owedEnd == bareEnd ? bareEndLeast : owedEnd;
    }

    /**
     * The most that a recovery point which somebody keeps may say now: up to there all was forced once, and only somebody who takes it back may
     * have let it go.
     *
     * @return the offset.
     */
    public long pointMost() {
        return pointMost;
    }

    /**
     * The recovery point with which the log is opened after a crash.
     *
     * @return the offset.
     */
    public long recoveryPoint() {
        return recoveryPoint;
    }

    /**
     * For {@link CrashScenario#promises}.
     *
     * @return a number that grows with each promise that is made or taken back.
     */
    public long promises() {
        return promises;
    }

    /**
     * Throws if batches are missing that are owed, or there that must not be, or other than they were appended.
     *
     * @param found all batches of the log, by their base offsets, as {@link LogContents} reads them.
     * @throws AssertionError with what was expected and what was found.
     */
    public void require(final NavigableMap<Long, byte[]> found) {
        found.forEach((offset, bytes) -> {
            final byte[] expected = allowed.get(offset);
            if (!Arrays.equals(bytes, expected)) {
                throw new AssertionError("at offset " + offset + " there is " + name(bytes) + ", appended was "
                        + (expected == null ? "nothing" : name(expected)));
            }
        });
        requireUpTo(owedEnd, "forced", found);
    }

    /**
     * Throws if batches are missing that were published: after the death of a process they are all there.
     *
     * @param found all batches of the log, by their base offsets, as {@link LogContents} reads them.
     * @throws AssertionError with what was expected and what was found.
     */
    public void requirePublished(final NavigableMap<Long, byte[]> found) {
        requireUpTo(publishedEnd, "published", found);
    }

    private void requireUpTo(final long end, final String how, final NavigableMap<Long, byte[]> found) {
        if (end <= owedFrom) {
            return;
        }
        final Long first = allowed.floorKey(owedFrom);
        allowed.subMap(first == null ? owedFrom : first, end).forEach((offset, bytes) -> {
            if (lastOffset(bytes) >= owedFrom && !found.containsKey(offset)) {
                throw new AssertionError(how + " are the offsets " + owedFrom + " to " + end + ", but the batch at "
                        + offset + " is missing; found are " + found.keySet());
            }
        });
    }

    private static void refuseOutside(final long offset, final long most, final String what) {
        if (offset < 0 || offset > most) {
            throw new IllegalArgumentException(
                    what + " is at " + offset + (offset < 0 ? "" : ", but the log never went further than " + most));
        }
    }

    static long lastOffset(final byte[] stored) {
        return batch(stored).lastOffset();
    }

    static RecordBatchFlyweight batch(final byte[] stored) {
        return new RecordBatchFlyweight().wrap(new UnsafeBuffer(stored), 0);
    }

    private static String name(final byte[] stored) {
        final RecordBatchFlyweight batch = batch(stored);
        return "a batch of " + batch.sizeInBytes() + " bytes up to offset " + batch.lastOffset() + " with checksum "
                + Long.toHexString(batch.crc()) + " and epoch " + batch.partitionLeaderEpoch() + ", hash "
                + Integer.toHexString(Arrays.hashCode(stored));
    }
}
