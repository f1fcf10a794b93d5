package io.cordwood.log.store;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A reader's window on a {@link StorageFile}: the bytes lie in a mapping that the view keeps alive, or in memory that the
 * view owns and reuses.
 *
 * <p>Belongs to one thread. {@link #release} lets go of the mapping; a view that is kept for later but idle should be
 * released, so that the store can unmap what nobody looks at.
 */
public final class FileView implements AutoCloseable {
    /** What keeps looked-at memory alive; given back exactly once. */
    @FunctionalInterface
    public interface Hold {
        /** Lets go of the memory. */
        void release();
    }

    private static final int PAGE_BYTES = 4096;

    /** How often one is asked again who seems to show too little. */
    private static final int TRIES = 2;

    private final UnsafeBuffer buffer = new UnsafeBuffer(0, 0);
    private @Nullable ByteBuffer memory;
    private @Nullable Hold hold;
    private @Nullable PageLook pageLook;

    /** Creates an empty view. */
    public FileView() {}

    /**
     * The bytes that {@link StorageFile#view} showed last.
     *
     * @return the window, whose capacity is the number of bytes shown.
     */
    public DirectBuffer buffer() {
        return buffer;
    }

    /**
     * Shows a piece of a file, as {@link StorageFile#view}. A storage that shows fewer bytes than the file has, which it must not, is
     * asked again and then refused: what is not shown is never taken for what is not there.
     *
     * @param file that is shown.
     * @param position of the first byte, from 0 to the length of the file.
     * @param length bytes wanted.
     * @return bytes in the view: fewer than wanted only at the end of the content.
     * @throws StorageException if the file is closed, gone or cannot be read, or shows less than it has.
     */
    public int show(final StorageFile file, final long position, final int length) {
        final int shown = file.view(position, length, this);
        return shown == length || isEnd(file, position, shown) ? shown : again(file, position, length, false);
    }

    /**
     * Looks at a piece of a file, as {@link StorageFile#look}, and believes what is shown as {@link #show} does.
     *
     * @param file that is looked at.
     * @param position of the first byte, from 0 to the length of the file.
     * @param bytes most bytes to show.
     * @return bytes shown.
     * @throws StorageException if the disk fails.
     */
    public int look(final StorageFile file, final long position, final int bytes) {
        final int shown = file.look(position, bytes, this);
        return shown == bytes || isEnd(file, position, shown) ? shown : again(file, position, bytes, true);
    }

    private static boolean isEnd(final StorageFile file, final long position, final int shown) {
        return shown >= file.length() - position;
    }

    private int again(final StorageFile file, final long position, final int wanted, final boolean isLook) {
        int shown = 0;
        for (int i = 0; i < TRIES; i++) {
            // Asked first, for a writer may be adding to it, and once more behind, for it may be cut.
            final long there = Math.min(wanted, file.length() - position);
            shown = isLook ? file.look(position, wanted, this) : file.view(position, wanted, this);
            if (shown >= there || isEnd(file, position, shown)) {
                return shown;
            }
        }
        release();
        throw new StorageException(
                file.describe(),
                "read",
                shown + " bytes are shown at position " + position + ", of " + wanted + " that are asked for and "
                        + (file.length() - position) + " that are there",
                null);
    }

    /** Lets go of what is shown; the view is empty then and can be used again. */
    public void release() {
        buffer.wrap(0, 0);
        final Hold held = hold;
        if (held != null) {
            hold = null;
            held.release();
        }
    }

    /** Same as {@link #release}, and frees the view's own memory for collection. */
    @Override
    public void close() {
        release();
        memory = null;
    }

    /**
     * For stores: shows memory in place.
     *
     * @param address of the first byte.
     * @param length bytes to show.
     * @param keepsAlive released when the view moves on.
     */
    public void showInPlace(final long address, final int length, final Hold keepsAlive) {
        release();
        buffer.wrap(address, length);
        hold = keepsAlive;
    }

    /**
     * For stores: memory of this view to copy into, shown as it is. The store then calls {@link #trim} with what it read.
     *
     * @param length bytes to copy.
     * @return a direct buffer with position 0 and that limit.
     */
    public ByteBuffer showCopy(final int length) {
        release();
        ByteBuffer own = memory;
        if (own == null || own.capacity() < length) {
            own = ByteBuffer.allocateDirect(wholePages(length));
            memory = own;
        }
        own.clear().limit(length);
        buffer.wrap(own, 0, length);
        return own;
    }

    /** What this view's thread asks the system with about pages. */
    PageLook pageLook() {
        PageLook look = pageLook;
        if (look == null) {
            look = new PageLook();
            pageLook = look;
        }
        return look;
    }

    /** Whole pages for so many bytes; of the last page as much as a buffer can have. */
    static int wholePages(final int length) {
        return (int) Math.min(Integer.MAX_VALUE, (length + (PAGE_BYTES - 1L)) & -PAGE_BYTES);
    }

    /**
     * For stores: shows fewer bytes of the same memory.
     *
     * @param length bytes to show, at most those shown now.
     */
    public void trim(final int length) {
        buffer.wrap(buffer, 0, length);
    }
}
