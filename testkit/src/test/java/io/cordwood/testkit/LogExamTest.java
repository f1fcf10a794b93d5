package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteOrder;
import java.time.Duration;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;

/** Which missing offsets are excused. Batches of two records, a segment each. */
final class LogExamTest {
    private static final String DIRECTORY = "t-0";

    private final LogHistory history = new LogHistory();
    private final SimulatedStorage disk = new SimulatedStorage(() -> Disk.NOW);

    private static byte[] batch(final long offset) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[512]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        for (int i = 0; i < 2; i++) {
            builder.append(1, null, 0, -1, new UnsafeBuffer(new byte[] {1}), 0, 1, null);
        }
        final byte[] bytes = new byte[builder.finish()];
        memory.putLong(0, offset, ByteOrder.BIG_ENDIAN);
        memory.putInt(12, 0, ByteOrder.BIG_ENDIAN);
        memory.getBytes(0, bytes);
        return bytes;
    }

    private Log open(final long recoveryPoint) {
        return new LogBuilder(disk, DIRECTORY).recoveryPoint(recoveryPoint).open(Disk.NOW);
    }

    private void write(final long... offsets) {
        disk.makeDirectory(DIRECTORY);
        try (Log log = open(0)) {
            for (final long offset : offsets) {
                final byte[] stored = batch(offset);
                history.appending(stored);
                assertEquals(
                        offset,
                        log.append(new UnsafeBuffer(stored), 0, stored.length, AppendAs.replica(), Disk.NOW),
                        log::refusalReason);
                log.roll(Disk.NOW);
            }
        }
    }

    private void deleteSegment(final String name) {
        for (final FileStatus file : disk.list(DIRECTORY)) {
            if (file.name().startsWith(name)) {
                disk.delete(DIRECTORY + '/' + file.name());
            }
        }
    }

    @Test
    void aHoleThatIsToldExcusesNoOther() {
        write(0, 2, 4, 6, 8);
        deleteSegment("00000000000000000002.");
        try (Log log = open(Long.MAX_VALUE)) {
            new LogExam(log, history);
            try (StorageFile file = disk.open(DIRECTORY + "/00000000000000000006.log", FileUse.APPEND, 0)) {
                file.truncate(0);
            }
            final AssertionError lost = assertThrows(AssertionError.class, () -> new LogExam(log, history));
            assertTrue(String.valueOf(lost.getMessage()).startsWith("at offset 6 of a log"), lost.getMessage());
        }
    }

    /** A replica's log may jump further than one can count. */
    @Test
    void aFarJumpTakesNoTime() {
        write(0, 1L << 40, 1L << 41);
        try (Log log = open(Long.MAX_VALUE)) {
            Assertions.assertTimeoutPreemptively(Duration.ofSeconds(30), () -> new LogExam(log, history));
        }
    }
}
