package io.cordwood.log;

import static io.cordwood.log.record.RecordBatchDescriptor.HEADER_BYTES;
import static io.cordwood.log.record.RecordBatchDescriptor.LENGTH_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.LOG_OVERHEAD;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_OFFSET;
import static io.cordwood.log.record.RecordBatchDescriptor.MAGIC_V2;
import static java.nio.ByteOrder.BIG_ENDIAN;

import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.StorageFile;
import org.agrona.DirectBuffer;

/**
 * Walks the batches of a segment's file that is not trusted, front to back, and says what it finds: a batch whose lengths can
 * be, or damage. After damage it can search for the next good batch.
 *
 * <p>Belongs to one thread. Changes nothing. Reads in chunks; its memory is one chunk and one batch, whatever lengths the file
 * declares: a batch above the bound is checksummed piece by piece and never held. One walk costs time linear in the file;
 * a search reads at most a fixed multiple of it.
 */
public final class BatchCursor implements AutoCloseable {
    /** What {@link #next} found. */
    public enum Step {
        /** A batch, in memory as a whole. Its checksum may be wrong: see {@link #isCrcValid}. */
        BATCH,
        /** A batch above the bound: only its header is in memory. */
        LARGE_BATCH,
        /** Bytes that cannot be a batch: see {@link #kind} and {@link #reason}. */
        DAMAGE,
        /** Nothing more, or the file was cut while it was read. */
        END,
        /** The next batch would exceed what may be read. */
        LIMIT
    }

    /** Bytes that are read at once. */
    public static final int CHUNK_BYTES = 256 * 1024;

    /** Bytes that tell length and magic of a batch. */
    private static final int PREFIX_BYTES = MAGIC_OFFSET + 1;

    private static final int[] LENGTHS_MIN = {14, 22, HEADER_BYTES - LOG_OVERHEAD};

    private final FileWindow window;
    private final BatchSearch search;
    private final Crc32c crc = new Crc32c();
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final int batchBytesMax;
    private long end;
    private long position;
    private long size;
    private boolean isFirst = true;
    private boolean isCrcValid;
    private Fault.Kind kind = Fault.Kind.FOREIGN_BYTES;
    private String reason = "";

    /**
     * Creates a cursor without a file.
     *
     * @param batchBytesMax the largest batch that is held in memory, at least 61.
     * @param readBytesMax what may be read over all files; one batch is read even if it is larger. {@link Long#MAX_VALUE} for no
     *     limit, else at least 61.
     */
    public BatchCursor(final int batchBytesMax, final long readBytesMax) {
        if (batchBytesMax < HEADER_BYTES || readBytesMax < HEADER_BYTES) {
            throw new IllegalArgumentException("bounds are " + batchBytesMax + " for a batch and " + readBytesMax
                    + " for the reading, but the least is " + HEADER_BYTES);
        }
        this.batchBytesMax = batchBytesMax;
        window = new FileWindow(CHUNK_BYTES, readBytesMax);
        search = new BatchSearch(crc);
    }

    /**
     * Goes to another file. What was read so far still counts.
     *
     * @param file to walk.
     * @param baseOffset of the segment, below which no batch is believed to be good in a search.
     * @param from position of the first byte.
     * @param to end of the walk, at most the file's length.
     * @return this.
     */
    public BatchCursor open(final StorageFile file, final long baseOffset, final long from, final long to) {
        window.open(file);
        search.open(file, baseOffset, from, to);
        end = to;
        position = from;
        size = 0;
        return this;
    }

    /**
     * Goes on to what follows. After {@link Step#DAMAGE} that is what {@link #resync} found, or the end.
     *
     * @return what it is.
     */
    public Step next() {
        position += size;
        size = 0;
        if (position >= end) {
            return Step.END;
        }
        final long rest = end - position;
        if (rest < PREFIX_BYTES) {
            return cut(rest);
        }
        final int prefix = (int) Math.min(rest, HEADER_BYTES);
        if (!window.show(position, prefix, isFirst)) {
            return unread();
        }
        final int length = window.buffer().getInt(window.index(position) + LENGTH_OFFSET, BIG_ENDIAN);
        final byte magic = window.buffer().getByte(window.index(position) + MAGIC_OFFSET);
        if (isZero(prefix)) {
            return zeros(rest);
        }
        if (magic < 0 || magic > MAGIC_V2) {
            return damage(Fault.Kind.BAD_MAGIC, rest, "magic " + magic + ", but 0 to 2 are known");
        }
        if (length < LENGTHS_MIN[magic]) {
            return damage(
                    Fault.Kind.BAD_LENGTH,
                    rest,
                    "length " + length + ", but a batch of magic " + magic + " has at least " + LENGTHS_MIN[magic]);
        }
        if (length > Integer.MAX_VALUE - LOG_OVERHEAD) {
            return damage(
                    Fault.Kind.BAD_LENGTH,
                    rest,
                    "length " + length + ", but a batch has at most " + Integer.MAX_VALUE + " bytes in all");
        }
        if (LOG_OVERHEAD + (long) length > rest) {
            return damage(
                    Fault.Kind.CUT_BATCH,
                    rest,
                    "a batch of " + (LOG_OVERHEAD + (long) length) + " bytes, but only " + rest + " are left");
        }
        return batch(LOG_OVERHEAD + (long) length);
    }

    private Step batch(final long bytes) {
        if (bytes > batchBytesMax) {
            isCrcValid = search.isCrcValid(position, bytes);
            batch.wrap(window.buffer(), window.index(position));
            size = bytes;
            isFirst = false;
            return Step.LARGE_BATCH;
        }
        if (!window.show(position, (int) bytes, isFirst)) {
            return unread();
        }
        batch.wrap(window.buffer(), window.index(position));
        isCrcValid = batch.isCrcValid(crc);
        size = bytes;
        isFirst = false;
        return Step.BATCH;
    }

    /** Why nothing was shown: a live log may have been cut since its length was asked for. */
    private Step unread() {
        return window.isLimited() ? Step.LIMIT : Step.END;
    }

    private Step cut(final long rest) {
        if (!window.show(position, (int) rest, false)) {
            return unread();
        }
        return isZero((int) rest)
                ? zeros(rest)
                : damage(Fault.Kind.CUT_BATCH, rest, rest + " bytes, too few for the header of a batch");
    }

    private Step zeros(final long rest) {
        final long behind = window.isLimited() ? end : search.firstNonZero(position);
        return behind == end
                ? damage(Fault.Kind.ZERO_TAIL, rest, rest + " zero bytes to the end of the file")
                : damage(Fault.Kind.FOREIGN_BYTES, rest, (behind - position) + " zero bytes");
    }

    private boolean isZero(final int length) {
        final DirectBuffer buffer = window.buffer();
        final int index = window.index(position);
        for (int i = 0; i < length; i++) {
            if (buffer.getByte(index + i) != 0) {
                return false;
            }
        }
        return true;
    }

    private Step damage(final Fault.Kind what, final long rest, final String why) {
        kind = what;
        reason = why;
        size = rest;
        isCrcValid = false;
        return Step.DAMAGE;
    }

    /**
     * After damage, or after a batch with a wrong checksum: finds the next good batch, which {@link #next} then gives. A batch
     * with a wrong checksum is skipped by its own length if something that looks like a batch follows there and nothing that is
     * due before that lies in between, else every byte behind its beginning is tried.
     *
     * @return position of the next batch, or the end if there is none.
     */
    public long resync() {
        final long found = search.next(position, declaredEnd());
        size = found - position;
        return found;
    }

    /** Goes on at another position of the same file; the effort of earlier searches still counts. */
    void moveTo(final long at) {
        position = at;
        size = 0;
        isFirst = true;
    }

    boolean isEnd(final long at) {
        return at >= end;
    }

    private long declaredEnd() {
        if (end - position < PREFIX_BYTES || !window.show(position, PREFIX_BYTES, true)) {
            return end + 1;
        }
        final int length = window.buffer().getInt(window.index(position) + LENGTH_OFFSET, BIG_ENDIAN);
        return length < LENGTHS_MIN[0] ? end + 1 : position + LOG_OVERHEAD + length;
    }

    /**
     * Where the batch or the damage begins.
     *
     * @return position in the file.
     */
    public long position() {
        return position;
    }

    /**
     * How far the batch or the damage reaches.
     *
     * @return bytes; after damage up to what {@link #resync} found, else to the end.
     */
    public long size() {
        return size;
    }

    /**
     * The batch that was found.
     *
     * @return a view that is valid up to the next call; after {@link Step#LARGE_BATCH} on the header alone.
     */
    public RecordBatchFlyweight batch() {
        return batch;
    }

    /**
     * Whether the batch has the right checksum.
     *
     * @return false also after damage.
     */
    public boolean isCrcValid() {
        return isCrcValid;
    }

    /**
     * What the damage is.
     *
     * @return the kind.
     */
    public Fault.Kind kind() {
        return kind;
    }

    /**
     * What the damage is, for people.
     *
     * @return what was found and what should be there.
     */
    public String reason() {
        return reason;
    }

    /**
     * What was read from files so far, searches left out.
     *
     * @return bytes.
     */
    public long bytesRead() {
        return window.bytesRead();
    }

    /** Gives back the memory. The file stays open. */
    @Override
    public void close() {
        window.close();
        search.close();
    }
}
