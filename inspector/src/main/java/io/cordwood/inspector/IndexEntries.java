package io.cordwood.inspector;

import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.IOException;

/**
 * Walks the entries of one index file in bounded memory. Zero entries at the end are the rest of a preallocated file: they are
 * counted, not shown. A file that is gone meanwhile has no entries.
 */
final class IndexEntries {
    /** Takes one entry: offset and position, or timestamp and offset; both absolute. */
    @FunctionalInterface
    interface Visitor {
        void entry(long first, long second) throws IOException;
    }

    private static final int OFFSET_ENTRY_BYTES = 8;
    private static final int TIME_ENTRY_BYTES = 12;
    private static final int ENTRIES_AT_ONCE = 16 * 1024;

    private final long baseOffset;
    private final boolean isTime;
    private long entries;
    private long unused;
    private long firstTimestamp;
    private long lastTimestamp;
    private long lastOffset;
    private long size;
    private String readError = "";

    private IndexEntries(final long baseOffset, final boolean isTime) {
        this.baseOffset = baseOffset;
        this.isTime = isTime;
    }

    static IndexEntries walkOffsets(
            final Storage storage, final String path, final long size, final long baseOffset, final Visitor visitor)
            throws IOException {
        return new IndexEntries(baseOffset, false).walk(storage, path, size, visitor);
    }

    static IndexEntries walkTimes(
            final Storage storage, final String path, final long size, final long baseOffset, final Visitor visitor)
            throws IOException {
        return new IndexEntries(baseOffset, true).walk(storage, path, size, visitor);
    }

    private IndexEntries walk(final Storage storage, final String path, final long bytes, final Visitor visitor)
            throws IOException {
        size = bytes;
        final int entryBytes = entryBytes();
        final long whole = bytes - bytes % entryBytes;
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            for (long position = 0; position < whole; ) {
                final int wanted = (int) Math.min(whole - position, (long) ENTRIES_AT_ONCE * entryBytes);
                final int shown = view.show(file, position, wanted);
                for (int index = 0; index + entryBytes <= shown; index += entryBytes) {
                    entry(view, index, visitor);
                }
                position += shown;
                if (shown < wanted) {
                    break;
                }
            }
        } catch (final StorageException e) {
            if (!PartitionFiles.isGone(storage, path)) {
                readError = String.valueOf(e.getMessage());
            }
        }
        return this;
    }

    private void entry(final FileView view, final int index, final Visitor visitor) throws IOException {
        final long first;
        final int second;
        if (isTime) {
            first = view.buffer().getLong(index, BIG_ENDIAN);
            second = view.buffer().getInt(index + Long.BYTES, BIG_ENDIAN);
        } else {
            first = view.buffer().getInt(index, BIG_ENDIAN);
            second = view.buffer().getInt(index + Integer.BYTES, BIG_ENDIAN);
        }
        if (entries + unused == 0) {
            firstTimestamp = first;
        }
        lastTimestamp = first;
        lastOffset = baseOffset + (isTime ? second : first);
        if (first == 0 && second == 0) {
            unused++;
            return;
        }
        for (; unused > 0; unused--, entries++) {
            visitor.entry(isTime ? 0 : baseOffset, isTime ? baseOffset : 0);
        }
        visitor.entry(isTime ? first : lastOffset, isTime ? lastOffset : second);
        entries++;
    }

    private int entryBytes() {
        return isTime ? TIME_ENTRY_BYTES : OFFSET_ENTRY_BYTES;
    }

    /** Why the file could not be read to its end; empty if it was. */
    String readError() {
        return readError;
    }

    /** Entries that were shown. */
    long entries() {
        return entries;
    }

    /** Whole zero entries behind them. */
    long unused() {
        return unused;
    }

    /**
     * What Kafka's own check says on opening the file: a look at the first and the last entry and at the size. It takes the
     * zeros of a preallocated file for entries; a time index of a log that was not closed does not pass.
     *
     * @return "ok", or what it objects to; empty for an empty file, which is not checked.
     */
    String sanity() {
        if (size == 0 || !readError.isEmpty()) {
            return "";
        }
        if (entries + unused > 0 && isTime && lastTimestamp < firstTimestamp) {
            return "the last timestamp is " + lastTimestamp + ", which is less than the first, " + firstTimestamp;
        }
        if (entries + unused > 0 && lastOffset < baseOffset) {
            return "the last offset is " + lastOffset + ", which is less than the segment's base offset, " + baseOffset;
        }
        return size % entryBytes() == 0 ? "ok" : size + " bytes are no multiple of " + entryBytes();
    }
}
