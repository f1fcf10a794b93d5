package io.cordwood.index;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import org.jspecify.annotations.Nullable;

/**
 * The entries of one kind in a file that does not change. The file is touched at the first question; the first search reads it
 * through once, to see how many of its entries can be believed. Any thread; allocates nothing after that.
 */
final class SealedTable {
    private static final Object UNTOUCHED = new Object();
    private static final Object CLOSED = new Object();
    private static final int UNKNOWN = -1;
    private static final VarHandle FILE;

    static {
        try {
            FILE = MethodHandles.lookup().findVarHandle(SealedTable.class, "file", Object.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final Storage storage;
    private final String path;
    private final EntryKind kind;
    private volatile Object file = UNTOUCHED;
    private volatile int entries;
    private volatile @Nullable String damage;

    /** A table of which nothing is known. */
    SealedTable(final Storage storage, final String path, final EntryKind kind) {
        this(storage, path, kind, UNKNOWN);
    }

    /** A table that was just written. */
    SealedTable(final Storage storage, final String path, final EntryKind kind, final int entries) {
        this.storage = storage;
        this.path = path;
        this.kind = kind;
        this.entries = entries;
    }

    /** What is wrong with the file, as far as it was looked at; null if nothing is. */
    @Nullable
    String damage() {
        return damage;
    }

    /**
     * Shows the entries that can be believed: in order, and below the end of the segment.
     *
     * @return their number, or {@link IndexTables#UNREADABLE}.
     */
    int show(final SealedIndex segment, final FileView view) {
        try {
            final StorageFile open = open();
            if (open == null) {
                return IndexTables.UNREADABLE;
            }
            final int known = entries;
            if (known == UNKNOWN) {
                return readThrough(open, segment, view);
            }
            return known == 0 ? 0 : view.show(open, 0, known * kind.bytes()) / kind.bytes();
        } catch (final StorageException e) {
            return unreadable(e);
        }
    }

    /**
     * Like {@link #show}, but reads the file through only if its two ends, or its last two entries, do not fit together: the last
     * entry of a table in order is asked for, and a log with many segments asks all of them.
     */
    int showLast(final SealedIndex segment, final FileView view) {
        try {
            final StorageFile open = open();
            if (open == null) {
                return IndexTables.UNREADABLE;
            }
            if (entries == UNKNOWN) {
                final long length = open.length();
                final long inFile = length / kind.bytes();
                if (inFile > 1
                        && length <= Integer.MAX_VALUE
                        && length % kind.bytes() == 0
                        && view.show(open, 0, (int) length) == length
                        && fitTogether(view, (int) inFile - 1, segment.endRelative())) {
                    return (int) inFile;
                }
            }
            return show(segment, view);
        } catch (final StorageException e) {
            return unreadable(e);
        }
    }

    void close() {
        final Object seen = FILE.getAndSet(this, CLOSED);
        if (seen instanceof StorageFile open) {
            open.close();
        }
    }

    /** Takes note of the file, so that it is found under a later name as well. */
    void enter() {
        open();
    }

    /** Makes the file durable; one that is closed has nobody who needs that. */
    void force() {
        final StorageFile open = open();
        if (open != null) {
            open.force();
        }
    }

    private @Nullable StorageFile open() {
        final Object seen = file;
        if (seen instanceof StorageFile open) {
            return open;
        }
        if (seen == CLOSED) {
            return null;
        }
        // Two threads may come here at once. An untouched file costs nothing, and only one of them is ever touched.
        final StorageFile opened = storage.open(path, FileUse.LOOKUP, 0);
        if (FILE.compareAndSet(this, UNTOUCHED, opened)) {
            return opened;
        }
        opened.close();
        return file instanceof StorageFile open ? open : null;
    }

    private boolean fitTogether(final FileView view, final int last, final long endRelative) {
        return kind.isLawful(view.buffer(), -1, 0, endRelative, Long.MAX_VALUE)
                && kind.isLawful(view.buffer(), 0, last, endRelative, Long.MAX_VALUE)
                && kind.isLawful(view.buffer(), last - 1, last, endRelative, Long.MAX_VALUE);
    }

    private int readThrough(final StorageFile open, final SealedIndex segment, final FileView view) {
        final long endPosition = segment.endPosition();
        final long length = open.length();
        final long inFile = Math.min(length, Integer.MAX_VALUE) / kind.bytes();
        int inOrder = 0;
        if (inFile > 0) {
            final int shown = view.show(open, 0, (int) inFile * kind.bytes()) / kind.bytes();
            inOrder = kind.believed(view.buffer(), 0, shown, segment.endRelative(), endPosition);
            if (kind.isPadding(view.buffer(), inOrder, shown)) {
                inOrder = 0;
            }
        }
        if ((long) inOrder * kind.bytes() != length) {
            damaged("holds " + length + " bytes, of which only the first " + inOrder + " entries can be believed");
        }
        entries = inOrder;
        return inOrder;
    }

    private int unreadable(final StorageException cause) {
        if (file != CLOSED) {
            damaged(cause.getMessage());
        }
        return IndexTables.UNREADABLE;
    }

    private void damaged(final @Nullable String what) {
        if (damage == null) {
            damage = storage.describe(path) + ": " + what;
        }
    }
}
