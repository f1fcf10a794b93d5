package io.cordwood.inspector;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.ConfigException;
import io.cordwood.log.CorruptLogException;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.LoadUnit;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogLoading;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code recover}: opens a partition as a broker would, tells what that found and did, and closes it cleanly. */
@Command(
        name = "recover",
        mixinStandardHelpOptions = true,
        versionProvider = Cordwood.Version.class,
        description =
                "Makes a partition whole after a crash, as a start of the broker would, and tells what was found, cut and"
                        + " rebuilt: file, position, offset and reason. Locks the data directory that holds it. With"
                        + " --dry-run it tells what it would do, and writes nothing.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cordwood recover --dry-run /var/kafka/orders-0              what would a start do?",
            "  cordwood recover /var/kafka/orders-0                        do it",
            "  cordwood recover --recovery-point 0 /var/kafka/orders-0     look at every batch",
            "  cordwood recover --set index.interval.bytes=1024 --format json data/orders-0",
            "",
            "The data directory's marker and checkpoints say where to look for damage from; without them, everywhere.",
            "Index settings should be the topic's: an index that is rebuilt gets its entries by them.",
            "Exit code: 0 no batch is lost, at most the torn end that a crash leaves was cut; 1 batches were cut, damage",
            "stays, or a checkpoint is damaged, all are listed; 2 wrong command line; 3 the log cannot be opened, or the directory is in use."
        })
final class RecoverCommand implements Callable<Integer> {
    private final Streams streams;

    @Parameters(paramLabel = "DIR", description = "A partition directory, <topic>-<partition>.")
    private String directory = "";

    @ArgGroup
    private Start start = new Start();

    @Option(names = "--dry-run", description = "Tell what a recovery would do, and write nothing.")
    private boolean isDryRun;

    @Option(
            names = "--set",
            paramLabel = "PROPERTY=VALUE",
            description = "A topic setting by Kafka's name, such as index.interval.bytes=1024. May be repeated.")
    private Map<String, String> settings = new TreeMap<>();

    @Option(names = "--format", paramLabel = "FORMAT", description = "text or json (default: text).")
    private Format format = Format.text;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Which kind of start is assumed; without any of these, what the data directory says. */
    static final class Start {
        @Option(
                names = "--recovery-point",
                paramLabel = "N",
                description = "Assume a crash, and that all below offset N was safe on the disk before it.")
        private @Nullable Long recoveryPoint;

        @Option(names = "--clean", description = "Assume that the log was closed cleanly.")
        private boolean isClean;
    }

    RecoverCommand(final Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws IOException {
        if (start.recoveryPoint != null && start.recoveryPoint < 0) {
            throw wrong("--recovery-point is " + start.recoveryPoint + ", but the least is 0");
        }
        final LogConfig config = config();
        final RecoveryWriter writer = format == Format.json
                ? new JsonRecovery(streams.out(), directory, isDryRun)
                : new TextRecovery(streams.out(), directory, isDryRun);
        try {
            return recover(writer, config);
        } catch (final StorageException | CorruptLogException e) {
            return refused(writer, e);
        } catch (final CommandFailure e) {
            if (e.exitCode() != ExitCode.IO) {
                throw e;
            }
            return refused(writer, e);
        } catch (final ParameterException e) {
            throw e;
        } catch (final RuntimeException e) {
            // Not foreseen: the command line says where it was met.
            writer.failed(e);
            throw e;
        }
    }

    private int recover(final RecoveryWriter writer, final LogConfig config) throws IOException {
        final Path path = Place.ofPartition(Path.of(directory));
        final Path parent = path.getParent();
        final PartitionName partition = PartitionName.parse(String.valueOf(path.getFileName()));
        if (parent == null || partition == null) {
            throw wrong(directory + ": the name of a partition directory is <topic>-<partition>");
        }
        try (DiskStorage disk = new DiskStorage(parent);
                Storage storage = isDryRun ? new DryStorage(disk, System::currentTimeMillis) : disk) {
            requirePartition(path);
            final Recovered recovered = recover(disk, storage, partition, config);
            writer.recovered(recovered);
            return recovered.isLossless() ? ExitCode.FINE : ExitCode.DAMAGE;
        }
    }

    private int refused(final RecoveryWriter writer, final RuntimeException failure) throws IOException {
        writer.failed(failure);
        streams.err().println("cordwood: " + failure.getMessage());
        return ExitCode.IO;
    }

    private LogConfig config() {
        try {
            return LogConfig.of(settings);
        } catch (final ConfigException e) {
            throw wrong("--set " + e.getMessage());
        }
    }

    /** A recovery makes a log where there is none, which is nothing that anyone wants of another directory. */
    private void requirePartition(final Path path) {
        if (Files.exists(path) && !Files.isDirectory(path)) {
            throw CommandFailure.io(directory + ": is not a directory");
        }
        try (Storage storage = new DiskStorage(Place.root(directory))) {
            if (!Place.isPartition(storage.list(""))) {
                throw wrong(directory + ": is no partition directory, it has no segment and none of a log's files");
            }
        }
    }

    private Recovered recover(
            final Storage disk, final Storage storage, final PartitionName partition, final LogConfig config) {
        final Map<String, Long> bytesBefore = sizes(disk, partition);
        final Recovered opened;
        try (LogDirectory data = LogDirectory.openAround(storage, partition, DirectoryConfig.defaults())) {
            // Asked of what was opened: the parent may have become a data directory a moment ago.
            final boolean isInDataDirectory = !data.isAlone();
            final PartitionCells cells = load(data, partition, config);
            final Log log = cells.log();
            final Recovered.Found found = new Recovered.Found(
                    isInDataDirectory ? storage.describe("") : null,
                    start.recoveryPoint == null && (start.isClean || cells.wasClean()),
                    cells.recoveryPoint(),
                    cells.startOffset(),
                    data.findings(),
                    cells.areOffsetsKnown());
            opened = new Recovered(
                    found,
                    log.recovery(),
                    // Nothing lies below the first segment, so the recovery point does not either.
                    Math.max(log.flushedOffset(), log.baseOffsets()[0]),
                    log.leaderEpochs().entries(),
                    Arrays.stream(log.baseOffsets()).boxed().toList(),
                    bytesBefore,
                    Map.of(),
                    isInDataDirectory && data.wasClean());
        }
        return opened.closed(sizes(storage, partition));
    }

    /** Opens the one partition, as one of all that a start would open, since that is what can be watched. */
    private PartitionCells load(final LogDirectory data, final PartitionName partition, final LogConfig config) {
        final LogLoading loading = data.load((cells, builder) -> prepare(partition, config, cells, builder));
        LoadUnit mine = null;
        for (LoadUnit unit = loading.next(); unit != null; unit = loading.next()) {
            if (unit.partition().name().equals(partition)) {
                mine = unit;
            } else {
                unit.run(System.currentTimeMillis());
            }
        }
        final LoadUnit found = Objects.requireNonNull(mine, () -> "no partition " + partition);
        try (RecoveryWatch watch = new RecoveryWatch(streams)) {
            watch.begin(found.progress());
            found.run(System.currentTimeMillis());
        }
        final RuntimeException failure = found.failure();
        if (failure != null) {
            throw failure;
        }
        return found.partition();
    }

    private boolean prepare(
            final PartitionName partition,
            final LogConfig config,
            final PartitionCells cells,
            final LogBuilder builder) {
        if (!cells.name().equals(partition)) {
            return false;
        }
        if (start.recoveryPoint != null) {
            cells.recoveryPoint(start.recoveryPoint);
        } else if (start.isClean) {
            cells.recoveryPoint(Long.MAX_VALUE);
        }
        builder.config(config).indexes(new SparseIndexes());
        return true;
    }

    private static Map<String, Long> sizes(final Storage storage, final PartitionName partition) {
        final Map<String, Long> sizes = new TreeMap<>();
        for (final FileStatus file : storage.list(partition.directory())) {
            if (!file.isDirectory()) {
                sizes.put(file.name(), file.length());
            }
        }
        return sizes;
    }

    private ParameterException wrong(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
