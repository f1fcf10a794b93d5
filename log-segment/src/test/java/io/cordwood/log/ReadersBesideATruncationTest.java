package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** However long the disk takes for a truncation: what lies below the cut is answered, and nobody waits for the rest. */
final class ReadersBesideATruncationTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path root;

    /** At each act of the truncation; with all in one segment, and with segments that go as a whole. */
    @ParameterizedTest
    @CsvSource({"100000,false", "100000,true", "200,false", "200,true"})
    void allThatLiesBelowTheCutIsAnswered(final int segmentBytes, final boolean isMapped) {
        try (DiskStorage disk = new DiskStorage(root)) {
            final FailingStorage storage = new FailingStorage(disk);
            final LogBuilder builder = new LogBuilder(storage, "t-0")
                    .config(LogConfig.of(Map.of("segment.bytes", Integer.toString(segmentBytes))));
            try (Log log = (isMapped ? builder.mapped() : builder).open(NOW);
                    LogReader reader = log.newReader()) {
                int bytes = 0;
                for (int i = 0; i < 10; i++) {
                    final UnsafeBuffer run = batch(NOW + i, "v" + i);
                    bytes = run.capacity();
                    assertEquals(i, log.append(run, 0, bytes, AppendAs.client(0), NOW));
                }
                final int one = bytes;
                final List<String> acts = new ArrayList<>();
                storage.watch(act -> {
                    if (log.endOffset() == 5) {
                        acts.add(act);
                        assertTimeoutPreemptively(Duration.ofSeconds(20), () -> looks(reader, one), act);
                    }
                });
                assertEquals(5, log.truncateTo(5, NOW));
                assertTrue(acts.stream().anyMatch(act -> act.startsWith("force ")), acts.toString());
                storage.watch(act -> {});
                looks(reader, one);
            }
        }
    }

    private static void looks(final LogReader reader, final int bytes) {
        for (int offset = 0; offset < 5; offset++) {
            assertEquals(bytes, reader.locate(offset, offset + 1, 100_000));
            assertEquals(bytes, reader.locate(offset, Long.MAX_VALUE, 1));
            assertTrue(reader.read(offset, Long.MAX_VALUE, 100_000) > 0);
            assertEquals(offset, reader.offsetForTimestamp(NOW + offset, Long.MAX_VALUE));
        }
        assertEquals(0, reader.locate(5, Long.MAX_VALUE, 100_000));
        assertEquals(Refusal.OFFSET_OUT_OF_RANGE, reader.locate(6, Long.MAX_VALUE, 100_000));
        assertEquals(-1, reader.offsetForTimestamp(NOW + 5, Long.MAX_VALUE));
        reader.release();
    }
}
