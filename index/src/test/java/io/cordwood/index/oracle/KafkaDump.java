package io.cordwood.index.oracle;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.tools.DumpLogSegments;

/**
 * What Kafka's {@code DumpLogSegments} says of all files of a partition directory: it reads every record, holds every entry
 * of both indexes against the log, and runs the sanity check by which a broker decides to rebuild an index.
 *
 * @param batches number of batches that were dumped.
 * @param records number of records that were dumped.
 * @param indexEntries number of entries of the offset indexes.
 * @param timeIndexEntries number of entries of the time indexes.
 * @param gaps where offsets are not consecutive within a segment: last offset before the gap, first one behind it.
 * @param complaints lines that do not belong to the dump of a sound log; gaps are not among them.
 */
record KafkaDump(
        int batches,
        int records,
        int indexEntries,
        int timeIndexEntries,
        SortedMap<Long, Long> gaps,
        List<String> complaints) {
    private static final Pattern BATCH = Pattern.compile("baseOffset: \\d+ .* isvalid: true");
    private static final Pattern RECORD = Pattern.compile("\\| offset: \\d+ .*");
    private static final Pattern INDEX_ENTRY = Pattern.compile("offset: \\d+ position: \\d+");
    private static final Pattern TIME_ENTRY = Pattern.compile("timestamp: -?\\d+ offset: \\d+");
    private static final Pattern GAP = Pattern.compile(" *(\\d+) is followed by (\\d+)");
    // "-1 is followed by": the tool says it of the first batch of each file that does not begin at offset 0.
    private static final Pattern EXPECTED = Pattern.compile(String.join(
            "|",
            "Dumping .*",
            "Log starting offset: \\d+",
            ".* is empty\\.",
            ".* passed sanity check\\.",
            "Non-consecutive offsets in .*",
            " *-1 is followed by \\d+",
            "producerId: .*",
            "version: 0 producerId: .*"));

    /**
     * Dumps a directory whose log is closed.
     *
     * @param directory of one partition.
     * @return what the tool said.
     * @throws Exception the tool's own, which a sound log does not cause.
     */
    static KafkaDump of(final Path directory) throws Exception {
        final String files = String.join(",", dumpable(directory));
        final List<String> lines = new ArrayList<>(
                Console.during(() -> DumpLogSegments.main(new String[] {"--deep-iteration", "--files", files})));
        lines.addAll(
                Console.during(() -> DumpLogSegments.main(new String[] {"--index-sanity-check", "--files", files}))
                        .stream()
                        .filter(line -> !BATCH.matcher(line).matches())
                        .toList());
        return parse(lines);
    }

    private static List<String> dumpable(final Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(Path::toString)
                    .filter(name -> name.matches(".*\\.(log|index|timeindex|txnindex|snapshot)"))
                    .sorted()
                    .toList();
        }
    }

    private static KafkaDump parse(final List<String> lines) {
        int batches = 0;
        int records = 0;
        int indexEntries = 0;
        int timeIndexEntries = 0;
        final SortedMap<Long, Long> gaps = new TreeMap<>();
        final List<String> complaints = new ArrayList<>();
        for (final String line : lines) {
            final Matcher gap = GAP.matcher(line);
            if (BATCH.matcher(line).matches()) {
                batches++;
            } else if (RECORD.matcher(line).matches()) {
                records++;
            } else if (INDEX_ENTRY.matcher(line).matches()) {
                indexEntries++;
            } else if (TIME_ENTRY.matcher(line).matches()) {
                timeIndexEntries++;
            } else if (gap.matches()) {
                gaps.put(Long.parseLong(gap.group(1)), Long.parseLong(gap.group(2)));
            } else if (!EXPECTED.matcher(line).matches()) {
                complaints.add(line);
            }
        }
        return new KafkaDump(batches, records, indexEntries, timeIndexEntries, gaps, complaints);
    }
}
