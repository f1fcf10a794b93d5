package io.cordwood.inspector;

import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.concurrent.Callable;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** The command {@code read}: prints the records of a partition, one a line, and changes nothing. */
@Command(
        name = "read",
        mixinStandardHelpOptions = true,
        versionProvider = Cordwood.Version.class,
        description =
                "Prints the values of a partition's records, one a line; null for none. Control records are left out."
                        + " Reads only, also beside a running broker, and stops at damage.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cordwood read data/orders-0",
            "  cordwood read --from-offset 1000 --max-records 10 --print-key data/orders-0",
            "  cordwood read --from-timestamp 2026-01-31T08:00:00Z data/orders-0",
            "  cordwood read --tail --max-records 3 data/orders-0",
            "",
            "Exit code: 0 fine; 1 damage was found; 2 wrong command line, or an offset out of range; 3 a file cannot be",
            "read."
        })
final class ReadCommand implements Callable<Integer> {
    private static final int TAIL_RECORDS = 10;
    private static final int TAIL_RECORDS_MAX = 1_000_000;
    private static final byte[] NULL = "null".getBytes(StandardCharsets.US_ASCII);

    private final Streams streams;

    @Parameters(paramLabel = "DIR", description = "A partition directory.")
    private String directory = "";

    @ArgGroup
    private From from = new From();

    @Option(names = "--max-records", paramLabel = "N", description = "Stop after N records.")
    private long recordsMax = Long.MAX_VALUE;

    @Option(names = "--print-key", description = "Print the key and a tab before each value.")
    private boolean printsKey;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    private byte[] copy = new byte[4096];
    private long printed;

    /** Where to begin; without any of these at the start of the log. */
    static final class From {
        @Option(names = "--from-offset", paramLabel = "N", description = "Begin at this offset.")
        private @Nullable Long offset;

        @Option(
                names = "--from-timestamp",
                paramLabel = "T",
                description =
                        "Begin at the first record that is not older: milliseconds since the epoch, or a time such as"
                                + " 2026-01-31T08:00:00Z.",
                converter = Timestamp.class)
        private @Nullable Long timestampMs;

        @Option(names = "--tail", description = "The last records: 10, or --max-records of them.")
        private boolean isTail;
    }

    ReadCommand(final Streams streams) {
        this.streams = streams;
    }

    @Override
    public Integer call() throws IOException {
        if (recordsMax < 0) {
            throw wrong("--max-records is " + recordsMax + ", but the least is 0");
        }
        try (Storage storage = new DiskStorage(Place.root(directory))) {
            final List<Place> places = Place.find(directory, storage);
            final Place place = places.size() == 1 ? places.get(0) : null;
            if (place == null || !place.directory().isEmpty() || place.segmentFile() != null) {
                throw wrong(directory + ": is no partition directory");
            }
            try (ReadOnlyLog log = new ReadOnlyLog(storage, place)) {
                read(log, Math.max(log.startOffset(), LogStart.of(Path.of(directory), streams.err())));
            }
        }
        return ExitCode.FINE;
    }

    private void read(final ReadOnlyLog log, final long start) throws IOException {
        long offset = start;
        if (from.offset != null) {
            offset = from.offset;
            if (offset < start) {
                throw wrong("offset " + offset + " is out of range: the log begins at " + start);
            }
        } else if (from.timestampMs != null) {
            offset = log.offsetForTimestamp(from.timestampMs);
            if (offset < 0) {
                return;
            }
        } else if (from.isTail) {
            recordsMax = Math.min(recordsMax, recordsMax == Long.MAX_VALUE ? TAIL_RECORDS : TAIL_RECORDS_MAX);
            offset = recordsMax == 0 ? start : log.offsetOfLast((int) recordsMax);
        }
        offset = Math.max(offset, start);
        if (recordsMax > 0) {
            try {
                log.fromOffset(offset, this::print);
            } finally {
                streams.out().flush();
            }
        }
        if (from.offset != null && recordsMax > 0 && printed == 0 && offset > log.endOffset()) {
            throw wrong("offset " + offset + " is out of range: the log ends at " + log.endOffset());
        }
    }

    private boolean print(final RecordFlyweight record) throws IOException {
        if (printsKey) {
            write(record.buffer(), record.keyIndex(), record.keyLength());
            streams.out().write('\t');
        }
        write(record.buffer(), record.valueIndex(), record.valueLength());
        streams.out().write('\n');
        printed++;
        return printed < recordsMax;
    }

    private void write(final DirectBuffer buffer, final int index, final int length) throws IOException {
        final OutputStream out = streams.out();
        if (length < 0) {
            out.write(NULL);
            return;
        }
        if (copy.length < length) {
            copy = new byte[length];
        }
        buffer.getBytes(index, copy, 0, length);
        out.write(copy, 0, length);
    }

    private ParameterException wrong(final String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Reads a point in time. */
    static final class Timestamp implements ITypeConverter<Long> {
        @Override
        public Long convert(final String value) {
            try {
                if (value.matches("\\d{1,18}")) {
                    return Long.parseLong(value);
                }
                return value.endsWith("Z")
                        ? Instant.parse(value).toEpochMilli()
                        : OffsetDateTime.parse(value).toInstant().toEpochMilli();
            } catch (final DateTimeException e) {
                throw new TypeConversionException(
                        "'" + value + "' is neither milliseconds nor a time such as" + " 2026-01-31T08:00:00Z");
            }
        }
    }
}
