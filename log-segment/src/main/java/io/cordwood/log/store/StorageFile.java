package io.cordwood.log.store;

import java.nio.channels.WritableByteChannel;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * One file that only ever grows at its end: bytes are claimed, filled in by the caller and published. There is no write at a
 * position, because no format of the toolkit needs one.
 *
 * <p>Threads: {@link #claim}, {@link #unclaim}, {@link #publish}, {@link #truncate} and {@link #close} belong to the one
 * writer. {@link #length}, {@link #view} and {@link #transferTo} may be called by any thread at any time; so may
 * {@link #force}, which is the only slow act that runs beside the writer.
 *
 * <p>What is published is content: in the page cache, readable by every thread that has seen {@link #length} reach it, and
 * safe from the death of the process. It is safe from the death of the machine after {@link #force}.
 *
 * <p>A thread that is interrupted while it reads gets its bytes and keeps its interrupted status; it closes nothing for
 * others.
 */
public interface StorageFile extends AutoCloseable {
    /**
     * Says for messages which file this is.
     *
     * @return as {@link Storage#describe} does, with the path under which it is now, if that is known.
     */
    String describe();

    /**
     * Bytes of published content.
     *
     * @return the length, read with acquire semantics.
     */
    long length();

    /**
     * Claims the bytes behind those that are claimed already. The view stays valid until the next {@link #publish},
     * {@link #unclaim} or {@link #claim} of this file.
     *
     * @param length bytes to claim, above 0.
     * @param view wrapped around the claimed memory, whose old content is undefined.
     * @throws StorageException if there is no room on the disk or in the mapping; nothing is claimed then, and the file
     *     can be used further.
     */
    void claim(int length, UnsafeBuffer view);

    /**
     * Gives back the last claimed bytes, as if they had never been claimed.
     *
     * @param length bytes to give back, at most those claimed and not yet published.
     */
    void unclaim(int length);

    /**
     * Makes all claimed bytes content, with one write or one release store.
     *
     * @return the new length.
     * @throws StorageException if the write fails. Some of the bytes may be in the file: its owner must not append again
     *     before the file was truncated or opened anew.
     */
    long publish();

    /**
     * Shows a piece of the content. The view is valid until its next use or release, whatever happens to the file.
     *
     * @param position of the first byte, from 0 to {@link #length}.
     * @param length bytes wanted.
     * @param view of the calling reader, wrapped around the bytes.
     * @return bytes in the view: fewer than wanted only at the end of the content. Who takes fewer for the end asks through
     *     {@link FileView#show}, which does not rely on it.
     * @throws StorageException if the file is closed, gone or cannot be read.
     */
    int view(long position, int length, FileView view);

    /**
     * Same as {@link #view}, for one who reads single fields through the view's buffer, as in a walk through headers: it may
     * cost less. Where a mapping shows what the disk then fails to bring, the access ends in an {@link InternalError}; a
     * checksum or a copy of such bytes would end the process, and is for {@link #view}.
     *
     * @param position of the first byte.
     * @param bytes most bytes to show.
     * @param view to show them.
     * @return bytes shown.
     * @throws StorageException if the disk fails.
     */
    default int look(final long position, final int bytes, final FileView view) {
        return view(position, bytes, view);
    }

    /**
     * Sends a piece of the content to a channel, without a copy through this process where the system can.
     *
     * @param position of the first byte.
     * @param length bytes to send, clipped to the content.
     * @param target of the bytes.
     * @return bytes sent: fewer than asked for if the target takes no more.
     * @throws StorageException if the file cannot be read or the target fails.
     */
    long transferTo(long position, long length, WritableByteChannel target);

    /**
     * Cuts the content, and drops what is claimed. Views that were handed out before show their old bytes or zeros behind
     * the cut, never another file's. What was reserved beyond the cut is given back to the disk.
     *
     * @param length new length, at most {@link #length}.
     * @throws StorageException if the file cannot be cut.
     */
    void truncate(long length);

    /**
     * Makes the content durable: on return all that was published before the call survives a power cut, provided that the
     * name of the file does ({@link Storage#syncDirectory}).
     *
     * @throws StorageException if the system reports a failure. The bytes that were written since the last success may be
     *     lost, and a second call proves nothing: the owner must not append again.
     */
    void force();

    /**
     * Whether appends go through a mapping.
     *
     * @return false for a file that was opened for something else, or where the system or its file system cannot do so.
     */
    default boolean isMapped() {
        return false;
    }

    /** Closes the file; claimed bytes are dropped. Views that are in use stay valid. A second call does nothing. */
    @Override
    void close();
}
