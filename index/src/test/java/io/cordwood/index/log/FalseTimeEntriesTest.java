package io.cordwood.index.log;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A time entry of a batch that the segment has not shows nothing; and what a recovery of sound files leaves is as it found it. */
final class FalseTimeEntriesTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final long HOUR_MS = 3_600_000;
    private static final int YOUNG = 5;
    private static final int FAR = 0x2d6ef74d;

    @TempDir
    private Path directory;

    private static Log open(final DiskStorage storage, final long recoveryPoint, final int interval) {
        return new LogBuilder(storage, "")
                .config(LogConfig.of(Map.of(
                        "segment.bytes", "4000", "index.interval.bytes", "" + interval, "retention.ms", "" + HOUR_MS)))
                .indexes(new SparseIndexes())
                .recoveryPoint(recoveryPoint)
                .open(NOW);
    }

    /** All records are old but one. Answers the base offsets. */
    private long[] fill(final int segments, final int records) {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, 0, 145)) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[4096]);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard());
            while (log.baseOffsets().length < segments || log.endOffset() < records) {
                final long offset = log.endOffset();
                batch.wrap(memory, 0, 3000);
                batch.append(
                        offset == YOUNG ? NOW - 1000 : NOW - 2 * HOUR_MS + offset, null, 0, -1, memory, 3500, 58, null);
                log.append(memory, 0, batch.finish(), AppendAs.client(0), NOW);
            }
            return log.baseOffsets();
        }
    }

    private Path file(final long base, final String suffix) {
        return directory.resolve(LogFiles.name(base, suffix));
    }

    /** Pairs of timestamp and relative offset. */
    private void writeTimes(final long... pairs) throws IOException {
        final ByteBuffer entries = ByteBuffer.allocate(pairs.length / 2 * 12);
        for (int i = 0; i < pairs.length; i += 2) {
            entries.putLong(pairs[i]).putInt((int) pairs[i + 1]);
        }
        Files.write(file(0, LogFiles.TIME_INDEX), entries.array());
    }

    private static List<RecoveryReport.Kind> kinds(final Log log) {
        return log.recovery().entries().stream().map(RecoveryReport.Entry::kind).toList();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void ofASealedSegmentTheyHideNoRecord(final boolean isClean) throws IOException {
        final long next = fill(2, 0)[1];
        final long[][] tried = {{5, FAR}, {5, next}, {5, 1, 6, FAR}, {NOW - HOUR_MS, next}, {0, 0}};
        for (final long[] pairs : tried) {
            writeTimes(pairs);
            Files.setLastModifiedTime(file(0, LogFiles.LOG), FileTime.fromMillis(NOW - 3000));
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage, isClean ? Long.MAX_VALUE : next + 1, 145);
                    LogReader reader = log.newReader()) {
                assertEquals(YOUNG, reader.offsetForTimestamp(NOW - 1000, Long.MAX_VALUE), () -> "" + pairs[1]);
                log.retain(NOW, Long.MAX_VALUE);
                assertEquals(0, log.startOffset(), () -> "" + pairs[1]);
            }
        }
    }

    /** No crash leaves an entry behind the end of a sealed segment, nor any behind the end of a log that was closed cleanly. */
    @ParameterizedTest
    @CsvSource({"1, CLEAN", "2, BEGIN", "2, NEXT"})
    void areToldOf(final int segments, final String how) throws IOException {
        final long[] bases = fill(segments, 10);
        final long point = switch (how) {
            case "CLEAN" -> Long.MAX_VALUE;
            case "BEGIN" -> 0;
            default -> bases[1];
        };
        final byte[] sound = Files.readAllBytes(file(0, LogFiles.TIME_INDEX));
        writeTimes(5, FAR);
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, point, 145)) {
            assertEquals(List.of(RecoveryReport.Kind.INDEX_REBUILT), kinds(log));
        }
        assertArrayEquals(sound, Files.readAllBytes(file(0, LogFiles.TIME_INDEX)));
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = open(storage, point, 145)) {
            assertEquals(List.of(), kinds(log));
        }
    }

    /** The entry that leads to where it begins to judge stays, or the next recovery would begin one entry earlier. */
    @Test
    void aRecoveryWithALongerIntervalLeavesWhatTheNextOneLeaves() throws IOException {
        final long[] bases = fill(3, 0);
        final long middle = bases[1];
        byte[] offsets = {};
        byte[] times = {};
        for (int i = 0; i < 6; i++) {
            try (DiskStorage storage = new DiskStorage(directory);
                    Log log = open(storage, middle + (bases[2] - middle) * 2 / 3, 1500)) {
                log.closeUncleanly();
            }
            if (i > 0) {
                assertArrayEquals(offsets, Files.readAllBytes(file(middle, LogFiles.OFFSET_INDEX)), "recovery " + i);
                assertArrayEquals(times, Files.readAllBytes(file(middle, LogFiles.TIME_INDEX)), "recovery " + i);
            }
            offsets = Files.readAllBytes(file(middle, LogFiles.OFFSET_INDEX));
            times = Files.readAllBytes(file(middle, LogFiles.TIME_INDEX));
        }
        assertTrue(offsets.length > 8, "no entry");
    }
}
