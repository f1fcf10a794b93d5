package io.cordwood.log.codec;

import java.nio.ByteBuffer;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The memory that a {@link Codec} writes to: direct, growing as needed, never beyond a bound that its owner sets.
 *
 * <pre>
 *   0          length()                capacity            bound()
 *   |-- content --|-- room(), written --|-- not yet taken ---|
 *                    then advance()
 * </pre>
 *
 * <p>Belongs to one thread at a time. To be kept and reused: after a few uses it has the size that its owner's batches need
 * and allocates no more. Memory above 256 KiB that eight uses in a row filled to less than a quarter is let go,
 * so that one huge batch does not stay for ever. Old memory is left to the garbage collector and never freed by hand: a view
 * that somebody kept too long shows stale bytes, but cannot crash the process.
 */
public final class CodecBuffer {
    private static final int KEPT_BYTES = 256 * 1024;
    private static final int FIRST_BYTES = 4096;
    private static final int IDLE_USES = 8;
    private static final ByteBuffer NOTHING = ByteBuffer.allocateDirect(0);

    private final UnsafeBuffer view = new UnsafeBuffer(0, 0);
    private ByteBuffer memory = NOTHING;
    private int bound;
    private int length;
    private int mostlyIdleUses;

    /**
     * Creates an empty buffer; memory is taken when it is first needed.
     *
     * @param bound most bytes that it may ever hold, at least 0.
     */
    public CodecBuffer(final int bound) {
        reset(bound);
    }

    /**
     * Empties the buffer for the next use. Views on the old content are void.
     *
     * @param bound most bytes that it may hold from now on, at least 0.
     * @throws IllegalArgumentException if the bound is negative.
     */
    public void reset(final int bound) {
        if (bound < 0) {
            throw new IllegalArgumentException("bound must not be negative: " + bound);
        }
        final int capacity = memory.capacity();
        mostlyIdleUses = capacity > KEPT_BYTES && length < capacity / 4 ? mostlyIdleUses + 1 : 0;
        if (mostlyIdleUses == IDLE_USES) {
            memory = NOTHING;
            mostlyIdleUses = 0;
        }
        this.bound = bound;
        truncate(0);
    }

    /**
     * The content.
     *
     * @return always the same view, whose capacity is {@link #length}; what it shows moves when the buffer grows.
     */
    public DirectBuffer buffer() {
        return view;
    }

    /**
     * How much content there is.
     *
     * @return bytes, at most {@link #bound}.
     */
    public int length() {
        return length;
    }

    /**
     * The bound.
     *
     * @return most bytes that the buffer may hold.
     */
    public int bound() {
        return bound;
    }

    /**
     * What may still be appended.
     *
     * @return bytes up to the bound.
     */
    public int left() {
        return bound - length;
    }

    /**
     * Memory behind the content, to be written to and then claimed with {@link #advance}.
     *
     * @param more bytes that are wanted, at least 0.
     * @return this buffer's memory: index 0 is the first byte of the content, position is {@link #length}, limit lies
     *     {@code more} bytes behind. Void after the next call of this or another method that takes room.
     * @throws CodecException of kind {@link CodecException.Kind#TOO_LARGE} if the bound does not allow that many; nothing
     *     was allocated then.
     */
    public ByteBuffer room(final int more) {
        if (more > bound - length) {
            throw CodecException.tooLarge((long) length + more, bound);
        }
        final int end = length + more;
        if (end > memory.capacity()) {
            grow(end);
        }
        memory.limit(end).position(length);
        return memory;
    }

    /**
     * Same as {@link #room}, but with as much as the bound allows if that is less than what is wanted.
     *
     * @param wanted bytes, at least 0.
     * @return this buffer's memory, with nothing remaining if the bound is reached.
     */
    public ByteBuffer roomUpTo(final int wanted) {
        return room(Math.min(wanted, bound - length));
    }

    /**
     * Makes bytes that were written to the room part of the content.
     *
     * @param written bytes, at most the room that was taken.
     * @throws IllegalArgumentException if that is more than the memory that was handed out.
     */
    public void advance(final int written) {
        if (written < 0 || written > Math.min(memory.capacity(), bound) - length) {
            throw new IllegalArgumentException(
                    "advance by " + written + " bytes at " + length + " of " + Math.min(memory.capacity(), bound));
        }
        length += written;
        show();
    }

    /**
     * Appends a copy of some bytes.
     *
     * @param source of the bytes.
     * @param index of the first one.
     * @param count of bytes.
     * @throws CodecException of kind {@link CodecException.Kind#TOO_LARGE} if the bound does not allow that many.
     */
    public void append(final DirectBuffer source, final int index, final int count) {
        source.boundsCheck(index, count);
        source.getBytes(index, room(count), length, count);
        advance(count);
    }

    /**
     * Drops the end of the content.
     *
     * @param newLength bytes that stay, at most {@link #length}.
     * @throws IllegalArgumentException if there are not so many.
     */
    public void truncate(final int newLength) {
        if (newLength < 0 || newLength > length) {
            throw new IllegalArgumentException("truncate to " + newLength + " of " + length + " bytes");
        }
        length = newLength;
        show();
    }

    /** Codecs read again what they wrote, to sum it up. */
    ByteBuffer memory() {
        return memory;
    }

    private void show() {
        memory.clear();
        view.wrap(memory, 0, length);
    }

    private void grow(final int needed) {
        final long doubled = Math.max(FIRST_BYTES, 2L * memory.capacity());
        final int capacity = (int) Math.min(bound, Math.max(needed, doubled));
        final ByteBuffer larger = ByteBuffer.allocateDirect(capacity);
        memory.limit(length).position(0);
        larger.put(memory);
        memory = larger;
        show();
    }
}
