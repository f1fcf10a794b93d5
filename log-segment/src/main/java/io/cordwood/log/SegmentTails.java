package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteOrder;
import java.util.List;
import org.agrona.DirectBuffer;

/**
 * Cuts the files that lie beside the segments and speak of offsets which a truncation takes away: producer snapshots and
 * aborted-transaction indexes. A log does so whether or not the module that writes them is there, because Kafka believes what
 * they say.
 */
final class SegmentTails {
    // Kafka's .txnindex entry: version 2, producer id 8, first offset 8, last offset 8, last stable offset 8.
    private static final int TXN_ENTRY_BYTES = 34;
    private static final int TXN_FIRST_OFFSET = 10;
    private static final int TXN_LAST_OFFSET = 18;
    private static final short TXN_VERSION = 0;

    private SegmentTails() {}

    /**
     * Whether something beside the segments speaks of offsets at or above an end, which is lower than it was once: a file by
     * its name, or the last entry of the last {@code .txnindex}. An earlier one speaks only of its own segment, which ends
     * below.
     *
     * @param storage of the log.
     * @param directory of the log.
     * @param files what lies there.
     * @param endOffset the log ends here.
     * @return true if {@link #cut} has work.
     */
    static boolean areBehind(
            final Storage storage, final String directory, final List<FileStatus> files, final long endOffset) {
        FileStatus lastTxnIndex = null;
        for (final FileStatus status : files) {
            final long base = LogFiles.offset(status.name(), LogFiles.TXN_INDEX);
            if (LogFiles.offset(status.name(), LogFiles.SNAPSHOT) > endOffset
                    || base > endOffset
                    || (base == endOffset && status.length() > 0)) {
                return true;
            }
            lastTxnIndex = base >= 0 && status.length() > 0 ? status : lastTxnIndex;
        }
        return lastTxnIndex != null
                && endsBehind(storage, LogFiles.path(directory, lastTxnIndex.name()), lastTxnIndex.length(), endOffset);
    }

    /** Whether the last whole entry is one that can be read, and speaks of an offset at or above an end. */
    private static boolean endsBehind(
            final Storage storage, final String path, final long length, final long endOffset) {
        final long position = length - length % TXN_ENTRY_BYTES - TXN_ENTRY_BYTES;
        if (position < 0) {
            return false;
        }
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final int shown = view.show(file, position, TXN_ENTRY_BYTES);
            final DirectBuffer entry = view.buffer();
            return shown == TXN_ENTRY_BYTES
                    && entry.getShort(0, ByteOrder.BIG_ENDIAN) == TXN_VERSION
                    && entry.getLong(TXN_LAST_OFFSET, ByteOrder.BIG_ENDIAN) >= endOffset;
        }
    }

    /**
     * Removes what speaks of offsets at or above an end.
     *
     * @param storage of the log.
     * @param directory of the log.
     * @param endOffset the log ends here now.
     */
    static void cut(final Storage storage, final String directory, final long endOffset) {
        final List<FileStatus> files = storage.list(directory);
        for (final FileStatus status : files) {
            final String path = LogFiles.path(directory, status.name());
            if (LogFiles.offset(status.name(), LogFiles.SNAPSHOT) > endOffset) {
                storage.delete(path);
            }
            final long base = LogFiles.offset(status.name(), LogFiles.TXN_INDEX);
            if (base >= endOffset) {
                storage.delete(path);
            } else if (base >= 0 && status.length() > 0) {
                cutTxnIndex(storage, path, status.length(), endOffset);
            }
        }
    }

    /** Removes all such files, when a log begins anew. */
    static void removeAll(final Storage storage, final String directory) {
        for (final FileStatus status : storage.list(directory)) {
            if (LogFiles.offset(status.name(), LogFiles.SNAPSHOT) >= 0
                    || LogFiles.offset(status.name(), LogFiles.TXN_INDEX) >= 0) {
                storage.delete(LogFiles.path(directory, status.name()));
            }
        }
    }

    /** Whether a file holds entries of aborted transactions that a segment can have, and nothing else. */
    static boolean isTxnIndex(final Storage storage, final String path, final long base) {
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final long length = file.length();
            long last = base;
            for (long at = 0; at < length; at += TXN_ENTRY_BYTES) {
                final int shown = view.show(file, at, TXN_ENTRY_BYTES);
                final DirectBuffer entry = view.buffer();
                if (shown < TXN_ENTRY_BYTES
                        || entry.getShort(0, ByteOrder.BIG_ENDIAN) != TXN_VERSION
                        || entry.getLong(TXN_FIRST_OFFSET, ByteOrder.BIG_ENDIAN)
                                > entry.getLong(TXN_LAST_OFFSET, ByteOrder.BIG_ENDIAN)
                        || entry.getLong(TXN_LAST_OFFSET, ByteOrder.BIG_ENDIAN) < last) {
                    return false;
                }
                last = entry.getLong(TXN_LAST_OFFSET, ByteOrder.BIG_ENDIAN);
            }
            return last - base <= Integer.MAX_VALUE;
        }
    }

    /** Removes the entries whose last offset is at or above an end. */
    static void cutTxnIndex(final Storage storage, final String path, final long length, final long endOffset) {
        final long kept = txnBytesBelow(storage, path, length, endOffset);
        if (kept < length) {
            try (StorageFile file = storage.open(path, FileUse.APPEND, 0)) {
                file.truncate(kept);
                file.force();
            }
        }
    }

    /** Bytes of the entries whose last offset is below an end. */
    static long txnBytesBelow(final Storage storage, final String path, final long length, final long endOffset) {
        long kept = length - length % TXN_ENTRY_BYTES;
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            // Entries ascend by last offset, and a truncation takes few of them away.
            while (kept > 0) {
                final int shown = view.show(file, kept - TXN_ENTRY_BYTES, TXN_ENTRY_BYTES);
                final DirectBuffer entry = view.buffer();
                if (shown == TXN_ENTRY_BYTES && entry.getLong(TXN_LAST_OFFSET, ByteOrder.BIG_ENDIAN) < endOffset) {
                    break;
                }
                kept -= TXN_ENTRY_BYTES;
            }
        }
        return kept;
    }
}
