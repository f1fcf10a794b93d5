package io.cordwood.log.store;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** In a process that takes itself to be on Windows every act that writes is refused, and what is there is read. */
final class WindowsTest {
    @TempDir
    private Path root;

    /** Tries every act, and says what came of it. */
    static final class Tries {
        private Tries() {}

        public static void main(final String[] arguments) {
            try (DiskStorage storage = new DiskStorage(Path.of(arguments[0]));
                    FileView view = new FileView()) {
                final Map<String, Runnable> acts = new TreeMap<>();
                acts.put("append", () -> storage.open("f", FileUse.APPEND, 0).close());
                acts.put(
                        "append mapped",
                        () -> storage.open("n", FileUse.APPEND_MAPPED, 4096).close());
                acts.put("create", () -> storage.open("n", FileUse.APPEND, 0).close());
                acts.put("delete", () -> storage.delete("f"));
                acts.put("lock", () -> storage.lock(".lock"));
                acts.put("make", () -> storage.makeDirectory("n"));
                acts.put("remove", () -> storage.removeDirectory("d"));
                acts.put("rename", () -> storage.rename("f", "g"));
                acts.forEach((name, act) -> {
                    try {
                        act.run();
                        System.out.println(name + " done");
                    } catch (final StorageException e) {
                        System.out.println(name + ": " + e.getMessage());
                    }
                });
                try (StorageFile file = storage.open("f", FileUse.READ, 0)) {
                    final byte[] bytes = new byte[file.view(0, 100, view)];
                    view.buffer().getBytes(0, bytes);
                    System.out.println(storage.list("").size() + " names, " + new String(bytes, UTF_8));
                }
            }
        }
    }

    @Test
    void writingIsRefusedAndReadingIsNot() throws Exception {
        Files.writeString(root.resolve("f"), "content");
        Files.createDirectory(root.resolve("d"));
        final List<String> command = new ArrayList<>(Scratch.java(Tries.class, Scratch.classPath(), root.toString()));
        command.add(1, "-Dos.name=Windows 11");
        final List<String> said = Scratch.run(command.toArray(new String[0]))
                .lines()
                .filter(line -> !line.startsWith("SLF4J"))
                .toList();
        final List<String> expected = new ArrayList<>();
        for (final String[] act : new String[][] {
            {"append", "open", "f"},
            {"append mapped", "open", "n"},
            {"create", "open", "n"},
            {"delete", "delete", "f"},
            {"lock", "lock", ".lock"},
            {"make", "make directory", "n"},
            {"remove", "remove directory", "d"},
            {"rename", "rename", "f"}
        }) {
            expected.add(act[0] + ": " + act[1] + " failed: " + root.resolve(act[2])
                    + ": writing is not supported on Windows");
        }
        expected.add("2 names, content");
        assertEquals(expected, said);
        try (Stream<Path> left = Files.list(root)) {
            assertEquals(
                    List.of(root.resolve("d"), root.resolve("f")), left.sorted().toList());
        }
    }
}
