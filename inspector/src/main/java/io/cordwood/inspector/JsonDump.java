package io.cordwood.inspector;

import com.fasterxml.jackson.core.JsonGenerator;
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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Writes a dump as one JSON object: offsets are absolute, times milliseconds since the epoch, bytes base64, hashes hexadecimal
 * SHA-256. A batch or record begins on a new line, so that line tools can be used, too.
 */
final class JsonDump implements DumpWriter {
    private final JsonGenerator json;
    private final SegmentWalk walk;
    private final Progress progress;
    private final JsonBatch batches;
    private final boolean isLimited;
    private boolean isIncomplete;

    JsonDump(final JsonGenerator json, final SegmentWalk walk, final Progress progress, final boolean isLimited)
            throws IOException {
        this.json = json;
        this.walk = walk;
        this.progress = progress;
        this.isLimited = isLimited;
        batches = new JsonBatch(json, walk);
        json.writeStartObject();
        json.writeArrayFieldStart("partitions");
    }

    @Override
    public int partition(final Storage storage, final Place place) throws IOException {
        json.writeRaw('\n');
        json.writeStartObject();
        json.writeStringField("path", place.label());
        final PartitionName name = PartitionName.parseMarked(place.folder());
        if (name != null) {
            json.writeStringField("topic", name.topic());
            json.writeNumberField("partition", name.partition());
        }
        final PartitionFiles files;
        try {
            files = PartitionFiles.list(storage, place);
        } catch (final StorageException e) {
            readError("readError", e);
            json.writeEndObject();
            return ExitCode.IO;
        }
        int exitCode = place.segmentFile() == null ? besides(storage, place.directory()) : ExitCode.FINE;
        json.writeArrayFieldStart("files");
        for (final FileStatus file : files.all()) {
            file(storage, LogFiles.path(place.directory(), file.name()), file);
        }
        json.writeEndArray();
        json.writeArrayFieldStart("segments");
        for (final SegmentFiles segment : files.segments()) {
            exitCode = Math.max(exitCode, segment(storage, place.directory(), segment));
        }
        json.writeEndArray();
        json.writeEndObject();
        return isIncomplete ? ExitCode.IO : exitCode;
    }

    private void readError(final String field, final StorageException e) throws IOException {
        isIncomplete = true;
        json.writeStringField(field, String.valueOf(e.getMessage()));
    }

    private int besides(final Storage storage, final String directory) throws IOException {
        int exitCode = ExitCode.FINE;
        try {
            final PartitionMetadata metadata = PartitionMetadata.read(storage, directory);
            if (metadata != null) {
                json.writeStringField("topicId", metadata.topicIdText());
            }
        } catch (final CorruptLogException e) {
            json.writeStringField("topicIdError", e.reason());
            exitCode = ExitCode.DAMAGE;
        } catch (final StorageException e) {
            readError("topicIdError", e);
        }
        List<LeaderEpoch> epochs = List.of();
        try {
            epochs = Objects.requireNonNullElse(LeaderEpochCheckpoint.read(storage, directory), epochs);
        } catch (final CorruptLogException e) {
            json.writeStringField("leaderEpochsError", e.reason());
            exitCode = ExitCode.DAMAGE;
        } catch (final StorageException e) {
            readError("leaderEpochsError", e);
        }
        json.writeArrayFieldStart("leaderEpochs");
        for (final LeaderEpoch entry : epochs) {
            json.writeStartObject();
            json.writeNumberField("epoch", entry.epoch());
            json.writeNumberField("startOffset", entry.startOffset());
            json.writeEndObject();
        }
        json.writeEndArray();
        return exitCode;
    }

    private void file(final Storage storage, final String path, final FileStatus file) throws IOException {
        String hash = "";
        StorageException failure = null;
        try {
            hash = isLimited ? "" : Sha256.ofFile(storage, path, file.length(), progress);
        } catch (final StorageException e) {
            if (PartitionFiles.isGone(storage, path)) {
                return;
            }
            failure = e;
        }
        json.writeStartObject();
        json.writeStringField("name", file.name());
        json.writeNumberField("size", file.length());
        if (failure != null) {
            readError("readError", failure);
        } else if (!isLimited) {
            json.writeStringField("sha256", hash);
        }
        json.writeEndObject();
    }

    private int segment(final Storage storage, final String directory, final SegmentFiles segment) throws IOException {
        final String path = LogFiles.path(directory, segment.log().name());
        final long base = segment.baseOffset();
        json.writeRaw('\n');
        json.writeStartObject();
        json.writeNumberField("baseOffset", base);
        json.writeStringField("log", segment.log().name());
        json.writeNumberField("size", segment.log().length());
        index(storage, directory, "offsetIndex", base, segment.offsetIndex(), false);
        index(storage, directory, "timeIndex", base, segment.timeIndex(), true);
        json.writeArrayFieldStart("batches");
        walk.walk(storage, path, base, segment.log().length(), batches::write);
        json.writeEndArray();
        json.writeNumberField("parsedBytes", walk.parsedBytes());
        json.writeNumberField("trailingBytes", walk.trailingBytes());
        if (walk.trailingBytes() > 0) {
            json.writeStringField("parseError", walk.reason());
        }
        if (!walk.readError().isEmpty()) {
            json.writeStringField("readError", walk.readError());
        }
        if (walk.skippedBytes() > 0) {
            json.writeNumberField("skippedBytes", walk.skippedBytes());
        }
        json.writeEndObject();
        return walk.exitCode();
    }

    private void index(
            final Storage storage,
            final String directory,
            final String field,
            final long base,
            final @Nullable FileStatus file,
            final boolean isTime)
            throws IOException {
        if (file == null) {
            json.writeNullField(field);
            return;
        }
        json.writeObjectFieldStart(field);
        json.writeNumberField("size", file.length());
        if (!isLimited) {
            json.writeArrayFieldStart("entries");
            final String path = LogFiles.path(directory, file.name());
            final IndexEntries entries = isTime
                    ? IndexEntries.walkTimes(storage, path, file.length(), base, this::entry)
                    : IndexEntries.walkOffsets(storage, path, file.length(), base, this::entry);
            json.writeEndArray();
            json.writeNumberField("unusedEntries", entries.unused());
            if (!entries.readError().isEmpty()) {
                isIncomplete = true;
                json.writeStringField("readError", entries.readError());
            }
            if (!entries.sanity().isEmpty()) {
                json.writeStringField("sanityCheck", entries.sanity());
            }
        }
        json.writeEndObject();
    }

    private void entry(final long first, final long second) throws IOException {
        json.writeStartArray();
        json.writeNumber(first);
        json.writeNumber(second);
        json.writeEndArray();
    }

    @Override
    public void end() throws IOException {
        json.writeEndArray();
        json.writeEndObject();
        json.writeRaw('\n');
        flush();
    }

    @Override
    public void flush() throws IOException {
        json.close();
    }
}
