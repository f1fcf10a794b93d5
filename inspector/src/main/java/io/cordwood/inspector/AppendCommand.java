package io.cordwood.inspector;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Durability;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code append}: appends a record for each line of standard input to a partition. */
@Command(
        name = "append",
        mixinStandardHelpOptions = true,
        versionProvider = Cordwood.Version.class,
        description =
                "Appends a record for each line of standard input to a partition directory, which is made with its"
                        + " parents if it is missing. Locks the data directory that holds it, as a broker does.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  printf 'a\\nb\\n' | cordwood append data/orders-0",
            "  cordwood append --key-separator : --compression zstd data/orders-0 < orders.txt",
            "",
            "Says on standard error what was appended. Exit code: 0 all lines are appended; 1 the log is damaged;",
            "2 wrong command line, or a line that cannot be a record; 3 the directory cannot be written or is in use."
        })
final class AppendCommand implements Callable<Integer> {
    private static final int PROBE_BYTES = 1 << 16;

    private final Streams streams;

    @Parameters(paramLabel = "DIR", description = "A partition directory, <topic>-<partition>.")
    private String directory = "";

    @Option(
            names = "--key-separator",
            paramLabel = "S",
            description = "What stands before its first occurrence in a line is the key, what follows the value. A line"
                    + " without it has no key. Without this option no record has a key.")
    private @Nullable String keySeparator;

    @Option(
            names = "--compression",
            paramLabel = "CODEC",
            description = "none, gzip, snappy, lz4 or zstd (default: none).",
            converter = CodecName.class)
    private CompressionType compression = CompressionType.NONE;

    @Option(
            names = "--batch-records",
            paramLabel = "N",
            description = "Records in a batch, fewer if they would have more than 1 MiB (default: 500).")
    private int batchRecords = 500;

    @Option(
            names = "--durability",
            paramLabel = "WHEN",
            description = "page-cache or forced: whether each batch is on the disk before the next one is appended"
                    + " (default: page-cache). At the end all is forced in both cases.",
            converter = DurabilityName.class)
    private Durability durability = Durability.PAGE_CACHE;

    @Option(
            names = "--acknowledge",
            description =
                    "Print to standard output, for each batch once it is appended as --durability says, the offset"
                            + " behind its last record.")
    private boolean isAcknowledging;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    AppendCommand(final Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws Exception {
        if (batchRecords < 1) {
            throw new ParameterException(
                    spec.commandLine(), "--batch-records is " + batchRecords + ", but the least is 1");
        }
        if (keySeparator != null && keySeparator.isEmpty()) {
            throw new ParameterException(spec.commandLine(), "--key-separator is empty");
        }
        final Path path = Place.ofPartition(Path.of(directory));
        final Path parent = path.getParent();
        final Path name = path.getFileName();
        final PartitionName partition = name == null ? null : PartitionName.parse(name.toString());
        if (parent == null || partition == null) {
            throw new ParameterException(
                    spec.commandLine(), directory + ": the name of a partition directory is <topic>-<partition>");
        }
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw CommandFailure.io(directory + ": is not a directory");
        }
        requireLibrary(compression);
        try (Storage storage = new DiskStorage(parent)) {
            makeParents(parent);
            try (LogDirectory data = LogDirectory.openAround(storage, partition, DirectoryConfig.defaults())) {
                if (!data.names().contains(partition)) {
                    data.create(partition, null);
                }
                final PartitionCells cells = data.open(partition, AppendCommand::prepare, System.currentTimeMillis());
                append(Objects.requireNonNull(cells).log());
            }
        }
        return ExitCode.FINE;
    }

    /** A codec without its library is met here, before anything is made. */
    private static void requireLibrary(final CompressionType type) {
        final UnsafeBuffer one = new UnsafeBuffer(new byte[1]);
        Codecs.standard().of(type).compress(one, 0, 1, CompressionType.DEFAULT_LEVEL, new CodecBuffer(PROBE_BYTES));
    }

    /** Makes the data directory, with the names of what is made durable. */
    private static void makeParents(final Path parent) {
        if (Files.isDirectory(parent)) {
            return;
        }
        final Path above = parent.getParent();
        if (above != null) {
            makeParents(above);
            try (Storage storage = new DiskStorage(above)) {
                storage.makeDirectory(String.valueOf(parent.getFileName()));
                storage.syncDirectory("");
            }
        }
    }

    private static boolean prepare(final PartitionCells partition, final LogBuilder builder) {
        builder.config(LogConfig.defaults()).indexes(new SparseIndexes());
        return true;
    }

    private void append(final Log log) throws IOException {
        final int bytesMax = log.config().maxMessageBytes();
        final LineReader lines = new LineReader(streams.in(), bytesMax);
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[bytesMax]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard());
        final AppendAs client = AppendAs.client(Math.max(0, log.leaderEpochs().latestEpoch()));
        final AppendAs as = durability == Durability.FORCED ? client.forced() : client;
        final Progress progress = new Progress(streams, "appended");
        final long begin = log.endOffset();
        batch.wrap(buffer, 0, bytesMax).compression(compression, CompressionType.DEFAULT_LEVEL);
        try {
            while (hasNext(lines, log, batch, buffer, as)) {
                if (!add(batch, lines)) {
                    finish(log, batch, buffer, as, lines);
                    batch.wrap(buffer, 0, bytesMax).compression(compression, CompressionType.DEFAULT_LEVEL);
                    if (!add(batch, lines)) {
                        throw CommandFailure.usage("line " + lines.number() + ": a record of " + lines.length()
                                + " bytes does not fit into a batch of " + bytesMax + " bytes");
                    }
                }
                progress.add(lines.length());
                if (batch.recordCount() == batchRecords) {
                    finish(log, batch, buffer, as, lines);
                    batch.wrap(buffer, 0, bytesMax).compression(compression, CompressionType.DEFAULT_LEVEL);
                }
            }
            finish(log, batch, buffer, as, lines);
        } finally {
            progress.clear();
        }
        final long end = log.endOffset();
        streams.err()
                .println(
                        end == begin
                                ? "nothing appended; the log ends at offset " + end
                                : "appended " + Text.count(end - begin, "record") + ", offsets " + begin + " to "
                                        + (end - 1));
    }

    /** A line that cannot be a record ends the command, but not before those above it are appended. */
    private boolean hasNext(
            final LineReader lines,
            final Log log,
            final BatchBuilder batch,
            final DirectBuffer buffer,
            final AppendAs as)
            throws IOException {
        try {
            return lines.next();
        } catch (final CommandFailure e) {
            finish(log, batch, buffer, as, lines);
            throw e;
        }
    }

    private boolean add(final BatchBuilder batch, final LineReader line) {
        final long nowMs = System.currentTimeMillis();
        final DirectBuffer bytes = line.buffer();
        final byte[] separator = keySeparator == null ? null : keySeparator.getBytes(StandardCharsets.UTF_8);
        final int key = separator == null ? -1 : line.indexOf(separator);
        if (separator == null || key < 0) {
            return batch.append(nowMs, null, 0, -1, bytes, 0, line.length(), null);
        }
        final int value = key + separator.length;
        return batch.append(nowMs, bytes, 0, key, bytes, value, line.length() - value, null);
    }

    private void finish(
            final Log log,
            final BatchBuilder batch,
            final DirectBuffer buffer,
            final AppendAs as,
            final LineReader lines)
            throws IOException {
        if (batch.recordCount() == 0) {
            return;
        }
        final long result = log.append(buffer, 0, batch.finish(), as, System.currentTimeMillis());
        if (Refusal.isRefusal(result)) {
            throw CommandFailure.usage(
                    "up to line " + lines.number() + ": refused: " + Refusal.name(result) + ": " + log.refusalReason());
        }
        while (log.isFlushDue(System.currentTimeMillis()) && log.flush() == Refusal.FORCE_UNDER_WAY) {
            Thread.onSpinWait();
        }
        if (isAcknowledging) {
            streams.out().write((log.endOffset() + "\n").getBytes(StandardCharsets.US_ASCII));
            streams.out().flush();
        }
    }

    /** Reads the name of a codec. */
    static final class CodecName implements ITypeConverter<CompressionType> {
        @Override
        public CompressionType convert(final String value) {
            for (final CompressionType type : CompressionType.values()) {
                if (type.codecName().equals(value.toLowerCase(Locale.ROOT))) {
                    return type;
                }
            }
            throw new TypeConversionException("'" + value + "' is none of none, gzip, snappy, lz4, zstd");
        }
    }

    /** Reads the name of a durability. */
    static final class DurabilityName implements ITypeConverter<Durability> {
        @Override
        public Durability convert(final String value) {
            return switch (value) {
                case "page-cache" -> Durability.PAGE_CACHE;
                case "forced" -> Durability.FORCED;
                default -> throw new TypeConversionException("'" + value + "' is neither page-cache nor forced");
            };
        }
    }
}
