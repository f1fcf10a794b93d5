package io.cordwood.inspector;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** The bytes of one file of a {@link DryStorage}: as many of the disk's as are kept, and behind them what was appended. */
final class DryContent {
    private static final int FIRST_BYTES = 4096;
    private static final long UNKNOWN = -1;

    private final String name;
    private final @Nullable StorageFile below;
    private final FileView view = new FileView();

    /** Unknown until somebody asks: a file for reading need not be there before. */
    private long kept;

    private byte[] tail = {};
    private int tailBytes;
    private boolean isChanged;
    private final LongSupplier clock;
    private long modifiedMs;

    private DryContent(
            final String name, final @Nullable StorageFile below, final long kept, final LongSupplier clock) {
        this.clock = clock;
        this.modifiedMs = clock.getAsLong();
        this.name = name;
        this.below = below;
        this.kept = kept;
    }

    static DryContent empty(final String name, final LongSupplier clock) {
        final DryContent content = new DryContent(name, null, 0, clock);
        content.isChanged = true;
        return content;
    }

    static DryContent onDisk(final String name, final StorageFile below, final LongSupplier clock) {
        return new DryContent(name, below, UNKNOWN, clock);
    }

    /** What the file was called on the disk, for messages. */
    String name() {
        return name;
    }

    /** Whether the disk tells something else of this name. */
    boolean isChanged() {
        return isChanged;
    }

    long modifiedMs() {
        return modifiedMs;
    }

    /** The file has another name now, and is as old as before. */
    void renamed(final long asOldAsMs) {
        isChanged = true;
        modifiedMs = asOldAsMs;
    }

    long length() {
        return kept() + tailBytes;
    }

    private long kept() {
        if (kept == UNKNOWN && below != null) {
            kept = below.length();
        }
        return kept;
    }

    void append(final byte[] bytes, final int length) {
        final int needed = Math.addExact(tailBytes, length);
        if (needed > tail.length) {
            tail = Arrays.copyOf(
                    tail, (int) Math.max(Math.max(FIRST_BYTES, needed), Math.min(2L * tail.length, 1 << 30)));
        }
        System.arraycopy(bytes, 0, tail, tailBytes, length);
        tailBytes = needed;
        changed();
    }

    void truncate(final long length) {
        if (length < 0 || length > length()) {
            throw new IllegalArgumentException(name + " of " + length() + " bytes cut to " + length);
        }
        if (length < length()) {
            tailBytes = (int) Math.max(0, length - kept());
            kept = Math.min(kept(), length);
            changed();
        }
    }

    private void changed() {
        isChanged = true;
        modifiedMs = clock.getAsLong();
    }

    int view(final long position, final int length, final FileView target) {
        if (position < 0 || length < 0 || position > length()) {
            throw new IllegalArgumentException(
                    name + " of " + length() + " bytes: " + length + " bytes read at " + position);
        }
        final int there = (int) Math.min(length, length() - position);
        if (below != null && position + there <= kept()) {
            return below.view(position, there, target);
        }
        final ByteBuffer copy = target.showCopy(there);
        final int fromDisk = (int) Math.max(0, kept() - position);
        if (below != null && fromDisk > 0) {
            below.view(position, fromDisk, view);
            view.buffer().getBytes(0, copy, fromDisk);
        }
        copy.put(tail, (int) Math.max(0, position - kept()), there - fromDisk);
        return there;
    }

    void close() {
        view.close();
        if (below != null) {
            below.close();
        }
    }
}
