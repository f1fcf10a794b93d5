package io.cordwood.inspector;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code dump}: shows what is in the files of partitions, and changes nothing. */
@Command(
        name = "dump",
        mixinStandardHelpOptions = true,
        versionProvider = Cordwood.Version.class,
        description =
                "Shows what is in segments, partitions or a whole data directory: batches, records, index entries,"
                        + " leader epochs. Reads only, also beside a running broker.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cordwood dump /var/kafka/orders-0",
            "  cordwood dump --records /var/kafka/orders-0/00000000000000000000.log",
            "  cordwood dump --format json /var/kafka | jq '.partitions[].topic'",
            "",
            "Exit code: 0 all bytes are good batches; 1 a batch or trailing bytes are not; 2 wrong command line;",
            "3 a file or directory cannot be read, or a codec's library is missing."
        })
final class DumpCommand implements Callable<Integer> {
    private static final int READ_BYTES_LEAST = 61;

    private final Streams streams;

    @Parameters(
            paramLabel = "PATH",
            arity = "1..*",
            description = "A segment file, a partition directory, or a directory that holds partitions.")
    private List<String> paths = List.of();

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "text or json (default: text). JSON always has the records.")
    private Format format = Format.text;

    @Option(names = "--records", description = "In text, show the records below their batches.")
    private boolean showsRecords;

    @Option(
            names = "--max-bytes",
            paramLabel = "N",
            description =
                    "Read no more than N bytes of segments (at least 61), but for a first batch that is larger. Files are"
                            + " not hashed and index entries not read then.")
    private long readBytesMax = Long.MAX_VALUE;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    DumpCommand(final Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws IOException {
        if (readBytesMax < READ_BYTES_LEAST) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--max-bytes is " + readBytesMax + ", but the least is " + READ_BYTES_LEAST + ", a batch's header");
        }
        for (final String path : paths) {
            Place.root(path);
        }
        final Progress progress = Progress.besideResults(streams, "read");
        try (SegmentWalk walk = new SegmentWalk(readBytesMax, progress)) {
            final DumpWriter writer = writer(walk, progress);
            try {
                final int exitCode = dump(writer);
                if (exitCode == ExitCode.IO) {
                    streams.err().println("cordwood: not everything could be read");
                }
                return exitCode;
            } catch (final RuntimeException | Error e) {
                writer.flush();
                throw e;
            } finally {
                progress.clear();
            }
        }
    }

    private int dump(final DumpWriter writer) throws IOException {
        int exitCode = ExitCode.FINE;
        for (final String path : paths) {
            try (Storage storage = new DiskStorage(Place.root(path))) {
                for (final Place place : Place.find(path, storage)) {
                    exitCode = Math.max(exitCode, writer.partition(storage, place));
                }
            }
        }
        writer.end();
        return exitCode;
    }

    private DumpWriter writer(final SegmentWalk walk, final Progress progress) throws IOException {
        final boolean isLimited = readBytesMax != Long.MAX_VALUE;
        if (format == Format.json) {
            final JsonGenerator json = new JsonFactory().createGenerator(streams.out());
            json.disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET);
            return new JsonDump(json, walk, progress, isLimited);
        }
        return new TextDump(new Lines(streams.out()), walk, showsRecords, isLimited);
    }
}
