package io.cordwood.log;

import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** Opens a log: from what the directory lists to a list of segments of which the last takes appends. */
final class LogOpening {
    private final LogBuilder builder;
    private final Storage storage;
    private final String directory;
    private final long nowMs;
    private int notedBefore;

    private LogOpening(final LogBuilder builder, final long nowMs) {
        this.builder = builder;
        this.storage = builder.storage;
        this.directory = builder.directory;
        this.nowMs = nowMs;
    }

    static Log open(final LogBuilder builder, final long nowMs) {
        return new LogOpening(builder, nowMs).run();
    }

    private Log run() {
        storage.makeDirectory(directory);
        final LeaderEpochTable epochs = new LeaderEpochTable(storage, directory);
        final List<DerivedState> states = new ArrayList<>();
        states.add(epochs);
        states.addAll(builder.states);
        final BatchValidator validator = new BatchValidator(builder.codecs);
        final List<Segment> segments = new ArrayList<>();
        try (LogRecovery recovery = new LogRecovery(storage, directory, states, validator, builder.progress)) {
            List<FileStatus> files = Leftovers.sweep(storage, directory, builder.indexes, recovery);
            openForReading(files, segments);
            final SegmentFiles segmentFiles = new SegmentFiles(
                    storage,
                    directory,
                    builder.indexes,
                    builder.appendUse,
                    !builder.states.isEmpty() || hasNeighbours(files));
            final long startOffset;
            final SegmentList list;
            if (segments.isEmpty()) {
                startOffset = builder.startOffset;
                if (hasNeighbours(files)) {
                    SegmentTails.removeAll(storage, directory);
                    storage.syncDirectory(directory);
                }
                // Before there is a segment, so that who comes after a failure here does this again.
                syncParents();
                segments.add(segmentFiles.create(startOffset, builder.config, 0, nowMs));
                list = new SegmentList(segments.get(0));
                recovery.empty(startOffset);
                noteEnd(recovery, list.get(0));
            } else {
                SegmentList whole = recovered(recovery, files, segmentFiles, segments);
                while (whole == null) {
                    files = splitAndReopen(recovery, segments);
                    whole = recovered(recovery, files, segmentFiles, segments);
                }
                list = whole;
                startOffset = startOffset(segments);
                noteEnd(recovery, list.get(list.size() - 1));
                recovery.raiseEndTo(startOffset);
                noteStates(recovery, epochs);
            }
            noteStore(recovery, list.get(list.size() - 1));
            return new Log(
                    builder, states, epochs, new LogSegments(segmentFiles, list), recovery.report(startOffset), nowMs);
        } catch (final RuntimeException | Error e) {
            CloseHelper.closeAll(e::addSuppressed, segments);
            CloseHelper.closeAll(e::addSuppressed, states);
            throw e;
        } finally {
            validator.close();
        }
    }

    /**
     * What was forced is there, or its loss is told; a clean close brings no number of its own. Kafka may have truncated into a gap between
     * offsets and forced that: no file tells this from a loss, so it is told as one. The checkpoint of a {@link LogDirectory} is not above the
     * last batch then.
     */
    private void noteEnd(final LogRecovery recovery, final Segment last) {
        final long point =
                Math.max(builder.forcedOffset, builder.recoveryPoint == Long.MAX_VALUE ? 0 : builder.recoveryPoint);
        if (recovery.endOffset() < point) {
            recovery.note(
                    RecoveryReport.Kind.END_TOO_LOW,
                    last.path(),
                    last.bytes(),
                    recovery.endOffset(),
                    "the log ends below its recovery point " + point);
        }
    }

    private static boolean hasNeighbours(final List<FileStatus> files) {
        for (final FileStatus file : files) {
            if (LogFiles.offset(file.name(), LogFiles.SNAPSHOT) >= 0
                    || LogFiles.offset(file.name(), LogFiles.TXN_INDEX) >= 0) {
                return true;
            }
        }
        return false;
    }

    private void noteStates(final LogRecovery recovery, final LeaderEpochTable epochs) {
        final String damage = epochs.damage();
        if (damage != null) {
            final String path = LogFiles.path(directory, LogFiles.LEADER_EPOCHS);
            recovery.note(RecoveryReport.Kind.STATE_REBUILT, path, 0, -1, "is built anew from the batches: " + damage);
        }
    }

    private void noteStore(final LogRecovery recovery, final Segment active) {
        if (builder.appendUse == FileUse.APPEND_MAPPED && !active.file().isMapped()) {
            recovery.note(
                    RecoveryReport.Kind.MAPPING_UNAVAILABLE,
                    active.path(),
                    0,
                    -1,
                    "files cannot be mapped here, and are written through channels");
        }
    }

    /** The log is new, and so may be its directory: its name is made durable here, the names in it by the first force. */
    private void syncParents() {
        for (int slash = directory.lastIndexOf('/'); slash >= 0; slash = directory.lastIndexOf('/', slash - 1)) {
            storage.syncDirectory(directory.substring(0, slash));
        }
        storage.syncDirectory("");
    }

    private void openForReading(final List<FileStatus> files, final List<Segment> segments) {
        for (final FileStatus status : files) {
            final long base = LogFiles.offset(status.name(), LogFiles.LOG);
            if (base >= 0 && !status.isDirectory()) {
                segments.add(openForReading(base, status.modifiedMs()));
            }
        }
    }

    private Segment openForReading(final long base, final long modifiedMs) {
        final String path = LogFiles.path(directory, LogFiles.name(base, LogFiles.LOG));
        final StorageFile file = storage.open(path, FileUse.READ_SEALED, 0);
        final SegmentIndex index = builder.indexes.open(storage, directory, base, SegmentFiles.limits(builder.config));
        return new Segment(base, path, file, index, null, modifiedMs);
    }

    private long startOffset(final List<Segment> segments) {
        return Math.max(builder.startOffset, segments.get(0).baseOffset());
    }

    /** Makes two segments of one that reaches too far, and opens all of them anew. */
    private List<FileStatus> splitAndReopen(final LogRecovery recovery, final List<Segment> segments) {
        final OverflowSplit.Place place = Objects.requireNonNull(recovery.overflow());
        recovery.forget(notedBefore);
        CloseHelper.closeAll(segments);
        segments.clear();
        new OverflowSplit(storage, directory, builder.indexes.suffixes()).split(place);
        recovery.note(
                RecoveryReport.Kind.SEGMENT_SPLIT,
                place.path(),
                place.position(),
                place.baseOffset(),
                "reaches too far above its base offset, and is split: the batches from here on are a segment of their own");
        final List<FileStatus> files = storage.list(directory);
        openForReading(files, segments);
        return files;
    }

    /** Null if a segment has to be split first. */
    private @Nullable SegmentList recovered(
            final LogRecovery recovery,
            final List<FileStatus> files,
            final SegmentFiles segmentFiles,
            final List<Segment> segments) {
        notedBefore = recovery.noted();
        for (final FileStatus file : files) {
            // Each segment has one at its base, if Kafka has rolled it.
            final long offset = LogFiles.offset(file.name(), LogFiles.SNAPSHOT);
            if (offset > 0) {
                recovery.traces().beside(offset);
            }
        }
        final IndexLimits limits = SegmentFiles.limits(builder.config);
        final boolean[] sound = new boolean[segments.size()];
        for (int i = 0; i < sound.length; i++) {
            final Segment segment = segments.get(i);
            sound[i] = builder.indexes.isPlausible(files, segment.baseOffset(), segment.bytes(), limits);
            // The last one's may lack entries after a crash.
            final boolean isDue =
                    i < sound.length - 1 || (builder.recoveryPoint == Long.MAX_VALUE && segment.bytes() > 0);
            if (!sound[i] && isDue && isIndexMissing(files, segment.baseOffset())) {
                recovery.indexes().note(segment);
            }
        }
        final int left = recovery.recover(
                segments,
                sound,
                startOffset(segments),
                builder.recoveryPoint,
                lost -> deleteBehindCut(lost, segmentFiles, recovery));
        if (left == LogRecovery.SPLIT_DUE) {
            return null;
        }
        if (SegmentTails.areBehind(storage, directory, files, recovery.endOffset())) {
            SegmentTails.cut(storage, directory, recovery.endOffset());
            storage.syncDirectory(directory);
        }
        final Segment[] result = segments.subList(0, left).toArray(new Segment[0]);
        result[left - 1] = openForAppending(segmentFiles, result[left - 1], builder.config);
        return new SegmentList(result);
    }

    private boolean isIndexMissing(final List<FileStatus> files, final long base) {
        for (final String suffix : builder.indexes.suffixes()) {
            final String name = LogFiles.name(base, suffix);
            if (!Leftovers.isListed(name, files)) {
                return true;
            }
        }
        return false;
    }

    private void deleteBehindCut(final Segment lost, final SegmentFiles segmentFiles, final LogRecovery recovery) {
        recovery.note(
                RecoveryReport.Kind.SEGMENT_DELETED,
                lost.path(),
                0,
                lost.baseOffset(),
                "lies behind the cut, and is deleted");
        segmentFiles.delete(lost);
    }

    /** The same segment with a file that takes appends, and the timestamp of its first batch, from which roll by time counts. */
    static Segment openForAppending(final SegmentFiles files, final Segment segment, final LogConfig config) {
        // Before the old one is closed, which has mapped what recovery walked through: the store may go on with that.
        final StorageFile file = files.openForAppending(segment, config);
        try {
            segment.file().close();
            // Not through the old one, which does not know that recovery may have cut the file.
            final Segment active = segment.through(file, null, segment.modifiedMs());
            active.readFirstTimestamp();
            return active;
        } catch (final RuntimeException | Error e) {
            CloseHelper.close(e::addSuppressed, file);
            throw e;
        }
    }
}
