package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a log tells of itself beside its offsets: the store that it really has, and damage that a truncation meets. */
final class RecoveryEntriesTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int BATCHES = 30;

    @TempDir
    Path root;

    private static LogBuilder builder(final Storage storage) {
        return new LogBuilder(storage, "t-0").config(LogConfig.of(Map.of("internal.segment.bytes", "16384")));
    }

    private static List<RecoveryReport.Kind> kinds(final Log log) {
        return log.recovery().entries().stream().map(RecoveryReport.Entry::kind).toList();
    }

    @Test
    void aStoreThatIsNotMappedThoughAskedForIsTold() {
        try (DiskStorage disk = new DiskStorage(root)) {
            final Storage unmapped = unmapped(disk);
            for (int round = 0; round < 2; round++) {
                try (Log log = builder(unmapped).mapped().open(NOW)) {
                    assertEquals(List.of(RecoveryReport.Kind.MAPPING_UNAVAILABLE), kinds(log));
                    assertTrue(log.recovery().isClean(), "no byte is meant");
                    append(log);
                }
            }
            try (Log log = builder(unmapped).open(NOW)) {
                assertEquals(List.of(), kinds(log));
            }
            try (Log log = builder(disk).mapped().open(NOW)) {
                assertEquals(!disk.isMappingAvailable(), !kinds(log).isEmpty());
            }
        }
    }

    /** A disk that takes channel writes for mapped files, as one does whose file system cannot reserve. */
    private static Storage unmapped(final Storage disk) {
        return (Storage) Proxy.newProxyInstance(
                Storage.class.getClassLoader(), new Class<?>[] {Storage.class}, (self, method, args) -> {
                    if (method.getName().equals("open") && args[1] == FileUse.APPEND_MAPPED) {
                        return disk.open((String) args[0], FileUse.APPEND, 0);
                    }
                    return method.invoke(disk, args);
                });
    }

    @ParameterizedTest
    @ValueSource(ints = {10, BATCHES - 1})
    void aTruncationTellsOfTheDamageThatItsReplayMeets(final int damaged) throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            storage.makeDirectory("t-0");
            final RecordCountState counts = new RecordCountState(storage, "t-0");
            final Log log = builder(storage).state(counts).open(NOW);
            for (int i = 0; i < BATCHES; i++) {
                append(log);
            }
            log.roll(NOW);
            append(log);
            append(log);
            final Path segment = root.resolve("t-0").resolve(LogFiles.name(0, LogFiles.LOG));
            final long position = Files.size(segment) / BATCHES * damaged;
            final byte[] bytes = Files.readAllBytes(segment);
            bytes[(int) position + RecordBatchDescriptor.HEADER_BYTES] ^= 1;
            Files.write(segment, bytes);
            // So that the state has to be replayed from the first batch on.
            snapshots(storage).forEach(name -> storage.delete("t-0/" + name));
            assertEquals(BATCHES + 1, log.truncateTo(BATCHES + 1, NOW));
            final List<RecoveryReport.Entry> told = log.recovery().entries();
            assertEquals(1, told.size(), told.toString());
            assertEquals(RecoveryReport.Kind.DAMAGE_KEPT, told.get(0).kind());
            assertEquals("t-0/" + LogFiles.name(0, LogFiles.LOG), told.get(0).file());
            assertEquals(position, told.get(0).position());
            assertEquals(damaged, told.get(0).offset());
            assertFalse(log.recovery().isClean());
            // As after an open: what lies behind the damage is not lost to the state.
            assertEquals(Map.of(0L, BATCHES - 1L, (long) BATCHES, 1L), counts.counts());
            assertEquals(BATCHES, log.truncateTo(BATCHES, NOW));
            assertEquals(1, log.recovery().entries().stream().distinct().count());
            log.closeUncleanly();
        }
    }

    private static List<String> snapshots(final Storage storage) {
        return storage.list("t-0").stream()
                .map(file -> file.name())
                .filter(name -> name.endsWith(RecordCountState.SUFFIX))
                .toList();
    }

    private static void append(final Log log) {
        final UnsafeBuffer one = batch(NOW, "value");
        assertTrue(log.append(one, 0, one.capacity(), AppendAs.client(0), NOW) >= 0);
    }

    /** All that a sealed segment can hold is there: bytes behind its batches are nobody's, wherever the recovery point lies. */
    @Test
    void bytesBehindASealedSegmentCostNothingThatFollows() throws IOException {
        try (DiskStorage storage = new DiskStorage(root)) {
            final long base;
            try (Log log = builder(storage).open(NOW)) {
                append(log);
                log.roll(NOW);
                base = log.endOffset();
                append(log);
                log.flush();
            }
            final Path sealed = root.resolve("t-0").resolve(LogFiles.name(0, LogFiles.LOG));
            Files.write(sealed, new byte[8], StandardOpenOption.APPEND);
            // So that what is below the recovery point is looked at.
            Files.delete(root.resolve("t-0").resolve(LogFiles.LEADER_EPOCHS));
            for (final long point : new long[] {base, base - 1}) {
                try (Log log = builder(storage).recoveryPoint(point).open(NOW)) {
                    assertEquals(base + 1, log.endOffset(), "from " + point);
                }
            }
        }
    }
}
