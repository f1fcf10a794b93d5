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
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
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
        final SortedMap<String, String> before = Corpus.state(copy);
        everyCommand(copy, partition);
        assertEquals(before, Corpus.state(copy));
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
        final long end;
        try (Storage storage = new DiskStorage(scratch)) {
            final LogBuilder builder = new LogBuilder(storage, "t-0")
                    .indexes(new SparseIndexes())
                    .config(LogConfig.of(Map.of(
                            "segment.bytes", "65536",
                            "segment.index.bytes", "4096",
                            "retention.bytes", "300000",
                            "file.delete.delay.ms", "0")));
            final Log log = (isMapped ? builder.mapped() : builder).open(1);
            final Thread writer = new Thread(() -> write(log, isDone), "writer");
            writer.setUncaughtExceptionHandler((thread, thrown) -> failure.set(thrown));
            writer.start();
            try {
                long seen = 0;
                for (int i = 0; i < 15; i++) {
                    seen = look(seen, isMapped);
                }
            } finally {
                isDone.set(true);
                writer.join();
            }
            end = log.endOffset();
            log.close();
        }
        assertEquals(null, failure.get());
        assertEquals(end, endOffset(Run.dump(scratch.resolve("t-0"))));
        final Run verified = Run.of("verify", scratch.resolve("t-0"));
        assertEquals(0, verified.exitCode(), verified.out());
    }

    /** Appends, and drops segments from the front, which a look may find gone. */
    private static void write(final Log log, final AtomicBoolean isDone) {
        final UnsafeBuffer batch = new UnsafeBuffer(TestBatch.of(0, "value", "other"));
        for (long i = 1; !isDone.get() && i < APPENDS_MAX; i++) {
            log.append(batch, 0, batch.capacity(), AppendAs.client(0), i);
            if (i % 100 == 0) {
                log.retain(i, Long.MAX_VALUE);
                log.doWork(i);
            }
            LockSupport.parkNanos(1000);
        }
    }

    /** A mapped file that is being written ends in reserved zeros, which are told and are all that is told. */
    private long look(final long before, final boolean isMapped) {
        final Run dump = Run.dump(scratch.resolve("t-0"));
        assertTrue(dump.exitCode() <= (isMapped ? 1 : 0), dump.err());
        for (final JsonNode segment : dump.json().get("partitions").get(0).get("segments")) {
            if (segment.get("trailingBytes").asLong() > 0) {
                assertTrue(isMapped, segment.get("parseError").asText());
                assertTrue(
                        segment.get("parseError").asText().contains("zero bytes to the end"),
                        segment.get("parseError").asText());
            }
        }
        final Run verified = Run.of("verify", "--format", "json", scratch.resolve("t-0"));
        for (final JsonNode fault : verified.json().get("partitions").get(0).get("faults")) {
            assertTrue(isMapped && fault.get("kind").asText().equals("zero-tail"), fault.toString());
        }
        final long now = endOffset(dump);
        assertTrue(now >= before, now + " after " + before);
        return now;
    }

    private static long endOffset(final Run dump) {
        long end = 0;
        for (final JsonNode segment : dump.json().get("partitions").get(0).get("segments")) {
            for (final JsonNode batch : segment.get("batches")) {
                assertTrue(batch.get("isValid").asBoolean(), batch.toString());
                assertEquals(2, batch.get("records").size());
                end = batch.get("lastOffset").asLong() + 1;
            }
        }
        return end;
    }
}
