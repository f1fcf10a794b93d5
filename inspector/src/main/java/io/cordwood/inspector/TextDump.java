package io.cordwood.inspector;

import io.cordwood.inspector.PartitionFiles.SegmentFiles;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.LeaderEpoch;
import io.cordwood.log.LeaderEpochCheckpoint;
import io.cordwood.log.LogFiles;
import io.cordwood.log.PartitionMetadata;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.util.List;
import java.util.StringJoiner;
import org.jspecify.annotations.Nullable;

/** Writes a dump for people: per partition a head and a sum, per segment a line, a table of its batches and what is wrong. */
final class TextDump implements DumpWriter {
    private final Lines out;
    private final SegmentWalk walk;
    private final TextBatch batches;
    private final boolean isLimited;
    private boolean isFirst = true;
    private boolean isIncomplete;

    TextDump(final Lines out, final SegmentWalk walk, final boolean showsRecords, final boolean isLimited) {
        this.out = out;
        this.walk = walk;
        this.isLimited = isLimited;
        batches = new TextBatch(out, walk, showsRecords);
    }

    @Override
    public int partition(final Storage storage, final Place place) throws IOException {
        if (!isFirst) {
            out.line();
        }
        isFirst = false;
        final PartitionFiles files;
        try {
            files = PartitionFiles.list(storage, place);
        } catch (final StorageException e) {
            out.line(place.label());
            notRead("  ", e);
            return ExitCode.IO;
        }
        out.line(place.label());
        int exitCode = head(storage, place, files);
        final Counts sum = new Counts();
        for (final SegmentFiles segment : files.segments()) {
            exitCode = Math.max(exitCode, segment(storage, place.directory(), segment));
            sum.add(walk.counts());
        }
        out.line();
        out.line("  " + sum(files, sum));
        return isIncomplete ? ExitCode.IO : exitCode;
    }

    private void notRead(final String indent, final StorageException e) throws IOException {
        isIncomplete = true;
        out.line(indent + "NOT READ: " + e.getMessage());
    }

    private int head(final Storage storage, final Place place, final PartitionFiles files) throws IOException {
        final StringBuilder line = new StringBuilder("  ");
        final PartitionName name = PartitionName.parseMarked(place.folder());
        if (name != null) {
            line.append("topic ")
                    .append(name.topic())
                    .append(", partition ")
                    .append(name.partition())
                    .append(", ");
        }
        long bytes = 0;
        for (final FileStatus file : files.all()) {
            bytes += file.length();
        }
        line.append(Text.count(files.segments().size(), "segment"))
                .append(", ")
                .append(Text.count(files.all().size(), "file"))
                .append(", ")
                .append(Text.count(bytes, "byte"));
        out.line(line);
        return place.segmentFile() == null ? besides(storage, place.directory()) : ExitCode.FINE;
    }

    private int besides(final Storage storage, final String directory) throws IOException {
        int exitCode = ExitCode.FINE;
        try {
            final PartitionMetadata metadata = PartitionMetadata.read(storage, directory);
            if (metadata != null) {
                out.line("  topic id " + metadata.topicIdText());
            }
        } catch (final CorruptLogException e) {
            out.line(bad(LogFiles.PARTITION_METADATA, e.reason()));
            exitCode = ExitCode.DAMAGE;
        } catch (final StorageException e) {
            notRead("  ", e);
        }
        try {
            final List<LeaderEpoch> epochs = LeaderEpochCheckpoint.read(storage, directory);
            if (epochs != null && !epochs.isEmpty()) {
                final StringJoiner line = new StringJoiner(", ", "  leader epochs ", "");
                epochs.forEach(entry -> line.add(entry.epoch() + " from offset " + entry.startOffset()));
                out.line(line.toString());
            }
        } catch (final CorruptLogException e) {
            out.line(bad(LogFiles.LEADER_EPOCHS, e.reason()));
            exitCode = ExitCode.DAMAGE;
        } catch (final StorageException e) {
            notRead("  ", e);
        }
        return exitCode;
    }

    private static String bad(final String file, final String error) {
        return "  DAMAGED " + file + ": " + error;
    }

    private int segment(final Storage storage, final String directory, final SegmentFiles segment) throws IOException {
        out.line();
        final long size = segment.log().length();
        out.line("  " + segment.log().name() + "  " + Text.count(size, "byte"));
        batches.begin();
        walk.walk(storage, LogFiles.path(directory, segment.log().name()), segment.baseOffset(), size, batches::write);
        final Counts counts = walk.counts();
        out.line("    " + Text.count(counts.batches(), "batch") + ", " + records(counts) + offsets(counts));
        final String indexes = index(storage, directory, segment.baseOffset(), segment.offsetIndex(), false) + ", "
                + index(storage, directory, segment.baseOffset(), segment.timeIndex(), true);
        out.line("    " + indexes);
        if (counts.damagedBatches() > 0) {
            out.line("    DAMAGED: " + Text.count(counts.damagedBatches(), "batch") + ", marked above");
        }
        if (counts.unreadBatches() > 0) {
            out.line("    NOT READ: the records of " + Text.count(counts.unreadBatches(), "batch") + ", marked above");
        }
        if (walk.trailingBytes() > 0) {
            out.line("    DAMAGED: " + trailing(walk.trailingBytes()) + " invalid at position " + walk.parsedBytes()
                    + ": " + walk.reason());
        }
        if (!walk.readError().isEmpty()) {
            out.line("    NOT READ from position " + walk.parsedBytes() + " on: " + walk.readError());
        }
        if (walk.skippedBytes() > 0) {
            out.line("    " + Text.count(walk.skippedBytes(), "byte") + " not read from position " + walk.parsedBytes()
                    + " on: limit reached");
        }
        return walk.exitCode();
    }

    private static String trailing(final long bytes) {
        return bytes + " trailing " + (bytes == 1 ? "byte" : "bytes");
    }

    private static String records(final Counts counts) {
        return Text.count(counts.dataRecords(), "data record")
                + (counts.controlRecords() == 0 ? "" : " and " + Text.count(counts.controlRecords(), "control record"));
    }

    private static String offsets(final Counts counts) {
        return counts.batches() == 0 ? "" : ", offsets " + counts.firstOffset() + " to " + (counts.endOffset() - 1);
    }

    private static String sum(final PartitionFiles files, final Counts sum) {
        if (sum.batches() == 0) {
            final long next = files.segments().isEmpty()
                    ? 0
                    : files.segments().get(files.segments().size() - 1).baseOffset();
            return "in all: no records, end offset " + next;
        }
        return "in all: data " + sum.dataRecords() + ", control " + sum.controlRecords() + offsets(sum)
                + ", end offset " + sum.endOffset() + ", last data offset "
                + (sum.lastDataOffset() < 0 ? "none" : sum.lastDataOffset());
    }

    private String index(
            final Storage storage,
            final String directory,
            final long base,
            final @Nullable FileStatus file,
            final boolean isTime)
            throws IOException {
        final String name = isTime ? "time index" : "offset index";
        if (file == null) {
            return "no " + name;
        }
        if (isLimited) {
            return name + " of " + Text.count(file.length(), "byte");
        }
        final String path = LogFiles.path(directory, file.name());
        final IndexEntries entries = isTime
                ? IndexEntries.walkTimes(storage, path, file.length(), base, (first, second) -> {})
                : IndexEntries.walkOffsets(storage, path, file.length(), base, (first, second) -> {});
        if (!entries.readError().isEmpty()) {
            isIncomplete = true;
            return name + " (NOT READ: " + entries.readError() + ")";
        }
        final String unused = entries.unused() == 0 ? "" : " (and room for " + Text.number(entries.unused()) + ")";
        // Kafka's check takes the zeros of an index that was not closed for entries; that is no news to anyone.
        final boolean isKnown = entries.sanity().isEmpty() || entries.sanity().equals("ok") || entries.unused() > 0;
        return name + " " + Text.number(entries.entries()) + unused
                + (isKnown ? "" : " (DAMAGED: " + entries.sanity() + ")");
    }

    @Override
    public void end() throws IOException {
        flush();
    }

    @Override
    public void flush() throws IOException {
        out.flush();
    }
}
