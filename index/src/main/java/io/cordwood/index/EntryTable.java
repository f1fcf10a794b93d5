package io.cordwood.index;

import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Entries of one kind in memory outside the heap, laid out as in the file, which grows in steps.
 *
 * <p>One thread adds. Any thread may search: it reads {@link #entries} first and {@link #memory} then, and finds at least so
 * many entries there. Memory that was outgrown is left to those who still search in it. An entry never changes and is never
 * taken back; who wants fewer entries makes a new table.
 *
 * <p>Behind the entries there may be others that were <em>found</em> in the file: nobody sees them before {@link #confirm}.
 */
final class EntryTable {
    private static final int FIRST_BYTES = 4096;
    private static final int LARGE_BYTES = 64 * 1024;
    private static final int READ_ENTRIES = 4096;
    private static final UnsafeBuffer NONE = new UnsafeBuffer(0, 0);
    private static final VarHandle ENTRIES;

    static {
        try {
            ENTRIES = MethodHandles.lookup().findVarHandle(EntryTable.class, "entries", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final EntryKind kind;
    private final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
    private volatile UnsafeBuffer memory = NONE;
    private int entries;
    /** Entries at the beginning of the file, those that were only found among them. */
    private int inFile;

    private boolean isFollowed;
    private boolean isGarbage;
    private boolean isDamaged;

    EntryTable(final EntryKind kind) {
        this.kind = kind;
    }

    /** Number of entries that any thread may read. */
    int entries() {
        return (int) ENTRIES.getAcquire(this);
    }

    /** The entries, from the first byte on. */
    DirectBuffer memory() {
        return memory;
    }

    /** Number of entries that are not in the file. */
    int pending() {
        return Math.max(0, entries - inFile);
    }

    /** Length of the file, if it holds nothing else. */
    long bytesInFile() {
        return (long) inFile * kind.bytes();
    }

    /** Number of entries, with those that were found. */
    int known() {
        return Math.max(entries, inFile);
    }

    /** Whether there is an entry behind the last one that was found in the file. */
    boolean hasFound() {
        return entries < inFile;
    }

    /** Lets everybody see the next entry that was found. */
    void confirm() {
        ENTRIES.setRelease(this, entries + 1);
    }

    /** Forgets what was found behind the first entries. The file holds it still: if nobody cuts it, the next write does. */
    void dropFound(final int from) {
        isFollowed |= from < inFile;
        inFile = Math.min(inFile, from);
    }

    /** Memory with room for one more entry, to be filled in before {@link #add}. */
    UnsafeBuffer room() {
        return room(1);
    }

    /** Lets everybody see the entry that was put behind the last one. */
    void add() {
        ENTRIES.setRelease(this, entries + 1);
    }

    /** Writes what is pending to the file, with one call. */
    void write(final StorageFile file) {
        final int length = (entries - inFile) * kind.bytes();
        if (isFollowed) {
            file.truncate(bytesInFile());
            isFollowed = false;
        }
        if (length <= 0) {
            return;
        }
        // A write that fails may leave a part of itself.
        isFollowed = true;
        file.claim(length, claimed);
        claimed.putBytes(0, memory, inFile * kind.bytes(), length);
        file.publish();
        isFollowed = false;
        inFile = entries;
    }

    /** Writes all entries to another file, which is empty. */
    void writeAll(final StorageFile file) {
        if (entries > 0) {
            file.claim(entries * kind.bytes(), claimed);
            claimed.putBytes(0, memory, 0, entries * kind.bytes());
            file.publish();
        }
    }

    /** Whether a file holds the entries and nothing else. */
    boolean isWholeIn(final StorageFile file) {
        return pending() == 0 && file.length() == bytesInFile();
    }

    /** Copies the first entries of another table, and behind them those that its file holds, up to a number, as found. */
    void copy(final EntryTable other, final int count, final int withFound) {
        final int copied = Math.max(count, Math.min(withFound, other.inFile));
        room(copied).putBytes(0, other.memory, 0, copied * kind.bytes());
        ENTRIES.setRelease(this, count);
        inFile = Math.min(copied, other.inFile);
    }

    /**
     * Reads the entries at the beginning of a file that can be believed and lie below the ends: none, if there are more than an
     * index of the size allowed can have, so that no file makes this take more memory than that. All of them count as entries.
     *
     * @param file null if there is none.
     * @param bytesMax size of an index file that is allowed.
     * @return true if the file holds nothing else.
     */
    boolean load(
            final @Nullable StorageFile file,
            final long endRelative,
            final long endPosition,
            final int bytesMax,
            final FileView view) {
        if (file == null) {
            return true;
        }
        final int most = Math.min(bytesMax, Integer.MAX_VALUE - READ_ENTRIES * kind.bytes()) / kind.bytes();
        final long length = file.length();
        final long wholeInFile = length / kind.bytes();
        int inOrder = 0;
        while (inOrder < wholeInFile) {
            final int wanted = (int) Math.min(READ_ENTRIES, wholeInFile - inOrder);
            final int read = view.show(file, (long) inOrder * kind.bytes(), wanted * kind.bytes()) / kind.bytes();
            final UnsafeBuffer target = room(inOrder + read - entries);
            target.putBytes(inOrder * kind.bytes(), view.buffer(), 0, read * kind.bytes());
            final int before = inOrder;
            inOrder = kind.inOrder(target, before, before + read, endRelative, endPosition);
            if (inOrder > most || (inOrder < before + read && !kind.isExplained(target, inOrder))) {
                isGarbage = true;
                inOrder = 0;
                break;
            }
            if (inOrder < before + wanted) {
                isGarbage = inOrder < before + read && !kind.isZero(target, inOrder) && !ascends(file, inOrder, view);
                break;
            }
        }
        if (inOrder == 1 && kind.isZero(memory, 0)) {
            // Padding, or what a power cut left of another entry. If it was one it comes back when the batches are fed
            // again.
            inOrder = 0;
        }
        isDamaged = isGarbage
                || length % kind.bytes() != 0
                || (inOrder < wholeInFile && (inOrder == 0 || kind.isZero(memory, inOrder)));
        inFile = inOrder;
        ENTRIES.setRelease(this, inOrder);
        return (long) inOrder * kind.bytes() == length;
    }

    /** Whether the entries beyond the ends are in order as well, up to padding. */
    private boolean ascends(final StorageFile file, final int from, final FileView view) {
        final long wholeInFile = file.length() / kind.bytes();
        long at = Math.max(0, from - 1);
        while (at < wholeInFile) {
            final int wanted = (int) Math.min(READ_ENTRIES, wholeInFile - at);
            final int read = view.show(file, at * kind.bytes(), wanted * kind.bytes()) / kind.bytes();
            final int inOrder = kind.inOrder(view.buffer(), 1, read, Long.MAX_VALUE, Long.MAX_VALUE);
            if (inOrder < read || read < wanted) {
                return inOrder >= read || kind.isZero(view.buffer(), inOrder);
            }
            at += Math.max(1, read - 1);
            if (at + 1 >= wholeInFile) {
                return true;
            }
        }
        return true;
    }

    /** Whether what {@link #load} read was neither in order nor padding, or more than is allowed. */
    boolean isGarbage() {
        return isGarbage;
    }

    /** Whether what {@link #load} read shows that something is wrong with it: more than that entries lie beyond the ends. */
    boolean isDamaged() {
        return isDamaged;
    }

    private UnsafeBuffer room(final int more) {
        final UnsafeBuffer old = memory;
        final long needed = ((long) entries + more) * kind.bytes();
        if (needed <= old.capacity()) {
            return old;
        }
        // Small tables in larger steps: each leaves garbage behind, and all but the index of a small segment take them.
        final long further = (old.capacity() < LARGE_BYTES ? 4L : 2L) * old.capacity();
        final long larger = Math.max(FIRST_BYTES, Math.max(needed, further));
        final UnsafeBuffer grown =
                new UnsafeBuffer(ByteBuffer.allocateDirect((int) Math.min(Integer.MAX_VALUE, larger)));
        grown.putBytes(0, old, 0, old.capacity());
        memory = grown;
        return grown;
    }
}
