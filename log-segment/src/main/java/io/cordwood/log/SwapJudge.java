package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchHeader;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import org.jspecify.annotations.Nullable;

/**
 * Judges whole swaps before anything goes for them. Base offsets lie outside the checksums, and so each batch of a swap is held
 * against those it was cleaned from, as far as these are still there: an interrupted swap has deleted some of them, never one
 * behind which no other segment follows.
 */
final class SwapJudge implements AutoCloseable {
    private static final int CHUNK_BYTES = 1 << 20;

    private final Storage storage;
    private final String directory;

    /** Base offsets of the segments that are listed, ascending. */
    private final long[] bases;

    private final BatchValidator validator = new BatchValidator(Codecs.standard());
    private final BatchScan swap = new BatchScan(CHUNK_BYTES, validator);
    private final BatchValidator oldValidator = new BatchValidator(Codecs.standard());
    private final BatchScan old = new BatchScan(CHUNK_BYTES, oldValidator);

    private @Nullable StorageFile oldFile;
    private int oldIndex;
    private long oldLast;
    private boolean isOldAtEnd;

    private long acceptedBase = -1;
    private long acceptedEnd = -1;
    private String reason = "";

    SwapJudge(final Storage storage, final String directory, final long[] bases) {
        this.storage = storage;
        this.directory = directory;
        this.bases = bases;
    }

    /**
     * Judges the next swap; their bases ascend.
     *
     * @return the offset behind its last batch, or -1 if it is to be left alone; {@link #reason} then says why.
     */
    long judge(final long base) {
        final int floor = floor(base);
        final long end = isBehindOthers(base, floor) ? walk(base, floor) : -1;
        if (end < 0) {
            return -1;
        }
        final long last = bases.length == 0 ? -1 : bases[bases.length - 1];
        if (last > base && last < end) {
            return refused("it reaches into the last segment, " + last + ", which no cleaner takes");
        }
        acceptedBase = base;
        acceptedEnd = end;
        return end;
    }

    /** Why the last swap is not to be believed. */
    String reason() {
        return reason;
    }

    private long refused(final String why) {
        reason = why;
        return -1;
    }

    /** Index of the listed segment in which an offset lies; -1 if they all begin behind it. */
    private int floor(final long offset) {
        int index = bases.length - 1;
        while (index >= 0 && bases[index] > offset) {
            index--;
        }
        return index;
    }

    /** A swap that begins where no segment does must not overlap what comes before it. */
    private boolean isBehindOthers(final long base, final int floor) {
        if (base < acceptedEnd) {
            refused("it begins in front of " + acceptedEnd + ", where the swap before it ends");
            return false;
        }
        if (floor < 0 || bases[floor] == base || bases[floor] == acceptedBase) {
            return true;
        }
        openOld(floor);
        advanceOld(base);
        if (oldLast >= base) {
            refused("the segment " + bases[floor] + " has offsets up to " + oldLast + " and more");
            return false;
        }
        return true;
    }

    private long walk(final long base, final int floor) {
        final String path = LogFiles.path(directory, LogFiles.name(base, LogFiles.LOG) + LogFiles.SWAP);
        closeOld();
        oldIndex = floor - 1;
        long end = base;
        try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
            swap.start(file, 0, file.length());
            while (swap.next()) {
                final BatchHeader header = swap.header();
                final long first = header.baseOffset();
                final long last = header.lastOffset();
                if (first < end || last < first || last - base > Integer.MAX_VALUE || last > LogFiles.BASE_MAX) {
                    return refused("offsets " + first + " to " + last + " at position " + swap.position() + ", where "
                            + end + " or more is due");
                }
                if (!isOfOld(base, last, header.magic())) {
                    return refused("the segments that it would replace have no batch that ends with offset " + last);
                }
                end = last + 1;
            }
            final String damage = swap.damage();
            if (damage != null) {
                return refused("damage at position " + swap.position() + ": " + damage);
            }
        } finally {
            swap.release();
            closeOld();
        }
        return end > base ? end : refused("it holds no batch, and nothing says what it would replace");
    }

    /** Whether the old segments have a batch with that last offset, or may have had it where one of them is gone. */
    private boolean isOfOld(final long base, final long last, final byte magic) {
        final int holder = floor(last);
        if (holder < 0) {
            return true;
        }
        if (holder != oldIndex || oldFile == null) {
            openOld(holder);
        }
        advanceOld(last);
        if (oldLast >= last) {
            // A wrapper of the old formats ends lower when its last record went.
            return oldLast == last || magic < RecordBatchDescriptor.MAGIC_V2;
        }
        return old.damage() != null || holder + 1 < bases.length || bases[holder] < base;
    }

    private void openOld(final int index) {
        closeOld();
        oldIndex = index;
        oldLast = -1;
        isOldAtEnd = false;
        final StorageFile file = storage.open(LogFiles.path(directory, bases[index], LogFiles.LOG), FileUse.READ, 0);
        oldFile = file;
        old.start(file, 0, file.length());
    }

    private void advanceOld(final long offset) {
        while (!isOldAtEnd && oldLast < offset) {
            if (old.next()) {
                oldLast = old.header().lastOffset();
            } else {
                isOldAtEnd = true;
            }
        }
    }

    private void closeOld() {
        old.release();
        final StorageFile file = oldFile;
        oldFile = null;
        if (file != null) {
            file.close();
        }
    }

    @Override
    public void close() {
        closeOld();
        swap.close();
        old.close();
        validator.close();
        oldValidator.close();
    }
}
