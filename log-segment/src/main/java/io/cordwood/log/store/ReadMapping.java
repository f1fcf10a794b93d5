package io.cordwood.log.store;

import org.jspecify.annotations.Nullable;

/**
 * A file in memory for its readers, as one piece. Mapped at the first look; while nobody looks it may be unmapped, and the next
 * look maps it again.
 */
final class ReadMapping extends RecentSet.Entry implements AutoCloseable {
    private static final long UNIT = 16 << 20;
    private static final long AHEAD_BYTES_MAX = 128 << 20;

    /** What the mapping is for. */
    enum Kind {
        /** Of a file that keeps its length; there is no other way to read it. */
        LOOKUP,
        /** Of a file that keeps its length, and can be copied instead. */
        SEALED,
        /** Of a file that grows, and can be copied instead: more is mapped than there is, and who looks keeps to its length. */
        GROWING
    }

    private final OpenFiles files;
    private final Place place;
    private final Kind kind;
    private volatile @Nullable Mapping mapping;
    private volatile boolean isRefused;
    private volatile boolean isClosed;

    ReadMapping(final OpenFiles files, final Place place, final Kind kind) {
        this.files = files;
        this.place = place;
        this.kind = kind;
    }

    /** The mapping, to be released by the caller; null once this is closed, or the system has refused it. */
    @Nullable
    Mapping hold() {
        for (; ; ) {
            final Mapping mapped = mapping;
            if (mapped == null) {
                if (isClosed || isRefused) {
                    return null;
                }
                files.map(this);
            } else if (mapped.retain()) {
                touch();
                return mapped;
            }
        }
    }

    /** Takes over what others have mapped of the file, if that shows so much of it. */
    void share(final long length) {
        files.share(this, length);
    }

    /** Lets go of a mapping that shows too little of the file. */
    void outgrown(final Mapping tooShort) {
        files.unmap(this, tooShort);
    }

    /** Lets go of what is mapped, since it shows the file no longer as it is. */
    void renew() {
        files.unmap(this);
    }

    @Override
    public void close() {
        isClosed = true;
        files.unmap(this);
    }

    /** Under the lock of {@link OpenFiles}: the system cannot map it. False if there is no other way to read it. */
    boolean refuse() {
        isRefused = kind != Kind.LOOKUP;
        return isRefused;
    }

    boolean isRefused() {
        return isRefused;
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
        return kind == Kind.GROWING
                ? (fileLength + Math.min(fileLength, AHEAD_BYTES_MAX) + UNIT - 1) & -UNIT
                : fileLength;
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
