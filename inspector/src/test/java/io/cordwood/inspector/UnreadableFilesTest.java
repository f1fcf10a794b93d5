package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cordwood.log.LogFiles;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A file or directory that the disk does not give is told by name and reason, and all others are looked at. */
final class UnreadableFilesTest {
    private static final String FIRST = LogFiles.name(0, LogFiles.LOG);
    private static final String SECOND = LogFiles.name(2, LogFiles.LOG);
    private static final String REASON = "Input/output error";

    @TempDir
    private Path scratch;

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Streams streams = new Streams(
            new ByteArrayInputStream(new byte[0]),
            out,
            new PrintStream(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8),
            -1,
            false);

    @BeforeEach
    void twoPartitions() throws IOException {
        for (final String partition : new String[] {"t-0", "t-1"}) {
            final Path directory = scratch.resolve(partition);
            TestBatch.write(directory.resolve(FIRST), TestBatch.of(0, "a", "b"));
            TestBatch.write(directory.resolve(SECOND), TestBatch.of(2, "c"));
            for (final long base : new long[] {0, 2}) {
                TestBatch.write(directory.resolve(LogFiles.name(base, LogFiles.OFFSET_INDEX)));
                TestBatch.write(
                        directory.resolve(LogFiles.name(base, LogFiles.TIME_INDEX)),
                        ByteBuffer.allocate(12).putLong(TestBatch.TIMESTAMP).array());
            }
            TestBatch.write(directory.resolve(LogFiles.LEADER_EPOCHS), "0\n0\n".getBytes(StandardCharsets.US_ASCII));
        }
    }

    private Storage failing(final Set<String> paths) {
        return proxy(Storage.class, new DiskStorage(scratch), (method, args, answer) -> {
            if (args == null || !paths.contains(args[0].toString())) {
                return answer;
            }
            if (method.equals("list")) {
                throw new StorageException(args[0].toString(), "list", REASON, null);
            }
            return method.equals("open") ? failing((StorageFile) answer, args[0].toString()) : answer;
        });
    }

    private static StorageFile failing(final StorageFile file, final String path) {
        return proxy(StorageFile.class, file, (method, args, answer) -> {
            if (method.equals("view") || method.equals("look")) {
                throw new StorageException(path, "read", REASON, null);
            }
            return answer;
        });
    }

    /** Sees each call behind its answer, and may give another. */
    @FunctionalInterface
    private interface Behind {
        Object called(String method, Object[] args, Object answer) throws IOException;
    }

    private static <T> T proxy(final Class<T> type, final T real, final Behind behind) {
        final InvocationHandler handler = (self, method, args) -> {
            try {
                return behind.called(method.getName(), args, method.invoke(real, args));
            } catch (final InvocationTargetException e) {
                throw e.getCause();
            }
        };
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private static Place place(final String partition) {
        return new Place(partition, partition, partition, null);
    }

    private JsonNode verify(final String path) throws IOException {
        final JsonFaults writer = new JsonFaults(json());
        try (Storage storage = failing(Set.of(path))) {
            for (final String partition : List.of("t-0", "t-1")) {
                VerifyCommand.verify(storage, place(partition), writer, new Progress(streams, "verified"));
            }
        }
        writer.end();
        assertEquals(3, writer.exitCode());
        return new ObjectMapper().readTree(out.toByteArray());
    }

    private JsonGenerator json() throws IOException {
        return new JsonFactory().createGenerator(out);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t-0",
                "t-0/00000000000000000000.log",
                "t-0/00000000000000000002.log",
                "t-0/00000000000000000000.timeindex",
                "t-0/leader-epoch-checkpoint"
            })
    void verifyGoesOnWithTheOthers(final String path) throws IOException {
        final JsonNode verified = verify(path);
        assertEquals(0, verified.get("faults").asInt(), verified.toString());
        assertEquals(1, verified.get("notChecked").asInt());
        final JsonNode told = verified.get("partitions").get(0).get("faults").get(0);
        assertEquals("not-checked", told.get("kind").asText());
        assertTrue(told.get("file").asText().startsWith(path), told.toString());
        assertTrue(told.get("reason").asText().contains(REASON), told.toString());
        assertEquals(3, verified.get("partitions").get(1).get("dataRecords").asInt());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "t-0",
                "t-0/00000000000000000000.log",
                "t-0/00000000000000000002.log",
                "t-0/00000000000000000000.timeindex",
                "t-0/leader-epoch-checkpoint"
            })
    void dumpGoesOnWithTheOthers(final String path) throws IOException {
        try (SegmentWalk walk = new SegmentWalk(Long.MAX_VALUE, new Progress(streams, "read"));
                Storage storage = failing(Set.of(path))) {
            final JsonDump writer = new JsonDump(json(), walk, new Progress(streams, "read"), false);
            assertEquals(3, writer.partition(storage, place("t-0")));
            writer.partition(storage, place("t-1"));
            writer.end();
            final JsonNode dump = new ObjectMapper().readTree(out.toByteArray());
            assertTrue(dump.get("partitions").get(0).toString().contains(REASON), dump.toString());
            final JsonNode sound = dump.get("partitions").get(1).get("segments");
            assertEquals(2, sound.get(0).get("batches").get(0).get("records").size());
            assertEquals(1, sound.get(1).get("batches").size());

            out.reset();
            final TextDump text = new TextDump(new Lines(out), walk, true, false);
            assertEquals(3, text.partition(storage, place("t-0")));
            text.partition(storage, place("t-1"));
            text.end();
            final String shown = out.toString(StandardCharsets.UTF_8);
            assertTrue(shown.contains("NOT READ") && shown.contains(path) && shown.contains(REASON), shown);
            assertTrue(shown.contains("in all: data 3"), shown);
        }
    }

    @Test
    void whatEndsADumpLeavesValidJson() throws IOException {
        final JsonGenerator generator = json();
        try (SegmentWalk walk = new SegmentWalk(Long.MAX_VALUE, new Progress(streams, "read"));
                Storage storage = failing(Set.of())) {
            final JsonDump writer = new JsonDump(generator, walk, new Progress(streams, "read"), false);
            writer.partition(storage, place("t-1"));
            writer.flush();
        }
        assertEquals(
                1,
                new ObjectMapper().readTree(out.toByteArray()).get("partitions").size());
    }
}
