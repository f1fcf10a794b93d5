package io.cordwood.log;

import static io.cordwood.log.DirectoryLogs.A;
import static io.cordwood.log.DirectoryLogs.FRESH;
import static io.cordwood.log.DirectoryLogs.NOW;
import static io.cordwood.log.DirectoryLogs.TOPIC;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Delays that are as good as for ever. */
final class TimesTest {
    @TempDir
    Path root;

    @ParameterizedTest
    @CsvSource({
        "1, 2, 3",
        "1, 9223372036854775807, 9223372036854775807",
        "9223372036854775807, 0, 9223372036854775807",
        "-5, 9223372036854775807, 9223372036854775802",
        "-5, -9223372036854775808, -9223372036854775808"
    })
    void aSumStaysInTime(final long timeMs, final long delayMs, final long sum) {
        assertEquals(sum, Times.after(timeMs, delayMs));
    }

    @Test
    void forEverIsNotAtOnceAndNeverIsNotInEachCycle() {
        final DirectoryConfig never = new DirectoryConfig(Long.MAX_VALUE, Long.MAX_VALUE, Long.MAX_VALUE);
        try (DiskStorage storage = new DiskStorage(root);
                LogDirectory directory = LogDirectory.openOwned(storage, never, FRESH)) {
            final PartitionName kept = new PartitionName("kept", 0);
            assertTrue(directory.create(A, TOPIC));
            assertTrue(directory.create(kept, TOPIC));
            DirectoryLogs.open(directory, kept);
            assertTrue(directory.delete(A, new UUID(7, 8), NOW));
            for (int cycle = 0; cycle < 3; cycle++) {
                assertEquals(0, directory.doWork(NOW + cycle), "cycle " + cycle);
            }
            assertTrue(storage.list("").stream().anyMatch(file -> file.name().endsWith("-delete")));
        }
    }
}
