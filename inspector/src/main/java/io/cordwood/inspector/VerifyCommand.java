package io.cordwood.inspector;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The command {@code verify}: reads every byte of segments and indexes and tells what is wrong; changes nothing. */
@Command(
        name = "verify",
        mixinStandardHelpOptions = true,
        versionProvider = Cordwood.Version.class,
        description =
                "Checks every batch, record and index entry of segments, partitions or a whole data directory, and tells"
                        + " each fault with file, position, offset and reason. Goes on behind damage. Reads only.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cordwood verify /var/kafka",
            "  cordwood verify --format json /var/kafka/orders-0",
            "",
            "Exit code: 0 no fault; 1 faults were found; 2 wrong command line; 3 something could not be checked,",
            "since a file or directory cannot be read, or a codec's library is missing.",
            "Gaps between offsets are no fault: the cleaner makes them. They are counted."
        })
final class VerifyCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(
            paramLabel = "PATH",
            arity = "1..*",
            description = "A segment file, a partition directory, or a directory that holds partitions.")
    private List<String> paths = List.of();

    @Option(names = "--format", paramLabel = "FORMAT", description = "text or json (default: text).")
    private Format format = Format.text;

    VerifyCommand(final Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws IOException {
        for (final String path : paths) {
            Place.root(path);
        }
        final FaultWriter writer = writer();
        final Progress progress = new Progress(streams, "verified");
        try {
            for (final String path : paths) {
                try (Storage storage = new DiskStorage(Place.root(path))) {
                    for (final Place place : Place.find(path, storage)) {
                        verify(storage, place, writer, progress);
                    }
                }
            }
            writer.end();
        } finally {
            progress.clear();
            writer.close();
        }
        if (writer.exitCode() == ExitCode.IO) {
            streams.err().println("cordwood: not everything could be checked");
        }
        return writer.exitCode();
    }

    static void verify(final Storage storage, final Place place, final FaultWriter writer, final Progress progress)
            throws IOException {
        writer.begin(place);
        final Consumer<Fault> faults = fault -> {
            progress.clear();
            try {
                writer.fault(place, fault);
            } catch (final IOException e) {
                throw new UncheckedIOException(e);
            }
        };
        try (LogCheck check = new LogCheck(storage, Memory.batchBytesMax(), Memory.decompressedBytesMax(), faults)) {
            check.progress(progress::add);
            final String name = place.segmentFile();
            if (name == null) {
                check.with(new IndexFaults(storage));
                writer.end(check.check(place.directory()));
            } else {
                final PartitionFiles.SegmentFiles segment =
                        PartitionFiles.list(storage, place).segments().get(0);
                final FileStatus log = segment.log();
                // A file that was put aside under another name shares no index with the one in its place.
                if (LogFiles.offset(name, LogFiles.LOG) >= 0) {
                    check.with(new IndexFaults(storage));
                }
                writer.end(check.checkSegment(place.directory(), log, segment.baseOffset()));
            }
        }
    }

    private FaultWriter writer() throws IOException {
        if (format == Format.json) {
            final JsonGenerator json = new JsonFactory().createGenerator(streams.out());
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            return new JsonFaults(json);
        }
        return new TextFaults(new Lines(streams.out()));
    }
}
