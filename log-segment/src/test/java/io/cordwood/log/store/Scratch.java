package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/** What the tests of the store share: bytes that tell where they belong, small disks, and other processes. */
final class Scratch {
    private Scratch() {}

    /** Appends bytes whose values follow from their positions, and publishes them. */
    static long append(final StorageFile file, final int length, final int seed) {
        final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
        final long start = file.length();
        file.claim(length, claimed);
        for (int i = 0; i < length; i++) {
            claimed.putByte(i, valueAt(start + i, seed));
        }
        return file.publish();
    }

    static byte valueAt(final long position, final int seed) {
        final long mixed = (position + seed * 0x9E3779B9L) * 0xD1B54A32D192ED03L;
        return (byte) (mixed >>> 56 | 1);
    }

    static void assertContent(final StorageFile file, final long position, final int length, final int seed) {
        try (FileView view = new FileView()) {
            assertEquals(length, file.view(position, length, view));
            assertShown(view.buffer(), position, length, seed);
        }
    }

    static void assertShown(final DirectBuffer shown, final long position, final int length, final int seed) {
        assertEquals(length, shown.capacity());
        for (int i = 0; i < length; i++) {
            if (valueAt(position + i, seed) != shown.getByte(i)) {
                assertEquals(valueAt(position + i, seed), shown.getByte(i), "position " + (position + i));
            }
        }
    }

    static void assertSays(final String words, final StorageException failure) {
        assertTrue(String.valueOf(failure.getMessage()).contains(words), failure.toString());
    }

    /** A file system in memory of its own; the test is skipped, and says so, where none can be mounted. */
    static SmallDisk mount(final Path directory, final String options) throws IOException, InterruptedException {
        Files.createDirectories(directory);
        final Process mount = new ProcessBuilder("mount", "-t", "tmpfs", "-o", options, "tmpfs", directory.toString())
                .redirectErrorStream(true)
                .start();
        final String output = new String(mount.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (mount.waitFor() != 0) {
            abort("no small disk can be mounted here (it takes root): " + output.strip());
        }
        return new SmallDisk(directory);
    }

    /** A mounted disk, unmounted when it is closed. */
    record SmallDisk(Path path) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            try {
                run("umount", "-l", path.toString());
            } catch (final InterruptedException e) {
                throw new IOException(e);
            }
        }
    }

    static String run(final String... command) throws IOException, InterruptedException {
        final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        return output;
    }

    /** Command that runs a class of the tests in another process, with the flags of this one. */
    static List<String> java(final Class<?> main, final String classPath, final String... arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                command.add(flag);
            }
        }
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.add("-cp");
        command.add(classPath);
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Quotes a command for a shell. */
    static String quoted(final List<String> command) {
        return command.stream().map(part -> "'" + part + "'").collect(Collectors.joining(" "));
    }

    /** Lines of this process' memory map that name a file below a directory. */
    static List<String> mapped(final Path directory) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/self/maps"), StandardCharsets.UTF_8)) {
            return lines.filter(line -> line.contains(directory.toString())).toList();
        }
    }

    /** Files below a directory that this process has open. */
    static long openBelow(final Path directory) throws IOException {
        long count = 0;
        try (var descriptors = Files.newDirectoryStream(Path.of("/proc/self/fd"))) {
            for (final Path descriptor : descriptors) {
                try {
                    if (Files.readSymbolicLink(descriptor).startsWith(directory)) {
                        count++;
                    }
                } catch (final IOException e) {
                    // Closed meanwhile.
                }
            }
        }
        return count;
    }
}
