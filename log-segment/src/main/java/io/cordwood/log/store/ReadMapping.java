package io.cordwood.log.store;

import org.jspecify.annotations.Nullable;

/**
 * A file in memory for its readers, as one piece. Mapped at the first look; while nobody looks it may be unmapped, and the next
 * look maps it again.
 */
final class ReadMapping extends RecentSet.Entry implements AutoCloseable {
    private static final long AHEAD_UNIT = 16 << 20;

    private final OpenFiles files;
    private final Place place;
    private final boolean isGrowing;
    private volatile @Nullable Mapping mapping;
    private volatile boolean isClosed;

    /** Of a growing file more is mapped than there is: whoever looks keeps to the file's length. */
    ReadMapping(final OpenFiles files, final Place place, final boolean isGrowing) {
        this.files = files;
        this.place = place;
        this.isGrowing = isGrowing;
    }

    /** The mapping, to be released by the caller; null once this is closed. */
    @Nullable
    Mapping hold() {
        for (; ; ) {
            final Mapping mapped = mapping;
            if (mapped == null) {
                if (isClosed) {
                    return null;
                }
                files.map(this);
            } else if (mapped.retain()) {
                touch();
                return mapped;
            }
        }
    }

    /** Lets go of a mapping that shows the file no longer as it is. */
    void renew(final @Nullable Mapping stale) {
        if (stale != null) {
            files.unmap(this, stale);
        }
    }

    @Override
    public void close() {
        isClosed = true;
        renew(mapping);
    }

    @Nullable
    Mapping mapping() {
        return mapping;
    }

    Place place() {
        return place;
    }

    boolean isClosed() {
        return isClosed;
    }

    /** Bytes to map of a file of that length. */
    long lengthFor(final long fileLength) {
        return isGrowing ? (2 * fileLength + AHEAD_UNIT - 1) & -AHEAD_UNIT : fileLength;
    }

    /** Under the lock of {@link OpenFiles}. */
    void show(final Mapping mapped) {
        mapping = mapped;
    }

    /** Under the lock of {@link OpenFiles}. A file that is gone could never be mapped again, so it stays mapped. */
    @Override
    boolean tryEvict() {
        final Mapping mapped = mapping;
        if (place.isGone() || mapped == null || mapped.isLookedAt()) {
            return false;
        }
        drop(mapped);
        return true;
    }

    /** Under the lock of {@link OpenFiles}. Whoever began to look at it this moment keeps it until they are done. */
    void drop(final Mapping mapped) {
        mapping = null;
        mapped.release();
    }
}
