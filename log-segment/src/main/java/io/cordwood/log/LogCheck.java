package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/**
 * Checks the structure of a log's files, as fsck does: reads every byte of every segment, reports each fault and goes on behind
 * it; what cannot be read it reports as {@link Fault.Kind#NOT_CHECKED}. Repairs nothing and changes nothing; works beside a log that is being written, up to the lengths that were listed.
 *
 * <p>What it says of batches: bytes that are none, lengths, magics and checksums, header fields that contradict each other,
 * records that do not decode, offsets that fall, overlap or lie outside their segment, leader epochs that fall or contradict
 * the table. Gaps between offsets are legal, since a cleaner makes them; they are counted. Of files: segments that overlap,
 * index files without a segment, names that are no segment's, a leader-epoch table or partition metadata that cannot be
 * read. Indexes have a check of their own.
 *
 * <p>One thread's. Memory is one chunk, one batch and its decompressed records, each bounded; a larger batch is checksummed but
 * its records are not looked at, nor are those whose codec's library is missing. Time is linear in the bytes, save that a search after damage may read them up to 16 times
 * over.
 */
public final class LogCheck implements AutoCloseable {
    private static final List<String> OF_SEGMENT =
            List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX, LogFiles.TXN_INDEX);

    private final Storage storage;
    private final Consumer<Fault> faults;
    private final SegmentCheck segments;

    /** Takes part in a check: sees what a walk through a segment sees, to hold it against something else, such as an index. */
    public interface Companion {
        /**
         * A segment is about to be walked through.
         *
         * @param directory of the log in the storage.
         * @param baseOffset of the segment.
         */
        void begin(String directory, long baseOffset);

        /**
         * The next batch of the segment, with its header as it stands: its checksum may be wrong.
         *
         * @param lastOffset of the batch.
         * @param position of its first byte.
         * @param maxTimestamp of its records in milliseconds, or -1.
         */
        void batch(long lastOffset, long position, long maxTimestamp);

        /**
         * The segment was walked through.
         *
         * @param isLast whether it is the log's last.
         * @param isSound whether no fault was found in it.
         * @return the faults that it adds.
         */
        List<Fault> end(boolean isLast, boolean isSound);
    }

    static final Companion NOBODY = new Companion() {
        @Override
        public void begin(final String directory, final long baseOffset) {}

        @Override
        public void batch(final long lastOffset, final long position, final long maxTimestamp) {}

        @Override
        public List<Fault> end(final boolean isLast, final boolean isSound) {
            return List.of();
        }
    };

    private Companion companion = NOBODY;

    /**
     * What was looked at.
     *
     * @param segments files with records.
     * @param bytes in them.
     * @param batches that are sound.
     * @param dataRecords in sound batches.
     * @param controlRecords in sound batches: they have offsets, but no reader gets them.
     * @param unreadBatches whose records were not looked at, for their size or for want of their codec's library.
     * @param gaps between batches or segments, which are legal.
     * @param gapOffsets offsets that are missing in these.
     * @param faults that were reported.
     * @param notChecked how often {@link Fault.Kind#NOT_CHECKED} was reported, which is no fault.
     * @param startOffset of the first sound batch; -1 if there is none.
     * @param endOffset behind the last sound batch; -1 if there is none.
     */
    public record Result(
            int segments,
            long bytes,
            long batches,
            long dataRecords,
            long controlRecords,
            long unreadBatches,
            long gaps,
            long gapOffsets,
            long faults,
            long notChecked,
            long startOffset,
            long endOffset) {}

    /**
     * Creates a check.
     *
     * @param storage that holds the logs.
     * @param batchBytesMax the largest batch whose records are looked at, at least 61.
     * @param decompressedBytesMax most bytes that the records of one batch may decompress to.
     * @param faults takes each fault as it is found.
     */
    public LogCheck(
            final Storage storage,
            final int batchBytesMax,
            final int decompressedBytesMax,
            final Consumer<Fault> faults) {
        this.storage = storage;
        this.faults = faults;
        segments = new SegmentCheck(batchBytesMax, decompressedBytesMax, faults);
    }

    /**
     * Has the work reported while it goes on.
     *
     * @param bytes takes the bytes of segments that were checked since the last report.
     * @return this.
     */
    public LogCheck progress(final LongConsumer bytes) {
        segments.progress(bytes);
        return this;
    }

    /**
     * Has the segments held against something else at the same time.
     *
     * @param other to be told of each batch.
     * @return this.
     */
    public LogCheck with(final Companion other) {
        companion = other;
        segments.with(other);
        return this;
    }

    /**
     * Checks all files of a log's directory.
     *
     * @param directory of the log in the storage.
     * @return what was looked at.
     */
    public Result check(final String directory) {
        segments.begin();
        final List<FileStatus> files;
        try {
            files = storage.list(directory);
        } catch (final StorageException e) {
            notChecked(directory, e);
            return segments.result();
        }
        segments.expect(epochs(directory));
        if (files.stream().anyMatch(file -> file.name().endsWith(LogFiles.LOG + LogFiles.SWAP))) {
            segments.expectSwap();
        }
        metadata(directory);
        final List<FileStatus> logs = new ArrayList<>();
        for (final FileStatus file : files) {
            if (!file.isDirectory()) {
                name(files, directory, file, logs);
            }
        }
        for (int i = 0; i < logs.size(); i++) {
            final long base = LogFiles.offset(logs.get(i).name(), LogFiles.LOG);
            final boolean isLast = i == logs.size() - 1;
            final long next =
                    isLast ? Long.MAX_VALUE : LogFiles.offset(logs.get(i + 1).name(), LogFiles.LOG);
            segment(directory, logs.get(i), base, next);
        }
        return segments.result();
    }

    /**
     * Checks one file with records, whatever its name.
     *
     * @param directory of the file in the storage.
     * @param file to check.
     * @param baseOffset below which it should have no offsets.
     * @return what was looked at.
     */
    public Result checkSegment(final String directory, final FileStatus file, final long baseOffset) {
        segments.begin();
        segment(directory, file, baseOffset, Long.MAX_VALUE);
        return segments.result();
    }

    private void segment(final String directory, final FileStatus log, final long base, final long nextBase) {
        final String path = LogFiles.path(directory, log.name());
        companion.begin(directory, base);
        final long faultsBefore = segments.faults();
        try (StorageFile file = storage.open(path, FileUse.READ, 0)) {
            // The length after the companion's look at the indexes: a live log may have grown, an index must not lead
            // it.
            segments.check(path, file, file.length(), base, nextBase);
        } catch (final StorageException e) {
            if (!isGone(directory, log.name())) {
                segments.interrupted();
                notChecked(path, e);
            }
            return;
        }
        companion
                .end(nextBase == Long.MAX_VALUE, segments.faults() == faultsBefore)
                .forEach(this::report);
    }

    /** Whether a log that is being written has dropped the segment, together with its indexes. */
    private boolean isGone(final String directory, final String name) {
        try {
            return !has(storage.list(directory), name);
        } catch (final StorageException e) {
            // What failed before is reported, and it was in the same directory.
            return false;
        }
    }

    private List<LeaderEpoch> epochs(final String directory) {
        try {
            final List<LeaderEpoch> epochs = LeaderEpochCheckpoint.read(storage, directory);
            return epochs == null ? List.of() : epochs;
        } catch (final CorruptLogException e) {
            badFile(directory, LogFiles.LEADER_EPOCHS, e.position(), e.reason());
            return List.of();
        } catch (final StorageException e) {
            notChecked(LogFiles.path(directory, LogFiles.LEADER_EPOCHS), e);
            return List.of();
        }
    }

    private void metadata(final String directory) {
        try {
            PartitionMetadata.read(storage, directory);
        } catch (final CorruptLogException e) {
            badFile(directory, LogFiles.PARTITION_METADATA, e.position(), e.reason());
        } catch (final StorageException e) {
            notChecked(LogFiles.path(directory, LogFiles.PARTITION_METADATA), e);
        }
    }

    private void name(
            final List<FileStatus> files, final String directory, final FileStatus file, final List<FileStatus> logs) {
        if (LogFiles.offset(file.name(), LogFiles.LOG) >= 0) {
            logs.add(file);
        } else if (file.name().endsWith(LogFiles.LOG)) {
            badFile(directory, file.name(), 0, "the name of a segment is an offset of 20 digits");
        }
        for (final String suffix : OF_SEGMENT) {
            final long base = LogFiles.offset(file.name(), suffix);
            if (base >= 0 && !has(files, LogFiles.name(base, LogFiles.LOG))) {
                report(new Fault(
                        Fault.Kind.ORPHAN_FILE,
                        LogFiles.path(directory, file.name()),
                        0,
                        base,
                        "there is no segment " + LogFiles.name(base, LogFiles.LOG)));
            }
        }
    }

    private static boolean has(final List<FileStatus> files, final String name) {
        int low = 0;
        int high = files.size() - 1;
        while (low <= high) {
            final int middle = (low + high) >>> 1;
            final int order = files.get(middle).name().compareTo(name);
            if (order == 0) {
                return true;
            }
            if (order < 0) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        return false;
    }

    private void badFile(final String directory, final String name, final long position, final String reason) {
        report(new Fault(Fault.Kind.BAD_FILE, LogFiles.path(directory, name), position, -1, reason));
    }

    private void notChecked(final String path, final StorageException e) {
        report(new Fault(Fault.Kind.NOT_CHECKED, path, 0, -1, String.valueOf(e.getMessage())));
    }

    private void report(final Fault fault) {
        segments.count(fault.kind());
        faults.accept(fault);
    }

    /** Gives back the memory. */
    @Override
    public void close() {
        segments.close();
    }
}
