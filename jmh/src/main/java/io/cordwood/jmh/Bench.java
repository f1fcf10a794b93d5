package io.cordwood.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.openjdk.jmh.results.BenchmarkResult;
import org.openjdk.jmh.results.IterationResult;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * Runs the benchmarks round by round, each in a process of its own, we and the others in turn, and prints a table.
 * {@code bin/bench} starts it; with {@code --count} it counts instead, see {@link Counting}. Standard output is the table,
 * standard error the progress; the same table, all samples, charts and what JMH prints go to files.
 */
public final class Bench {
    private static final int EXIT_FAILED = 1;
    private static final int EXIT_USAGE = 2;
    private static final String COLLECTOR_LABELS = "gc.";

    /** Name of JMH's result: bytes allocated per call. */
    static final String ALLOCATION_LABEL = COLLECTOR_LABELS + "alloc.rate.norm";

    private static final List<String> FORK_FLAGS = List.of("-Xms1g", "-Xmx1g", "-XX:+AlwaysPreTouch");

    private final BenchOptions options;
    private final Samples samples = new Samples();
    private final Map<Subject, Subject> peaks = new HashMap<>();
    private final Path journal;

    private Bench(final BenchOptions options, final Path journal) {
        this.options = options;
        this.journal = journal;
    }

    /**
     * Runs the command line and ends the process.
     *
     * @param args the command line.
     * @throws IOException if the directory of the logs cannot be written.
     */
    public static void main(final String[] args) throws IOException {
        try {
            final BenchOptions options = BenchOptions.parse(args);
            final Path journal = Files.createDirectories(BenchDirectory.root()).resolve("jmh.txt");
            Files.deleteIfExists(journal);
            if (options.isCount()) {
                final Path bounds = Path.of(System.getProperty("cordwood.bench.bounds", "jmh/bounds.txt"));
                System.exit(Counting.run(options, bounds, journal) ? 0 : EXIT_FAILED);
            }
            new Bench(options, journal).run();
        } catch (final BenchOptions.UsageException e) {
            System.err.println(e.getMessage());
            System.exit(EXIT_USAGE);
        } catch (final RunnerException e) {
            System.err.println("bench: " + e.getMessage());
            System.exit(EXIT_FAILED);
        }
    }

    private void run() throws RunnerException, IOException {
        final List<Comparison> rows =
                Catalog.comparisons().stream().filter(options::includes).toList();
        final Set<Subject> subjects = new LinkedHashSet<>();
        for (final Comparison row : rows) {
            final List<Subject> measured = options.subjects(row);
            subjects.addAll(measured);
            if (row.peak() != null) {
                measured.stream()
                        .filter(subject -> !subject.equals(row.peak()))
                        .forEach(paced -> peaks.put(paced, row.peak()));
            }
        }
        ReadLog.discardAll();
        try {
            for (int round = 1; round <= options.rounds(); round++) {
                for (final Subject subject : subjects) {
                    System.err.println("round " + round + " of " + options.rounds() + ": " + subject);
                    samples.add(subject, measure(subject));
                }
            }
        } finally {
            ReadLog.discardAll();
        }
        Results.write(BenchDirectory.root(), options, rows, samples).forEach(System.out::println);
    }

    private List<Sample> measure(final Subject subject) throws RunnerException, IOException {
        final List<String> flags = new ArrayList<>(FORK_FLAGS);
        final Subject peak = peaks.get(subject);
        if (peak != null) {
            flags.add("-D" + Pace.RATE_PROPERTY + "=" + samples.halfTheRateOf(peak));
        }
        final ChainedOptionsBuilder iterations = new OptionsBuilder()
                .warmupIterations(options.warmUps())
                .warmupTime(TimeValue.milliseconds(options.warmUpMs()))
                .measurementIterations(options.iterations())
                .measurementTime(TimeValue.milliseconds(options.iterationMs()))
                .addProfiler("gc")
                .addProfiler(ProcessCpuProfiler.class)
                .addProfiler(CountProfiler.class)
                .addProfiler(LatencyProfiler.class);
        return samplesOf(JmhRun.of(subject, iterations, options, flags, journal));
    }

    private static List<Sample> samplesOf(final Collection<RunResult> results) {
        final List<Sample> samples = new ArrayList<>();
        for (final RunResult run : results) {
            for (final BenchmarkResult fork : run.getBenchmarkResults()) {
                for (final IterationResult iteration : fork.getIterationResults()) {
                    samples.add(sampleOf(iteration, run.getParams().getThreads()));
                }
            }
        }
        return samples;
    }

    /** JMH's score is the time that one thread takes, also when several work at once. */
    private static Sample sampleOf(final IterationResult iteration, final int threads) {
        final Map<String, Double> counted = new HashMap<>();
        for (final String label : iteration.getSecondaryResults().keySet()) {
            if (!label.startsWith(COLLECTOR_LABELS) && !label.equals(ProcessCpuProfiler.LABEL)) {
                counted.put(label, secondary(iteration, label));
            }
        }
        return new Sample(
                iteration.getPrimaryResult().getScore() / threads,
                secondary(iteration, ProcessCpuProfiler.LABEL),
                secondary(iteration, ALLOCATION_LABEL),
                counted);
    }

    private static double secondary(final IterationResult iteration, final String label) {
        return Objects.requireNonNull(iteration.getSecondaryResults().get(label), label)
                .getScore();
    }
}
