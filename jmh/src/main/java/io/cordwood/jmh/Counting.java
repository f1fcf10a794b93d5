package io.cordwood.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;

/**
 * Counts what noise cannot touch: bytes allocated, calls that read and write, forces. Each row runs in a process of its own, a fixed
 * number of operations, less what the measuring takes by itself, and is held against its bound. Nothing here depends on how fast the machine is.
 */
final class Counting {
    private static final int WARM_UPS = 3;
    private static final int ITERATIONS = 3;

    /** One collector thread and a small heap start fastest; what is allocated does not depend on them. */
    private static final List<String> FORK_FLAGS = List.of("-Xms256m", "-Xmx256m", "-XX:+UseSerialGC");

    static {
        // JMH wants to be alone, for the sake of its times.
        System.setProperty("jmh.ignoreLock", "true");
    }

    private final BenchOptions options;
    private final Bounds bounds;
    private final Path journal;
    private final List<String> table = new ArrayList<>();
    private final Set<String> problems = new LinkedHashSet<>();
    private boolean areCallsCounted = true;
    private @Nullable Count own;

    /**
     * Prepares a run.
     *
     * @param options of the command line.
     * @param bounds of the rows.
     * @param journal what JMH prints is appended to it.
     */
    Counting(final BenchOptions options, final Bounds bounds, final Path journal) {
        this.options = options;
        this.bounds = bounds;
        this.journal = journal;
    }

    /**
     * Runs all rows that the command line asks for, and prints them.
     *
     * @param options of the command line.
     * @param file of the bounds.
     * @param journal what JMH prints is appended to it.
     * @return whether every row keeps its bound.
     * @throws RunnerException if a benchmark fails.
     * @throws IOException if the files cannot be read or written.
     */
    static boolean run(final BenchOptions options, final Path file, final Path journal)
            throws RunnerException, IOException {
        final Bounds bounds = Bounds.read(file);
        final Counting counting = new Counting(options, bounds, journal);
        final List<CountRow> rows = CountRows.all();
        final Set<String> names = rows.stream().map(CountRow::name).collect(Collectors.toSet());
        counting.problems.addAll(bounds.problemsOf(names));
        for (final CountRow row : rows) {
            if (options.groups().isEmpty() || options.groups().contains(row.group())) {
                counting.count(row);
            }
        }
        return counting.tell();
    }

    private boolean tell() throws IOException {
        Files.write(BenchDirectory.root().resolve("counts.md"), table());
        table().forEach(System.out::println);
        if (!areCallsCounted) {
            System.out.println("\nThis machine has no /proc/self/io: calls that read and write are not counted.");
        }
        problems.forEach(problem -> System.err.println("bench: " + problem));
        return problems.isEmpty();
    }

    /**
     * Counts a row and holds it against its bound.
     *
     * @param row to be run.
     * @throws RunnerException if it fails.
     * @throws IOException if the journal cannot be written.
     */
    void count(final CountRow row) throws RunnerException, IOException {
        System.err.println("counting: " + row.name());
        if (own == null) {
            own = iteration(Subject.of(CountBenchmark.class, "nothing", Map.of()), 1);
        }
        final Count measured = iteration(row.subject(), row.calls()).each(own, row.operations());
        areCallsCounted &= !Double.isNaN(measured.writes());
        problems.addAll(bounds.problemsOf(row.name(), measured));
        final Stream<String> cells = Stream.of(
                        Stream.of(row.name()), measured.cells().stream(), bounds.cells(row.name()).stream())
                .flatMap(each -> each);
        table.add(line(cells.toList()));
    }

    private Count iteration(final Subject subject, final int calls) throws RunnerException, IOException {
        final ChainedOptionsBuilder iterations = new OptionsBuilder()
                .mode(Mode.SingleShotTime)
                .warmupIterations(WARM_UPS)
                .warmupBatchSize(calls)
                .measurementIterations(ITERATIONS)
                .measurementBatchSize(calls)
                // The first one looks first and last: what it allocates is outside of what the other one counts.
                .addProfiler(CallsProfiler.class)
                .addProfiler("gc");
        return JmhRun.of(subject, iterations, options, FORK_FLAGS, journal).stream()
                .flatMap(run -> run.getBenchmarkResults().stream()
                        .map(BenchmarkResult::getIterationResults)
                        .flatMap(Collection::stream)
                        .map(iteration -> countOf(iteration, run.getParams().getOpsPerInvocation())))
                .reduce(Count::least)
                .orElseThrow();
    }

    /** JMH takes all calls of an iteration for one, which does as many operations as the method says. */
    private static Count countOf(final IterationResult iteration, final int perCall) {
        return new Count(
                secondary(iteration, Bench.ALLOCATION_LABEL) * perCall,
                secondary(iteration, CallsProfiler.READS),
                secondary(iteration, CallsProfiler.WRITES),
                secondary(iteration, CallsProfiler.FORCES));
    }

    private static double secondary(final IterationResult iteration, final String label) {
        final Result<?> result = iteration.getSecondaryResults().get(label);
        return result == null ? Double.NaN : result.getScore();
    }

    /**
     * What is wrong so far.
     *
     * @return problems, one a line.
     */
    List<String> problems() {
        return List.copyOf(problems);
    }

    private List<String> table() {
        final List<String> header = new ArrayList<>(List.of("work"));
        header.addAll(Count.NAMES);
        Count.NAMES.forEach(name -> header.add("most " + name));
        final List<String> lines = new ArrayList<>();
        lines.add(line(header));
        lines.add("|---" + "|---:".repeat(header.size() - 1) + "|");
        lines.addAll(table);
        return lines;
    }

    private static String line(final List<String> cells) {
        return "| " + String.join(" | ", cells) + " |";
    }
}
