package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashReport;
import io.cordwood.testkit.CrashScenario;
import io.cordwood.testkit.SimulatedStorage;
import java.io.ByteArrayOutputStream;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The open that builds an index of a sealed segment below the recovery point anew, while the power may go at any act: whatever it leaves of
 * the index is built anew again or whole, and not taken for the whole of it; in the end both files are as without the crash.
 */
final class SealedIndexCrashTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int RECORDS = 40;

    /** Lengths to which files are cut, -1: deleted. Beside a damaged one the other may have lost whole entries, which shows nowhere. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "timeindex 30",
                "timeindex 0",
                "timeindex 11",
                "timeindex -1",
                "index 13",
                "index -1",
                "index -1 timeindex -1",
                "timeindex 12 index 13",
                "timeindex 24 index 13",
                "timeindex 24 index 100",
                "timeindex 24 index -1",
                "timeindex 228 index 13",
                "timeindex 228 index 151",
                "timeindex 228 index -1",
                "timeindex 12 index 151",
                "timeindex 30 index 8",
                "timeindex 30 index 144",
                "timeindex -1 index 24",
                "timeindex 100 index 101"
            })
    void aHalfIndexIsNotBelieved(final String damage) {
        final CrashReport report = new CrashExplorer("a damaged " + damage, NOW, () -> new Scenario(damage, ""))
                .nested(1, 0)
                .explore();
        assertTrue(report.points() > 20, report.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {".timeindex", ".index"})
    void aRebuildThatIsInterruptedLeavesTheOldFileOrNoneOrTheNewOne(final String suffix) {
        final CrashReport report = new CrashExplorer(
                        "rebuild of " + suffix, NOW, () -> new Scenario("timeindex 24 index 16", suffix))
                .explore();
        assertTrue(report.points() > 20, report.toString());
    }

    /** What a killed process has not forced of a sound index is forced by the open behind which nobody looks into it. */
    @Test
    void aSoundIndexOfAKilledProcessIsDurableBehindTheOpenThatBelievesIt() {
        final CrashReport report = new CrashExplorer("an index of a killed process", NOW, KilledWriter::new).explore();
        assertTrue(report.points() > 20, report.toString());
    }

    private static final class KilledWriter implements CrashScenario {
        private boolean isOpened;
        private byte @Nullable [] expected;

        @Override
        public void run(final SimulatedStorage disk) {
            final Log log = Scenario.open(disk, 0);
            for (int i = 0; i < RECORDS; i++) {
                Scenario.append(log, NOW + i);
            }
            assertEquals(RECORDS, log.flush());
            // The index is completed behind the force that makes this the recovery point.
            log.roll(NOW);
            final SimulatedStorage next = disk.kill();
            expected = Scenario.indexes(next);
            final Log opened = Scenario.open(next, RECORDS);
            Scenario.append(opened, NOW - 1);
            assertEquals(RECORDS + 1, opened.flush());
            isOpened = true;
            opened.closeUncleanly();
        }

        @Override
        public long promises() {
            return isOpened ? 1 : 0;
        }

        @Override
        public void check(final SimulatedStorage disk) {
            if (isOpened) {
                assertArrayEquals(expected, Scenario.indexes(disk));
            }
        }
    }

    private static final class Scenario implements CrashScenario {
        private final String damage;
        private final String rebuilt;
        private boolean isClosed;
        private byte @Nullable [] expected;

        /** With the suffix of a file that is asked to be built anew; if that is empty, an open builds what it finds damaged. */
        Scenario(final String damage, final String rebuilt) {
            this.damage = damage;
            this.rebuilt = rebuilt;
        }

        private void mend(final SimulatedStorage disk) {
            if (rebuilt.isEmpty()) {
                open(disk, RECORDS + 1).closeUncleanly();
            } else {
                new SparseIndexes().rebuild(disk, "a-0", 0, new IndexLimits(10 << 20, 2000), rebuilt);
            }
        }

        private static Log open(final SimulatedStorage disk, final long recoveryPoint) {
            // It was written with another interval than it is built anew with.
            return new LogBuilder(disk, "a-0")
                    .config(LogConfig.of(Map.of("index.interval.bytes", recoveryPoint == 0 ? "100" : "2000")))
                    .indexes(new SparseIndexes())
                    .recoveryPoint(recoveryPoint)
                    .open(NOW);
        }

        private static void append(final Log log, final long timestampMs) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
            batch.append(timestampMs, null, 0, -1, memory, 900, 20, null);
            log.append(memory, 0, batch.finish(), AppendAs.client(0), NOW);
        }

        /** A disk with the damage, durable, and nothing else to be done. */
        private SimulatedStorage damaged(final SimulatedStorage disk) {
            final Log log = open(disk, 0);
            for (int i = 0; i < RECORDS; i++) {
                append(log, NOW + i);
            }
            log.roll(NOW);
            // Behind the segment, so that it does not end at the recovery point.
            append(log, NOW - 1);
            log.close();
            final SimulatedStorage next = disk.kill();
            final String[] parts = damage.split(" ", -1);
            for (int i = 0; i < parts.length; i += 2) {
                final String path = "a-0/00000000000000000000." + parts[i];
                if (parts[i + 1].equals("-1")) {
                    next.delete(path);
                    continue;
                }
                try (StorageFile file = next.open(path, FileUse.APPEND, 0)) {
                    file.truncate(Long.parseLong(parts[i + 1]));
                    file.force();
                }
            }
            next.syncDirectory("a-0");
            return next;
        }

        private static byte[] indexes(final SimulatedStorage disk) {
            final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            for (final String suffix : List.of("index", "timeindex")) {
                try (StorageFile file = disk.open("a-0/00000000000000000000." + suffix, FileUse.READ, 0);
                        FileView view = new FileView()) {
                    final byte[] content = new byte[file.view(0, (int) file.length(), view)];
                    view.buffer().getBytes(0, content);
                    bytes.writeBytes(content);
                }
            }
            return bytes.toByteArray();
        }

        @Override
        public void run(final SimulatedStorage disk) {
            final SimulatedStorage unharmed = damaged(new SimulatedStorage(() -> NOW));
            mend(unharmed);
            expected = indexes(unharmed);
            final SimulatedStorage next = damaged(disk);
            isClosed = true;
            mend(next);
        }

        @Override
        public long promises() {
            return isClosed ? 1 : 0;
        }

        @Override
        public void check(final SimulatedStorage disk) {
            if (isClosed && !rebuilt.isEmpty()) {
                checkRebuilt(disk);
            } else if (isClosed) {
                final Log log = open(disk, RECORDS + 1);
                assertEquals(RECORDS - 1, log.newReader().offsetForTimestamp(NOW + RECORDS - 1, RECORDS));
                log.closeUncleanly();
                assertArrayEquals(expected, indexes(disk));
            }
        }

        /** What was lost before shows nowhere, until the file that was asked for is gone or whole. */
        private void checkRebuilt(final SimulatedStorage disk) {
            final FileStatus file = disk.status("a-0/00000000000000000000" + rebuilt);
            if (file != null && file.length() != (rebuilt.equals(".index") ? 16 : 24)) {
                assertArrayEquals(expected, indexes(disk));
            } else if (file == null && rebuilt.equals(".timeindex")) {
                final Log log = open(disk, RECORDS + 1);
                assertEquals(RECORDS - 1, log.newReader().offsetForTimestamp(NOW + RECORDS - 1, RECORDS));
                log.closeUncleanly();
            }
        }
    }
}
