package io.cordwood.jmh;

import com.sun.management.OperatingSystemMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** What a reader of the table must know: on what machine, with what, and how it was measured. */
final class Surroundings {
    private Surroundings() {}

    /**
     * The same for programs.
     *
     * @return name and value.
     */
    static Map<String, String> facts() {
        final Map<String, String> facts = new LinkedHashMap<>();
        facts.put("machine", machine());
        facts.put("java", java());
        facts.put("commit", property("cordwood.commit"));
        facts.put("kafka", property("cordwood.kafka"));
        facts.put("codecs", property("cordwood.codecs"));
        return facts;
    }

    private static String java() {
        return property("java.vm.name") + " " + property("java.vm.version");
    }

    /**
     * Describes this run.
     *
     * @param options of it.
     * @return lines of Markdown.
     */
    static List<String> lines(final BenchOptions options) {
        return List.of(
                "- machine: " + machine(),
                "- Java: " + java(),
                "- commit: " + property("cordwood.commit"),
                "- peer: kafka-storage " + property("cordwood.kafka")
                        + ", `UnifiedLog`, with our versions of the codecs: " + property("cordwood.codecs"),
                "- rounds: " + options.rounds() + (options.rounds() > 1 ? ", the first dropped" : "")
                        + "; in each, every figure in a process of its own, " + options.warmUps() + " warm-ups of "
                        + options.warmUpMs() + " ms and " + options.iterations() + " iterations of "
                        + options.iterationMs()
                        + " ms; medians; seed " + options.seed()
                        + (options.parts().isEmpty() ? "" : "; ours with " + options.parts()),
                "- a ratio to a peer says how many times its throughput is ours, of floor how many times the floor's time we take;"
                        + " a goal holds only if it holds by the clock and by CPU",
                "- CPU is that of the whole process: helper threads, collector and compiler included; nothing is forced"
                        + " on either side, but in `durable` and for what a recovery cuts; logs that grow roll each 256 MiB and keep 512 MiB,"
                        + " those of `append-latency` with a reader each 32 MiB and keep 64 MiB",
                "- a latency counts from when the operation was due; its percentiles are those of single iterations; a ratio of one says"
                        + " how many times another's is ours",
                "- all files are in the system's cache; segments that are recovered in large pieces, as read from a disk after a"
                        + " restart, the others as they were written");
    }

    private static String machine() {
        final OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
        return processor() + ", " + system.getAvailableProcessors() + " processors, "
                + Math.round(system.getTotalMemorySize() / (double) (1 << 30)) + " GiB, " + property("os.name") + " "
                + property("os.version");
    }

    private static String processor() {
        try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst()
                    .orElse(property("os.arch"));
        } catch (final IOException e) {
            return property("os.arch");
        }
    }

    private static String property(final String name) {
        return System.getProperty(name, "unknown");
    }
}
