package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The script {@code bin/cordwood}, in a tree of its own whose jar leads to the classes under test: it must not build in the tree
 * that is being built.
 */
final class LauncherTest {
    private static final String EXPORTS = "java.base/jdk.internal.ref java.base/sun.nio.ch jdk.unsupported/sun.misc";
    private static final String OPENS = "java.base/jdk.internal.misc java.base/java.lang java.base/java.lang.reflect"
            + " java.base/java.io java.base/java.nio java.base/java.util java.base/sun.nio.ch";

    @TempDir
    private Path scratch;

    private Path launcher() throws IOException {
        final Path source = Path.of(System.getProperty("cordwood.root")).resolve("bin/cordwood");
        final Path copy = scratch.resolve("bin/cordwood");
        Files.createDirectories(scratch.resolve("bin"));
        Files.copy(source, copy);
        Files.writeString(scratch.resolve("pom.xml"), "");
        for (final String module : List.of("log-segment", "index", "inspector")) {
            Files.createDirectories(scratch.resolve(module).resolve("src/main"));
            Files.writeString(scratch.resolve(module).resolve("pom.xml"), "");
        }
        final Path jar = scratch.resolve("inspector/target/cordwood-inspector-0-cli.jar");
        Files.createDirectories(scratch.resolve("inspector/target"));
        final Manifest manifest = new Manifest();
        final Attributes attributes = manifest.getMainAttributes();
        attributes.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        attributes.put(Attributes.Name.MAIN_CLASS, Cordwood.class.getName());
        attributes.put(Attributes.Name.CLASS_PATH, classPath());
        attributes.putValue("Add-Exports", EXPORTS);
        attributes.putValue("Add-Opens", OPENS);
        attributes.putValue("Enable-Native-Access", "ALL-UNNAMED");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar), manifest)) {
            out.flush();
        }
        return copy;
    }

    private static String classPath() {
        final String surefire = System.getProperty("surefire.test.class.path");
        final String path = surefire == null ? System.getProperty("java.class.path") : surefire;
        return Stream.of(path.split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toUri().toString())
                .collect(Collectors.joining(" "));
    }

    private static List<String> run(final Path script, final String input, final Object... args)
            throws IOException, InterruptedException {
        final List<String> line = new ArrayList<>(List.of("bash", script.toString()));
        for (final Object arg : args) {
            line.add(arg.toString());
        }
        final ProcessBuilder builder = new ProcessBuilder(line);
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        return Subprocess.lines(builder, input);
    }

    @Test
    void dumpAppendAndReadThroughTheLauncher() throws Exception {
        final Path script = launcher();
        final List<String> dump =
                run(script, "", "dump", "--format", "json", Corpus.root().resolve("01-plain/plain-0"));
        assertEquals("exit code 0", dump.get(dump.size() - 1), String.join("\n", dump));
        assertTrue(dump.get(0).startsWith("{\"partitions\":["), dump.get(0));

        final Path log = scratch.resolve("data/x/t-0");
        assertEquals(
                List.of("appended 2 records, offsets 0 to 1", "exit code 0"), run(script, "a\nb\n", "append", log));
        assertEquals(List.of("a", "b", "exit code 0"), run(script, "", "read", log));

        final Path missing = scratch.resolve("missing");
        assertEquals(
                List.of("cordwood: " + missing + ": no such file or directory", "exit code 3"),
                run(script, "", "verify", missing));
        final List<String> wrong = run(script, "", "dump");
        assertEquals("exit code 2", wrong.get(wrong.size() - 1));
    }
}
