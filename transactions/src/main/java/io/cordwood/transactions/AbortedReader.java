package io.cordwood.transactions;

import static io.cordwood.transactions.TransactionIndexDescriptor.ENTRY_BYTES;

import io.cordwood.log.LogFiles;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.Arrays;

/**
 * Lists the aborted transactions that have records in a range of offsets: what a fetch of a client that reads only committed records must bring
 * along. From {@link ProducerState#newAbortedReader}.
 *
 * <p>One thread's, beside the log's writer. What a truncation takes back may still be listed: who reads behind the high watermark asks the
 * log's reader afterwards whether what it has read is unchanged. Allocates nothing while no transaction was aborted.
 */
public final class AbortedReader implements AutoCloseable {
    private static final int READ_BYTES = 512 * ENTRY_BYTES;

    private final Storage storage;
    private final String directory;
    private final AbortedIndex index;
    private final FileView view = new FileView();
    private long[] producers = new long[4];
    private long[] firsts = new long[4];
    private int count;

    AbortedReader(final Storage storage, final String directory, final AbortedIndex index) {
        this.storage = storage;
        this.directory = directory;
        this.index = index;
    }

    /**
     * Lists them.
     *
     * @param from first offset of the range.
     * @param upTo offset behind the range, at most the last stable offset.
     * @return how many there are, ascending by first offset.
     * @throws StorageException if the disk fails.
     */
    public int list(final long from, final long upTo) {
        count = 0;
        final long[] bases = index.bases();
        if (bases.length == 0 || from >= upTo) {
            return 0;
        }
        // The marker of whatever reaches into the range lies at its beginning or behind.
        final int found = Arrays.binarySearch(bases, from);
        boolean isDone = false;
        for (int i = Math.max(0, found >= 0 ? found : -found - 2); i < bases.length && !isDone; i++) {
            isDone = list(bases[i], from, upTo);
        }
        return count;
    }

    /** Takes what one segment has; whether no later one can have more. */
    private boolean list(final long base, final long from, final long upTo) {
        final String path = LogFiles.path(directory, base, LogFiles.TXN_INDEX);
        try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
            final long length = file.length() / ENTRY_BYTES * ENTRY_BYTES;
            for (long at = 0; at < length; ) {
                final int wanted = (int) Math.min(READ_BYTES, length - at);
                final int shown = view.show(file, at, wanted) / ENTRY_BYTES * ENTRY_BYTES;
                for (int i = 0; i < shown; i += ENTRY_BYTES) {
                    if (isLast(i, from, upTo)) {
                        return true;
                    }
                }
                if (shown == 0) {
                    return false;
                }
                at += shown;
            }
            return false;
        } catch (final StorageException e) {
            if (Arrays.binarySearch(index.bases(), base) < 0) {
                // The segment went meanwhile, and its offsets with it.
                return false;
            }
            throw e;
        } finally {
            view.release();
        }
    }

    private boolean isLast(final int at, final long from, final long upTo) {
        final long first = TransactionIndexDescriptor.firstOffset(view.buffer(), at);
        if (TransactionIndexDescriptor.lastOffset(view.buffer(), at) >= from && first < upTo) {
            add(TransactionIndexDescriptor.producerId(view.buffer(), at), first);
        }
        return TransactionIndexDescriptor.lastStableOffset(view.buffer(), at) >= upTo;
    }

    private void add(final long producerId, final long first) {
        if (count == firsts.length) {
            firsts = Arrays.copyOf(firsts, count * 2);
            producers = Arrays.copyOf(producers, count * 2);
        }
        int place = count++;
        while (place > 0 && firsts[place - 1] > first) {
            firsts[place] = firsts[place - 1];
            producers[place] = producers[place - 1];
            place--;
        }
        firsts[place] = first;
        producers[place] = producerId;
    }

    /**
     * Who wrote a transaction that was listed.
     *
     * @param number from 0 to what {@link #list} said, less one.
     * @return the producer id.
     */
    public long producerId(final int number) {
        return producers[number];
    }

    /**
     * Where a transaction that was listed begins.
     *
     * @param number from 0 to what {@link #list} said, less one.
     * @return its first offset, which may lie in front of the range.
     */
    public long firstOffset(final int number) {
        return firsts[number];
    }

    @Override
    public void close() {
        view.close();
    }
}
