package io.cordwood.index;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.util.Arrays;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * What an index file holds, for people and for checks: its entries as they lie there, in order or not, and what Kafka's own check
 * would say of them. Reads the file once, piece by piece, and keeps a copy; never writes.
 */
public final class IndexDump {
    /** A multiple of both entry sizes. */
    private static final int PIECE_BYTES = 8 * 12 * 512;

    private final EntryKind kind;
    private final long baseOffset;
    private final long sizeInBytes;
    private long[] fields = {};
    private int entries;
    private int unusedEntries;

    private IndexDump(final EntryKind kind, final StorageFile file, final long baseOffset) {
        this.kind = kind;
        this.baseOffset = baseOffset;
        this.sizeInBytes = file.length();
        try (FileView view = new FileView()) {
            final long end = sizeInBytes - sizeInBytes % kind.bytes();
            long position = 0;
            while (position < end) {
                final int wanted = (int) Math.min(PIECE_BYTES, end - position);
                final int shown = view.show(file, position, wanted) / kind.bytes();
                if (shown == 0) {
                    break;
                }
                for (int entry = 0; entry < shown; entry++) {
                    take(view.buffer(), entry);
                }
                position += (long) shown * kind.bytes();
            }
        }
    }

    /**
     * Reads an offset index.
     *
     * @param file opened for reading.
     * @param baseOffset of the segment.
     * @return what it holds.
     * @throws io.cordwood.log.store.StorageException if it cannot be read.
     */
    public static IndexDump ofOffsets(final StorageFile file, final long baseOffset) {
        return new IndexDump(EntryKind.OFFSET, file, baseOffset);
    }

    /**
     * Reads a time index.
     *
     * @param file opened for reading.
     * @param baseOffset of the segment.
     * @return what it holds.
     * @throws io.cordwood.log.store.StorageException if it cannot be read.
     */
    public static IndexDump ofTimes(final StorageFile file, final long baseOffset) {
        return new IndexDump(EntryKind.TIME, file, baseOffset);
    }

    /**
     * Length of the file.
     *
     * @return bytes.
     */
    public long sizeInBytes() {
        return sizeInBytes;
    }

    /**
     * Entries up to the last one that is not all zeros.
     *
     * @return their number.
     */
    public int entries() {
        return entries;
    }

    /**
     * Entries of zeros at the end: the rest of a preallocated file.
     *
     * @return their number.
     */
    public int unusedEntries() {
        return unusedEntries;
    }

    /**
     * What an entry is found by.
     *
     * @param entry from 0 to {@link #entries} less 1.
     * @return the absolute last offset of a batch, of a time index the timestamp in milliseconds.
     */
    public long key(final int entry) {
        return fields[2 * entry];
    }

    /**
     * What an entry leads to.
     *
     * @param entry from 0 to {@link #entries} less 1.
     * @return the position of a batch in the segment's file, of a time index the absolute offset.
     */
    public long value(final int entry) {
        return fields[2 * entry + 1];
    }

    /**
     * What Kafka's check of an index file complains of when it opens one. It looks at the size and at the last entry only, be
     * that padding or not: it passes a padded offset index and finds most padded time indexes corrupt.
     *
     * @return the complaint, or null if Kafka has none.
     */
    public @Nullable String complaint() {
        final long rest = sizeInBytes % kind.bytes();
        final boolean isEmpty = entries + unusedEntries == 0;
        if (!isEmpty && lastOffset() < baseOffset) {
            return "the last offset " + lastOffset() + " is below the base offset " + baseOffset;
        }
        if (!isEmpty && kind == EntryKind.TIME && lastTimestamp() < firstTimestamp()) {
            return "the last timestamp " + lastTimestamp() + " is below the first " + firstTimestamp();
        }
        return rest == 0 ? null : "the size " + sizeInBytes + " is no multiple of " + kind.bytes();
    }

    private long lastOffset() {
        if (unusedEntries > 0) {
            return baseOffset;
        }
        return kind == EntryKind.OFFSET ? key(entries - 1) : value(entries - 1);
    }

    private long firstTimestamp() {
        return entries == 0 ? 0 : key(0);
    }

    private long lastTimestamp() {
        return unusedEntries > 0 ? 0 : key(entries - 1);
    }

    private void take(final DirectBuffer buffer, final int entry) {
        final long key = kind == EntryKind.OFFSET
                ? baseOffset + OffsetIndexDescriptor.relativeOffset(buffer, entry)
                : TimeIndexDescriptor.timestamp(buffer, entry);
        final long value = kind == EntryKind.OFFSET
                ? OffsetIndexDescriptor.position(buffer, entry)
                : baseOffset + TimeIndexDescriptor.relativeOffset(buffer, entry);
        final boolean isZero =
                kind == EntryKind.OFFSET ? key == baseOffset && value == 0 : key == 0 && value == baseOffset;
        if (isZero) {
            unusedEntries++;
            return;
        }
        // Zeros that something follows are entries after all.
        for (; unusedEntries > 0; unusedEntries--) {
            put(kind == EntryKind.OFFSET ? baseOffset : 0, kind == EntryKind.OFFSET ? 0 : baseOffset);
        }
        put(key, value);
    }

    private void put(final long key, final long value) {
        if (2 * entries == fields.length) {
            fields = Arrays.copyOf(fields, Math.max(64, 2 * fields.length));
        }
        fields[2 * entries] = key;
        fields[2 * entries + 1] = value;
        entries++;
    }
}
