package io.cordwood.simulation.full;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/** A file system in memory, of a few megabytes, that can be filled up and given room again; gone when it is unmounted. */
record SmallDisk(Path root) {
    private static final String FILLER = "filler";
    private static final int BLOCK = 4096;

    /** Mounts one; the test is skipped, and says why, where that is not allowed. */
    static SmallDisk mount(final Path directory, final int megabytes) throws IOException, InterruptedException {
        final String failure =
                runIfThere("mount", "-t", "tmpfs", "-o", "size=" + megabytes + "m", "tmpfs", directory.toString());
        if (failure != null) {
            throw new TestAbortedException("no small disk can be mounted here (it takes root): " + failure);
        }
        return new SmallDisk(directory);
    }

    /** Takes all but so many bytes of what is left. */
    void fill(final long left) throws IOException {
        final byte[] block = new byte[BLOCK];
        try (OutputStream filler = Files.newOutputStream(root.resolve(FILLER))) {
            while (Files.getFileStore(root).getUsableSpace() - BLOCK >= left) {
                filler.write(block);
            }
        }
    }

    /** Gives all of that back. */
    void makeRoom() throws IOException {
        Files.deleteIfExists(root.resolve(FILLER));
    }

    void unmount() throws IOException, InterruptedException {
        final String failure = run("umount", "-l", root.toString());
        if (failure != null) {
            throw new IOException(failure);
        }
    }

    /** As {@link #run}; where there is no such command, that is the failure. */
    static @Nullable String runIfThere(final String... command) throws IOException, InterruptedException {
        final List<String> folders =
                List.of(String.valueOf(System.getenv("PATH")).split(File.pathSeparator, -1));
        final boolean isThere = folders.stream().anyMatch(folder -> Files.isExecutable(Path.of(folder, command[0])));
        return isThere ? run(command) : "there is no command '" + command[0] + "' in " + folders;
    }

    private static @Nullable String run(final String... command) throws IOException, InterruptedException {
        final Process process =
                new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? null : output.strip();
    }
}
