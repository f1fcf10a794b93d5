package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** B83: looking at a store changes nothing in it, and needs no right to. */
final class ReadOnlyTest {
    private static final int APPENDS_MAX = 20_000;

    @TempDir
    private Path scratch;

    private static SortedMap<String, String> state(final Path root) throws Exception {
        final SortedMap<String, String> state = new TreeMap<>();
        final List<Path> paths;
        try (Stream<Path> walk = Files.walk(root)) {
            paths = walk.toList();
        }
        for (final Path path : paths) {
            final String hash = Files.isDirectory(path)
                    ? "directory"
                    : HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(path)));
            state.put(root.relativize(path).toString(), Files.getLastModifiedTime(path) + " " + hash);
        }
        return state;
    }

    private static void everyCommand(final Path directory, final Path partition) {
        for (final Object[] args : new Object[][] {
            {"dump", directory},
            {"dump", "--records", directory},
            {"dump", "--format", "json", directory},
            {"dump", "--max-bytes", 1000, directory},
            {"verify", directory},
            {"verify", "--format", "json", directory},
            {"read", partition},
            {"read", "--tail", partition},
            {"read", "--from-offset", 20, partition},
            {"read", "--from-timestamp", 1, partition}
        }) {
            final Run run = Run.of(args);
            assertTrue(run.exitCode() <= 1, run.err());
            assertTrue(!run.out().isEmpty() || run.exitCode() == 1, run.err());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "01-plain",
                "09-corrupt/tail-garbage",
                "09-corrupt/index-garbage",
                "09-corrupt/all-indexes-missing",
                "09-corrupt/swap-and-cleaned",
                "09-corrupt/deleted-leftover",
                "09-corrupt/leaderepoch-checkpoint-garbage"
            })
    void b83NoCommandChangesAnything(final String name) throws Exception {
        final Path copy = Corpus.copy(Corpus.root().resolve(name), scratch.resolve("copy"));
        final Path partition = copy.resolve("dmg-plain-0");
        final SortedMap<String, String> before = state(copy);
        everyCommand(copy, partition);
        assertEquals(before, state(copy));
    }

    @Test
    void b83WorksWithoutTheRightToWrite() throws Exception {
        final Path copy = Corpus.copy(Corpus.root().resolve("01-plain"), scratch.resolve("copy"));
        final Path partition = copy.resolve("dmg-plain-0");
        Files.setPosixFilePermissions(partition, PosixFilePermissions.fromString("r-xr-xr-x"));
        Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("r-xr-xr-x"));
        try {
            everyCommand(copy, partition);
        } finally {
            Files.setPosixFilePermissions(copy, PosixFilePermissions.fromString("rwxr-xr-x"));
            Files.setPosixFilePermissions(partition, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void b83ALiveLogIsReadAsFarAsItGoesAndNotDisturbed(final boolean isMapped) throws Exception {
        final AtomicBoolean isDone = new AtomicBoolean();
        final AtomicReference<Throwable> failure = new AtomicReference<>();
        try (Storage storage = new DiskStorage(scratch)) {
            final LogBuilder builder = new LogBuilder(storage, "t-0")
                    .indexes(new SparseIndexes())
                    .config(LogConfig.defaults().with("segment.bytes", "65536").with("segment.index.bytes", "4096"));
            final Log log = (isMapped ? builder.mapped() : builder).open(1);
            final Thread writer = new Thread(
                    () -> {
                        final UnsafeBuffer batch = new UnsafeBuffer(TestBatch.of(0, "value", "other"));
                        for (long i = 0; !isDone.get() && i < APPENDS_MAX; i++) {
                            log.append(batch, 0, batch.capacity(), AppendAs.client(0), 1 + i);
                            LockSupport.parkNanos(1000);
                        }
                    },
                    "writer");
            writer.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
            writer.start();
            long seen = 0;
            try {
                for (int i = 0; i < 15; i++) {
                    seen = look(seen, isMapped);
                }
            } finally {
                isDone.set(true);
                writer.join();
            }
            final long end = log.endOffset();
            log.close();
            assertEquals(end, records(Run.dump(scratch.resolve("t-0"))));
        }
        assertEquals(null, failure.get());
        assertEquals(0, Run.of("verify", scratch.resolve("t-0")).exitCode());
    }

    /** A mapped file that is being written ends in reserved zeros, which are told and are all that is told. */
    private long look(final long before, final boolean isMapped) throws IOException {
        final Run run = Run.dump(scratch.resolve("t-0"));
        final JsonNode partition = run.json().get("partitions").get(0);
        for (final JsonNode segment : partition.get("segments")) {
            if (segment.get("trailingBytes").asLong() > 0) {
                assertTrue(isMapped, segment.get("parseError").asText());
                assertTrue(
                        segment.get("parseError").asText().contains("zero bytes to the end"),
                        () -> segment.get("parseError").asText());
            }
        }
        final long now = records(run);
        assertTrue(now >= before, now + " after " + before);
        return now;
    }

    private static long records(final Run dump) {
        long count = 0;
        for (final JsonNode segment : dump.json().get("partitions").get(0).get("segments")) {
            for (final JsonNode batch : segment.get("batches")) {
                assertTrue(batch.get("isValid").asBoolean(), batch.toString());
                count += batch.get("records").size();
            }
        }
        return count;
    }
}
