package io.cordwood.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;

/** A run of one subject by JMH, in a process of its own. */
final class JmhRun {
    private JmhRun() {}

    /**
     * Runs a subject.
     *
     * @param subject to be run.
     * @param iterations the options of JMH that say how long, and with which profilers.
     * @param options of the command line.
     * @param flags of the process.
     * @param journal to which what JMH prints is appended.
     * @return what JMH found.
     * @throws RunnerException if the benchmark fails.
     * @throws IOException if the journal cannot be written.
     */
    static Collection<RunResult> of(
            final Subject subject,
            final ChainedOptionsBuilder iterations,
            final BenchOptions options,
            final List<String> flags,
            final Path journal)
            throws RunnerException, IOException {
        final Path output = Files.createTempFile(journal.toAbsolutePath().getParent(), "jmh", ".txt");
        final List<String> all = new ArrayList<>(flags);
        all.add("-D" + Seed.PROPERTY + "=" + options.seed());
        ChainedOptionsBuilder builder = iterations
                .include(subject.include())
                .forks(1)
                .jvmArgsAppend(all.toArray(String[]::new))
                .shouldFailOnError(true)
                .output(output.toString());
        for (final Map.Entry<String, String> parameter : subject.parameters().entrySet()) {
            builder = builder.param(parameter.getKey(), parameter.getValue());
        }
        // Who does not take them, as a peer, is not asked.
        for (final Map.Entry<String, String> part : options.parts().entrySet()) {
            builder = builder.param(part.getKey(), part.getValue());
        }
        try {
            return new Runner(builder.build()).run();
        } finally {
            Files.write(journal, Files.readAllBytes(output), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
            Files.delete(output);
        }
    }
}
