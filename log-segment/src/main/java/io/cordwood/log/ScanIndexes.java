package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * No index at all: every look-up is a scan from the segment's start. For short logs, and for tests that want one thing less.
 * Index files of a segment that is created or opened for appending are removed, because Kafka would believe them when they
 * have become stale.
 */
public final class ScanIndexes implements SegmentIndexFactory {
    /** Creates the factory; it has no state. */
    public ScanIndexes() {}

    @Override
    public SegmentIndex create(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        final ScanIndex index = new ScanIndex(storage, directory, baseOffset);
        index.removeFiles();
        return index;
    }

    @Override
    public SegmentIndex open(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return new ScanIndex(storage, directory, baseOffset);
    }

    @Override
    public boolean isPlausible(
            final List<FileStatus> files, final long baseOffset, final long logBytes, final IndexLimits limits) {
        // The largest timestamp lives in memory only, so a sealed segment is read once at an open.
        return false;
    }

    @Override
    public List<String> suffixes() {
        return List.of(LogFiles.OFFSET_INDEX, LogFiles.TIME_INDEX);
    }

    /** Knows the largest timestamp and nothing else. */
    private static final class ScanIndex implements SegmentIndex, IndexLookUps {
        private final Storage storage;
        private final String directory;
        private final long baseOffset;
        private Finding finding = Finding.SOUND;
        private volatile long largestTimestamp = -1;

        ScanIndex(final Storage storage, final String directory, final long baseOffset) {
            this.storage = storage;
            this.directory = directory;
            this.baseOffset = baseOffset;
        }

        /** True if one was there. */
        boolean removeFiles() {
            final boolean hadOffsets =
                    storage.delete(LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.OFFSET_INDEX)));
            final boolean hadTimes =
                    storage.delete(LogFiles.path(directory, LogFiles.name(baseOffset, LogFiles.TIME_INDEX)));
            return hadOffsets || hadTimes;
        }

        @Override
        public void append(final long lastOffset, final long position, final long maxTimestamp) {
            if (maxTimestamp > largestTimestamp) {
                largestTimestamp = maxTimestamp;
            }
        }

        @Override
        public boolean isFull() {
            return false;
        }

        @Override
        public IndexLookUps lookUps() {
            return this;
        }

        @Override
        public long positionOf(final long offset, final FileView view) {
            return 0;
        }

        @Override
        public long positionOfTimestamp(final long timestampMs, final FileView view) {
            return 0;
        }

        @Override
        public long largestTimestamp(final FileView view) {
            return largestTimestamp;
        }

        @Override
        public @Nullable String damage() {
            return null;
        }

        @Override
        public long restore(final long endOffset, final long endPosition) {
            finding = removeFiles() ? Finding.MENDED : Finding.SOUND;
            largestTimestamp = -1;
            return 0;
        }

        @Override
        public void distrust() {
            // There is nothing to be wrong.
        }

        @Override
        public void restored() {
            // Nothing is kept in files.
        }

        @Override
        public Finding finding() {
            return finding;
        }

        @Override
        public void seal() {
            // Nothing is kept in files.
        }

        @Override
        public void force() {
            // Nothing is kept in files.
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }
}
