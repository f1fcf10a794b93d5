package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.cordwood.log.RecoveryProgress;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code recover} and the data directory around it, and what it says. */
final class RecoverTest {
    private static final String MARKER = ".kafka_cleanshutdown";
    private static final String POINTS = "recovery-point-offset-checkpoint";

    @TempDir
    private Path scratch;

    private Path kafkas() throws IOException {
        return Corpus.copy(Corpus.root().resolve("01-plain"), scratch.resolve("data"));
    }

    private static void tear(final Path partition, final String segment) throws IOException {
        Files.writeString(partition.resolve(segment), "torn", StandardOpenOption.APPEND);
    }

    private Path alone(final String variant) throws IOException {
        return Corpus.copy(
                Corpus.root().resolve("09-corrupt").resolve(variant).resolve("dmg-plain-0"),
                scratch.resolve(variant).resolve("dmg-plain-0"));
    }

    @Test
    void aDryRunOnADataDirectoryLeavesMarkerAndCheckpoints() throws IOException {
        final Path data = kafkas();
        final SortedMap<String, String> before = Corpus.state(data);
        final Run dry = Run.of("recover", "--dry-run", data.resolve("plain-0"));
        assertEquals(0, dry.exitCode(), dry.err());
        assertTrue(dry.out().contains("dry run, nothing is written"), dry.out());
        assertTrue(dry.out().contains("closed cleanly; in the data directory " + data), dry.out());
        assertEquals(before, Corpus.state(data));
        // The same where an earlier owner has left its lock file.
        Files.createFile(data.resolve(".lock"));
        final SortedMap<String, String> withLock = Corpus.state(data);
        assertEquals(0, Run.of("recover", "--dry-run", data.resolve("plain-0")).exitCode());
        assertEquals(withLock, Corpus.state(data));
    }

    @Test
    void aCleanDataDirectoryStaysClean() throws IOException {
        final Path data = kafkas();
        final Run run = Run.of("recover", "--format", "json", data.resolve("plain-0"));
        assertEquals(0, run.exitCode(), run.err());
        final JsonNode told = run.json();
        assertTrue(told.get("hadCleanShutdown").asBoolean());
        assertEquals(172, told.get("logEndOffset").asLong());
        assertTrue(Files.exists(data.resolve(MARKER)));
        assertFalse(Files.exists(data.resolve("plain-0/.lock")));
    }

    @Test
    void anUncleanDataDirectoryGetsARecoveryPointAndNoMarker() throws IOException {
        final Path data = kafkas();
        Files.delete(data.resolve(MARKER));
        tear(data.resolve("plain-0"), "00000000000000000147.log");
        final Path points = data.resolve(POINTS);
        Files.writeString(points, Files.readString(points).replace("plain 0 172", "plain 0 160"));
        final Run run = Run.of("recover", data.resolve("plain-0"));
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.out().contains("damage is looked for from offset 160 on"), run.out());
        assertTrue(run.out().contains("torn end cut, 00000000000000000147.log at position "), run.out());
        assertTrue(run.out().contains("(4 bytes)"), run.out());
        assertTrue(run.out().contains("stays marked as not closed cleanly"), run.out());
        assertFalse(Files.exists(data.resolve(MARKER)));
        final List<String> lines = Files.readAllLines(points);
        assertTrue(lines.contains("plain 0 172"), lines.toString());
        assertTrue(lines.contains("txn 0 93"), lines.toString());
        final Run again = Run.of("recover", data.resolve("plain-0"));
        assertEquals(0, again.exitCode(), again.out());
    }

    /** A kill in the middle of a write leaves such an end, and an operator is not to be woken for it. */
    @ParameterizedTest
    @CsvSource({
        "tail-cut-1, 0",
        "tail-cut-in-header, 0",
        "tail-cut-in-records, 0",
        "tail-zeros-30, 0",
        "tail-zeros-4096, 0",
        "payload-bitflip-last-batch, 1",
        "length-bitflip-256, 1",
        "mid-segment-cut, 1"
    })
    void aTornEndIsNoDamageAndALostBatchIs(final String variant, final int exitCode) throws IOException {
        final Run run = Run.of("recover", "--recovery-point", 0, "--format", "json", alone(variant));
        assertEquals(exitCode, run.exitCode(), run.out());
        assertEquals(exitCode == 0, run.out().contains("\"tail-cut\""), run.out());
    }

    @Test
    void theCommandLineOverrulesTheDataDirectory() throws IOException {
        final Path data = kafkas();
        final JsonNode told = Run.of(
                        "recover", "--recovery-point", 0, "--format", "json", "--dry-run", data.resolve("plain-0"))
                .json();
        assertFalse(told.get("hadCleanShutdown").asBoolean());
        assertEquals(0, told.get("recoveryPointGiven").asLong());
        assertEquals(55448, told.get("scannedBytes").asLong());
        Files.delete(data.resolve(MARKER));
        final JsonNode clean = Run.of("recover", "--clean", "--format", "json", "--dry-run", data.resolve("plain-0"))
                .json();
        assertTrue(clean.get("hadCleanShutdown").asBoolean());
        assertTrue(clean.get("scannedBytes").asLong() < 4096, clean.toString());
    }

    @Test
    void thereIsNothingBesideAPartitionThatStandsAlone() throws IOException {
        final Path partition = alone("mid-segment-cut");
        final Run run = Run.of("recover", partition);
        assertEquals(1, run.exitCode(), run.err());
        assertTrue(run.out().contains("no data directory"), run.out());
        assertTrue(run.out().contains("DELETED 00000000000000000049.log"), run.out());
        assertTrue(run.out().contains("DAMAGE: 2 places in capitals above, 1,693 bytes"), run.out());
        try (var beside = Files.list(scratch.resolve("mid-segment-cut"))) {
            assertEquals(List.of(partition), beside.toList());
        }
        assertEquals(0, Run.of("verify", partition).exitCode());
    }

    @Test
    void damageBelowTheRecoveryPointStaysAndIsDamage() throws IOException {
        final Run run = Run.of("recover", "--clean", alone("payload-bitflip-mid"));
        assertEquals(0, run.exitCode(), "a clean start does not look: " + run.out());
        final Run looked = Run.of("recover", "--recovery-point", 48, alone("magic-flip-to-3"));
        assertEquals(0, looked.exitCode(), looked.out());
        final Run all = Run.of("recover", "--recovery-point", 0, scratch.resolve("magic-flip-to-3/dmg-plain-0"));
        assertEquals(1, all.exitCode());
        assertTrue(all.out().contains("DAMAGED 00000000000000000033.log at position 1503"), all.out());
    }

    @Test
    void aDirectoryInUseIsRefusedInBothWays() throws Exception {
        final Path data = kafkas();
        try (Storage storage = new DiskStorage(data)) {
            final AutoCloseable lock = storage.lock(".lock");
            try (lock) {
                final SortedMap<String, String> before = Corpus.state(data);
                for (final String option : List.of("--dry-run", "--clean")) {
                    final Run run = Run.of("recover", option, "--format", "json", data.resolve("plain-0"));
                    assertEquals(3, run.exitCode());
                    assertEquals("failed", run.json().get("outcome").asText());
                    final String error = run.json().get("error").asText();
                    assertTrue(error.contains("StorageException: lock failed"), error);
                    assertTrue(run.err().startsWith("cordwood: lock failed"), run.err());
                    assertFalse(run.err().contains("\tat "), run.err());
                }
                assertEquals(before, Corpus.state(data));
            }
        }
    }

    @Test
    void aRecoveryThatFailsSaysWhyInBothWays() throws IOException {
        final Path partition = alone("leaderepoch-checkpoint-missing");
        // In the way of the file under whose name the new table is written.
        Files.createDirectory(partition.resolve("leader-epoch-checkpoint.tmp"));
        for (final String option : List.of("--dry-run", "--clean")) {
            final Run run = Run.of("recover", option, "--format", "json", partition);
            assertEquals(3, run.exitCode(), option + run.out());
            assertTrue(run.err().contains("leader-epoch-checkpoint.tmp: it is a directory"), run.err());
            assertEquals("failed", run.json().get("outcome").asText());
            assertTrue(run.json().get("error").asText().contains("StorageException: delete failed"), run.out());
        }
    }

    @Test
    void aFailureThatNobodyForesawIsToldInJsonAsWell() throws IOException {
        final Path partition = alone("tail-cut-1");
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        final OutputStream failsOnce = new OutputStream() {
            private boolean hasFailed;

            @Override
            public void write(final int b) {
                write(new byte[] {(byte) b}, 0, 1);
            }

            @Override
            public void write(final byte[] bytes, final int from, final int length) {
                if (!hasFailed) {
                    hasFailed = true;
                    throw new IllegalStateException("not foreseen", new IllegalArgumentException("at all"));
                }
                out.write(bytes, from, length);
            }
        };
        final ByteArrayOutputStream err = new ByteArrayOutputStream();
        final Streams streams = new Streams(
                new ByteArrayInputStream(new byte[0]),
                failsOnce,
                new PrintStream(err, true, StandardCharsets.UTF_8),
                -1,
                false);
        assertEquals(3, Cordwood.execute(streams, "recover", "--format", "json", partition.toString()));
        final JsonNode told = new Run(3, out.toString(StandardCharsets.UTF_8), "").json();
        assertEquals(partition.toString(), told.get("path").asText());
        assertEquals("failed", told.get("outcome").asText());
        assertEquals(
                "java.lang.IllegalStateException: not foreseen",
                told.get("error").asText());
        assertEquals(
                "java.lang.IllegalArgumentException: at all", told.get("cause").asText());
        assertTrue(err.toString(StandardCharsets.UTF_8).contains("not foreseen"), err.toString(StandardCharsets.UTF_8));
    }

    @Test
    void aLinkThatLeadsNowhereIsToldInJsonAsWell() throws IOException {
        final Path link = Files.createSymbolicLink(scratch.resolve("gone-0"), scratch.resolve("gone"));
        final Run run = Run.of("recover", "--format", "json", link);
        assertEquals(3, run.exitCode());
        assertEquals("failed", run.json().get("outcome").asText());
        assertTrue(run.json().get("error").asText().contains("the link leads nowhere"), run.out());
    }

    /** It is nobody's, and spoils nothing beside it. */
    @Test
    void aStrayLinkIntoItselfIsLeftAlone() throws IOException {
        final Path data = kafkas();
        for (final Path directory : List.of(data, data.resolve("plain-0"))) {
            Files.createSymbolicLink(directory.resolve("loop"), Path.of("loop"));
        }
        assertEquals(0, Run.of("recover", data.resolve("plain-0")).exitCode());
        assertEquals(0, Run.of("verify", data.resolve("plain-0")).exitCode());
        assertTrue(Files.isSymbolicLink(data.resolve("plain-0/loop")));
    }

    @Test
    void whatIsNoPartitionIsLeftAlone() throws IOException {
        final Path folder = Files.createDirectories(scratch.resolve("photos-2024"));
        Files.writeString(folder.resolve("a.jpg"), "");
        final SortedMap<String, String> before = Corpus.state(scratch);
        final Run run = Run.of("recover", folder);
        assertEquals(2, run.exitCode());
        assertTrue(run.err().contains("is no partition directory"), run.err());
        final Run file = Run.of("recover", Files.createFile(scratch.resolve("orders-0")));
        assertEquals(3, file.exitCode());
        assertEquals(1, file.err().lines().count(), file.err());
        Files.delete(scratch.resolve("orders-0"));
        assertEquals(before.keySet(), Corpus.state(scratch).keySet());
    }

    /** Waits for a line, and notes what was written. */
    private static final class Screen extends OutputStream {
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final CountDownLatch isWritten = new CountDownLatch(1);

        @Override
        public void write(final int single) {
            bytes.write(single);
        }

        @Override
        public void flush() {
            isWritten.countDown();
        }
    }

    @Test
    void progressGoesToATerminalOnly() throws InterruptedException {
        for (final boolean isTerminal : new boolean[] {true, false}) {
            final Screen screen = new Screen();
            final Streams streams = new Streams(
                    new ByteArrayInputStream(new byte[0]),
                    new ByteArrayOutputStream(),
                    new PrintStream(screen, false, StandardCharsets.UTF_8),
                    isTerminal ? 0 : -1,
                    true);
            try (RecoveryWatch watch = new RecoveryWatch(streams)) {
                assertEquals(isTerminal, watch.begin(new RecoveryProgress()));
                if (isTerminal) {
                    screen.isWritten.await();
                }
            }
            final String written = screen.bytes.toString(StandardCharsets.UTF_8);
            assertEquals(isTerminal, written.startsWith("\r0 of 0 segments looked at"), written);
            assertEquals(isTerminal, written.endsWith(" \r"), written);
        }
    }

    @Test
    void aDamagedCheckpointIsDamage() throws IOException {
        final Path data = kafkas();
        Files.writeString(data.resolve("log-start-offset-checkpoint"), "0\n7\n");
        final Run run = Run.of("recover", data.resolve("plain-0"));
        assertEquals(1, run.exitCode(), run.out());
        assertTrue(run.out().contains("log-start-offset-checkpoint.damaged"), run.out());
        assertTrue(run.out().contains("DAMAGE: offsets of the data directory are lost"), run.out());
        assertFalse(run.out().contains("fine:"), run.out());
        assertEquals("0\n7\n", Files.readString(data.resolve("log-start-offset-checkpoint.damaged")));
        Files.writeString(data.resolve("log-start-offset-checkpoint"), "0\n7\n");
        final Run json = Run.of("recover", "--format", "json", data.resolve("plain-0"));
        assertEquals(1, json.exitCode(), json.out());
        assertFalse(json.json().get("isLossless").asBoolean(true), json.out());
        final Run again = Run.of("recover", "--format", "json", data.resolve("plain-0"));
        assertTrue(again.json().get("isLossless").asBoolean(), again.out());
    }

    /** By whatever name it is reached: the lock is that of the directory that it lies in. */
    @Test
    void aLinkLeadsRoundNoLock() throws Exception {
        final Path data = kafkas();
        final Path link = Files.createSymbolicLink(scratch.resolve("link-0"), data.resolve("plain-0"));
        try (Storage storage = new DiskStorage(data)) {
            final AutoCloseable lock = storage.lock(".lock");
            try (lock) {
                final SortedMap<String, String> before = Corpus.state(data);
                assertEquals(3, Run.of("recover", link).exitCode());
                assertEquals(3, Run.of("append", link).exitCode());
                assertEquals(before, Corpus.state(data));
            }
        }
        assertEquals(0, Run.of("append", link).exitCode());
        assertEquals(2, Run.of("append", scratch.resolve("none/of/them")).exitCode());
    }

    /** As where the folders of a data directory are spread over disks: they are its partitions, wherever they lie. */
    @Test
    void aFolderThatIsALinkOutOfADataDirectoryIsOpenedInIt() throws Exception {
        final Path data = kafkas();
        final Path away = Files.createDirectories(scratch.resolve("disk2")).resolve("plain-0");
        Files.move(data.resolve("plain-0"), away);
        final Path link = Files.createSymbolicLink(data.resolve("plain-0"), away);
        try (Storage storage = new DiskStorage(data)) {
            final AutoCloseable lock = storage.lock(".lock");
            try (lock) {
                final SortedMap<String, String> before = Corpus.state(scratch);
                assertEquals(3, Run.of("recover", link).exitCode());
                assertEquals(3, Run.withInput("x\n", "append", link).exitCode());
                assertEquals(before, Corpus.state(scratch));
            }
        }
        final Run run = Run.of("recover", "--format", "json", link);
        assertEquals(0, run.exitCode(), run.err());
        assertTrue(run.json().get("hadCleanShutdown").asBoolean());
        assertFalse(Files.exists(away.resolve(".lock")));
        // From one data directory into another: neither sees the owner of the other one.
        Files.createFile(scratch.resolve("disk2/meta.properties"));
        final SortedMap<String, String> before = Corpus.state(scratch);
        for (final Run refused : List.of(Run.of("recover", link), Run.withInput("x\n", "append", link))) {
            assertEquals(3, refused.exitCode());
            assertTrue(refused.err().contains("from one data directory into another, to " + away), refused.err());
        }
        assertEquals(before, Corpus.state(scratch));
    }
}
