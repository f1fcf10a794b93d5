package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.log.record.Corpus;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The files of a data directory: those that Kafka wrote, those that we write, and damaged ones. */
final class DirectoryFilesTest {
    private static final List<String> CHECKPOINTS = List.of(
            OffsetCheckpoint.RECOVERY_POINTS,
            OffsetCheckpoint.LOG_STARTS,
            OffsetCheckpoint.HIGH_WATERMARKS,
            OffsetCheckpoint.CLEANER_OFFSETS);
    private static final List<String> CASES = List.of(
            "01-plain", "02-codecs", "03-txn", "04-compaction", "05-groups", "06-cluster", "07-crash", "10-kcat");

    @Test
    void everyFileOfTheCorpusIsReadAsKafkaReadIt() throws IOException {
        int files = 0;
        int entries = 0;
        int marked = 0;
        for (final String name : CASES) {
            for (final JsonNode directory : Corpus.truth(name).get("logDirs")) {
                final Path path = Corpus.root()
                        .resolve(name)
                        .resolve(directory.get("path").textValue());
                try (DiskStorage storage = new DiskStorage(path)) {
                    for (final String file : CHECKPOINTS) {
                        final Map<PartitionName, Long> read = OffsetCheckpoint.read(storage, "", file);
                        assertNotNull(read);
                        assertEquals(offsets(directory.get("checkpoints").get(file)), read, path + "/" + file);
                        files++;
                        entries += read.size();
                    }
                    final CleanShutdownMarker marker = CleanShutdownMarker.read(storage);
                    assertEquals(directory.get("cleanShutdownFile").booleanValue(), marker != null, path.toString());
                    if (marker != null) {
                        assertEquals(directory.get("cleanShutdownBrokerEpoch").longValue(), marker.brokerEpoch());
                        marked++;
                    }
                    assertProperties(directory.get("metaProperties"), MetaProperties.read(storage));
                }
            }
        }
        assertEquals(60, files);
        assertEquals(13, marked);
        assertTrue(entries > 900, entries + " entries");
    }

    private static SortedMap<PartitionName, Long> offsets(final JsonNode truth) {
        final SortedMap<PartitionName, Long> offsets = new TreeMap<>();
        truth.properties().forEach(e -> {
            final PartitionName name = PartitionName.parse(e.getKey());
            assertNotNull(name, e.getKey());
            offsets.put(name, e.getValue().longValue());
        });
        return offsets;
    }

    private static void assertProperties(final JsonNode truth, final @Nullable MetaProperties read) {
        assertNotNull(read);
        assertEquals(truth.get("cluster.id").textValue(), read.clusterId());
        assertEquals(truth.get("node.id").textValue(), Integer.toString(read.nodeId()));
        assertEquals(truth.get("directory.id").textValue(), read.directoryId());
        assertEquals(1, read.version());
    }

    @Test
    void aCheckpointIsReadAndWritten() {
        final String text = "0\n3\na-b 0 120\na-b 10 0\nc 2 9223372036854775807\n";
        final Map<PartitionName, Long> read = parse(text);
        assertEquals(
                Map.of(
                        new PartitionName("a-b", 0), 120L,
                        new PartitionName("a-b", 10), 0L,
                        new PartitionName("c", 2), Long.MAX_VALUE),
                read);
        assertEquals(text, new String(OffsetCheckpoint.encode(read), US_ASCII));
        assertEquals(Map.of(), parse(""));
        assertEquals(Map.of(), parse("0\n0\n"));
        assertEquals(1, parse("0\r\n1\r\nc 2 9\r\n").size());
    }

    @Test
    void aDamagedCheckpointIsRefusedWithThePlace() {
        assertEquals(0, refused("1\n0\n"));
        assertEquals(0, refused("\0\0\0\0"));
        assertEquals(2, refused("0\n"));
        assertEquals(2, refused("0\n-1\n"));
        assertEquals(4, refused("0\n1\nc 2 9"));
        assertEquals(10, refused("0\n2\nc 2 9\n"));
        assertEquals(10, refused("0\n0\nc 2 9\n"));
        assertEquals(10, refused("0\n2\nc 2 9\nc 2 10\n"));
        assertEquals(4, refused("0\n1\nc 2 -9\n"));
        assertEquals(4, refused("0\n1\nc 2  9\n"));
        assertEquals(4, refused("0\n1\nc 2147483648 9\n"));
        assertEquals(4, refused("0\n1\nc 2 9223372036854775808\n"));
        assertEquals(4, refused("0\n1\nc 2\n"));
        assertEquals(4, refused("0\n1\n.. 2 9\n"));
        assertEquals(4, refused("0\n1\nc/d 2 9\n"));
        assertEquals(4, refused("0\n1\n 2 9\n"));
    }

    private static Map<PartitionName, Long> parse(final String text) {
        final byte[] bytes = text.getBytes(UTF_8);
        return OffsetCheckpoint.parse("f", new UnsafeBuffer(bytes), 0, bytes.length);
    }

    private static long refused(final String text) {
        final CorruptLogException e = assertThrows(CorruptLogException.class, () -> parse(text), text);
        assertEquals("f", e.file());
        return e.position();
    }

    @Test
    void aMarkerIsReadAndWrittenAndNotBelievedIfItIsOdd() {
        final MemoryStorage storage = new MemoryStorage();
        assertNull(CleanShutdownMarker.read(storage));
        new CleanShutdownMarker(15).write(storage);
        assertArrayEquals(
                "{\"version\":0,\"brokerEpoch\":15}".getBytes(US_ASCII), storage.content(CleanShutdownMarker.FILE));
        assertEquals(new CleanShutdownMarker(15), CleanShutdownMarker.read(storage));
        assertEquals(new CleanShutdownMarker(-1), marker("{\"version\":0,\"brokerEpoch\":-1}"));
        assertEquals(new CleanShutdownMarker(3), marker(" {\n\"version\" : 0, \"brokerEpoch\" : 3 }\n"));
        for (final String odd : List.of(
                "",
                "{\"version\":0,\"brokerEpoch\":15",
                "{\"version\":1,\"brokerEpoch\":15}",
                "{\"version\":0}",
                "{\"version\":0,\"brokerEpoch\":99999999999999999999}",
                "\0\0\0")) {
            assertThrows(CorruptLogException.class, () -> marker(odd), odd);
        }
    }

    private static CleanShutdownMarker marker(final String text) {
        return CleanShutdownMarker.parse("f", text.getBytes(UTF_8));
    }

    @Test
    void propertiesAreReadAndWritten() {
        final MemoryStorage storage = new MemoryStorage();
        assertNull(MetaProperties.read(storage));
        final UUID id = new UUID(0x1234, 0x5678);
        final MetaProperties fresh = MetaProperties.fresh(id, "cluster_1", 7);
        fresh.write(storage);
        assertEquals(fresh, MetaProperties.read(storage));
        assertEquals("AAAAAAAAEjQAAAAAAABWeA", fresh.directoryId());
        assertEquals(
                new MetaProperties(0, null, 4, null),
                MetaProperties.parse("f", "version=0\nbroker.id=4\n".getBytes(US_ASCII)));
        assertEquals(
                new MetaProperties(1, null, MetaProperties.NO_NODE, null),
                MetaProperties.parse("f", "version=1\n".getBytes(US_ASCII)));
        for (final String odd : List.of(
                "",
                "version=2\n",
                "version=-5\n",
                "version=x\n",
                "version=1\nnode.id=\n",
                "version=1\nnode.id=-7\n",
                "version=0\nbroker.id=-1\n",
                "version=\\u12\n")) {
            assertThrows(CorruptLogException.class, () -> MetaProperties.parse("f", odd.getBytes(US_ASCII)), odd);
        }
        assertThrows(IllegalArgumentException.class, () -> MetaProperties.fresh(new UUID(0, 99), null, 1));
        assertThrows(IllegalArgumentException.class, () -> MetaProperties.fresh(id, "a\nb", 1));
        assertThrows(IllegalArgumentException.class, () -> MetaProperties.fresh(id, null, -2));
    }

    @Test
    void namesOfPartitions() {
        assertEquals(new PartitionName("a-b.c_D", 12), PartitionName.parse("a-b.c_D-12"));
        assertEquals("a-b.c_D-12", new PartitionName("a-b.c_D", 12).directory());
        for (final String no : List.of(
                "a",
                "a-",
                "-1",
                "a-01",
                "a--",
                "a-+1",
                "a-2147483648",
                "..-0",
                "ä-0",
                "a b-0",
                "a-0.x",
                "a-\u0661",
                "")) {
            assertNull(PartitionName.parse(no), no);
        }
        final UUID id = new UUID(0x0123456789abcdefL, 0xfedcba9876543210L);
        final String deleting = new PartitionName("a", 3).deletingDirectory(id);
        assertEquals("a-3.0123456789abcdeffedcba9876543210-delete", deleting);
        assertTrue(PartitionName.isDeleting(deleting));
        assertNull(PartitionName.parse(deleting));
        for (final String mark : List.of("delete", "future", "stray")) {
            final String marked = deleting.replace("delete", mark);
            assertEquals(new PartitionName("a", 3), PartitionName.parseMarked(marked), marked);
        }
        assertEquals(new PartitionName("a", 3), PartitionName.parseMarked("a-3"));
        assertNull(PartitionName.parseMarked(deleting.replace("delete", "deleted")));
        assertNull(PartitionName.parseMarked(deleting.replace("-3.", "-x.")));
        for (final String no : List.of(
                deleting.replace("delete", "future"),
                deleting.replace("delete", "stray"),
                "a-3-delete",
                "a-3.0123456789abcdeffedcba987654321-delete",
                "a-3.0123456789abcdeffedcba987654321G-delete",
                "a.0123456789abcdeffedcba9876543210-delete")) {
            assertFalse(PartitionName.isDeleting(no), no);
        }
        final String longest = new PartitionName("t".repeat(249), 1234).deletingDirectory(id);
        assertEquals(255, longest.length());
        assertTrue(PartitionName.isDeleting(longest));
        assertThrows(IllegalArgumentException.class, () -> new PartitionName("t".repeat(250), 0));
        assertThrows(IllegalArgumentException.class, () -> new PartitionName("t", -1));
        assertTrue(new PartitionName("a", 10).compareTo(new PartitionName("a", 9)) > 0);
    }
}
