package io.cordwood.simulation.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.code_intelligence.jazzer.Jazzer;
import io.cordwood.simulation.ChildJvm;
import io.cordwood.simulation.Scratch;
import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Campaigns.Figure;
import io.cordwood.simulation.soak.Tally;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Each decoder under Jazzer, which keeps the inputs that reach new code and changes those. It runs in a JVM of its own, because it
 * rewrites the classes under test, and begins with {@link Samples} and the saved inputs.
 */
public final class Fuzzing {
    /** What a full run gives each decoder. */
    private static final int EXECUTIONS = 1_000_000;

    private static final int INPUT_BYTES_MOST = 4096;
    private static final int SECONDS_MOST_PER_INPUT = 60;
    private static final Pattern DONE = Pattern.compile("(?m)^Done (\\d+) runs in");
    private static final Pattern PROGRESS = Pattern.compile("(?m)^(INFO: |#\\d+\\t).*\\R");

    private Fuzzing() {}

    /**
     * Lists the campaigns.
     *
     * @return one for each decoder.
     */
    public static List<Campaign> campaigns() {
        return Decoder.all().stream()
                .map(decoder -> Campaign.of(
                        "G14", "fuzz/" + decoder.name(), (seed, tally) -> play(decoder, seed, EXECUTIONS, tally)))
                .toList();
    }

    /**
     * Lists what has to be reached.
     *
     * @return executions of each decoder.
     */
    public static List<Figure> figures() {
        return Decoder.all().stream()
                .map(decoder -> new Figure("G14", counted(decoder), EXECUTIONS))
                .toList();
    }

    /** Runs Jazzer for so many executions; throws if it finds something. */
    static void play(final Decoder decoder, final long seed, final int executions, final Tally tally) {
        try {
            final Path home = Files.createTempDirectory("cordwood-fuzz");
            try {
                tally.add(counted(decoder), run(decoder, seed, executions, home));
            } finally {
                Scratch.delete(home);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", e);
        }
    }

    private static String counted(final Decoder decoder) {
        return "executions of " + decoder.name();
    }

    private static long run(final Decoder decoder, final long seed, final int executions, final Path home)
            throws IOException, InterruptedException {
        final Path inputs = Files.createDirectory(home.resolve("inputs"));
        final List<byte[]> begin = new ArrayList<>(Decoder.samples());
        begin.addAll(SavedInputs.all().values());
        for (int i = 0; i < begin.size(); i++) {
            Files.write(inputs.resolve("sample-" + i), begin.get(i));
        }
        final Path found = Files.createDirectory(home.resolve("found"));
        final ProcessBuilder builder = ChildJvm.of(
                Jazzer.class,
                List.of("-Xmx512m", "-XX:+EnableDynamicAgentLoading", "-D" + FuzzTarget.DECODER + "=" + decoder.name()),
                "--target_class=" + FuzzTarget.class.getName(),
                "--instrumentation_includes=io.cordwood.log.**:io.cordwood.index.**",
                "--custom_hook_includes=io.cordwood.log.**:io.cordwood.index.**",
                "--reproducer_path=" + home,
                "-artifact_prefix=" + found + "/",
                "-runs=" + executions,
                // The seed 0 means one of the clock's.
                "-seed=" + (1 + Math.floorMod(seed, Integer.MAX_VALUE - 1)),
                "-max_len=" + INPUT_BYTES_MOST,
                "-timeout=" + SECONDS_MOST_PER_INPUT,
                // It would hold the peak against the limit, in which the system counts that of the process that began
                // this one.
                "-rss_limit_mb=0",
                "-print_final_stats=1",
                inputs.toString());
        final Path output = home.resolve("output");
        final Process process = builder.directory(home.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        final int code;
        try {
            code = process.waitFor();
        } finally {
            process.destroyForcibly();
        }
        // Jazzer tells bytes as they are.
        final String told = new String(Files.readAllBytes(output), UTF_8);
        final Matcher done = DONE.matcher(told);
        if (code != 0 || !done.find()) {
            throw new AssertionError(decoder.name() + ", seed " + seed + ": Jazzer ends with " + code + "\n"
                    + kept(decoder, found) + "  command  " + String.join(" ", builder.command()) + "\n"
                    + PROGRESS.matcher(told).replaceAll(""));
        }
        return Long.parseLong(done.group(1));
    }

    /** Saves what was found where the build keeps its output. */
    private static String kept(final Decoder decoder, final Path found) throws IOException {
        final Path target = Files.createDirectories(
                Path.of(System.getProperty("cordwood.root", "."), "simulation", "target", "fuzz"));
        final StringBuilder kept = new StringBuilder();
        try (Stream<Path> files = Files.list(found)) {
            for (final Path file : files.sorted().toList()) {
                final byte[] bytes = Files.readAllBytes(file);
                final Path saved =
                        target.resolve(SavedInputs.folder(decoder) + "-" + String.valueOf(file.getFileName()));
                Files.write(saved, bytes);
                kept.append("  input    ")
                        .append(saved)
                        .append("  ")
                        .append(HexFormat.of().formatHex(bytes))
                        .append('\n');
            }
        }
        return kept.toString();
    }
}
