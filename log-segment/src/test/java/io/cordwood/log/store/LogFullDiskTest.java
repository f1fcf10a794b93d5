package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogReader;
import io.cordwood.log.TestBatches;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A log on a disk that fills up or cannot be written: the failure names file and act, what was acknowledged stays. */
final class LogFullDiskTest {
    private static final long NOW = 1_700_000_000_000L;

    @TempDir
    Path root;

    private static Log open(final DiskStorage storage, final boolean mapped) {
        final LogBuilder builder =
                new LogBuilder(storage, "t-0").config(LogConfig.of(Map.of("segment.bytes", "100000")));
        return (mapped ? builder.mapped() : builder).open(NOW);
    }

    private static long append(final Log log, final UnsafeBuffer batch) {
        return log.append(batch, 0, batch.capacity(), AppendAs.client(0), NOW);
    }

    private static void assertReadable(final Log log, final long end, final UnsafeBuffer batch) {
        assertEquals(end, log.endOffset());
        try (LogReader reader = log.newReader()) {
            for (long offset = 0; offset < end; offset++) {
                assertEquals(batch.capacity(), reader.read(offset, Long.MAX_VALUE, 1));
                for (int i = 61; i < batch.capacity(); i++) {
                    assertEquals(batch.getByte(i), reader.buffer().getByte(i));
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasAcknowledgedBeforeTheDiskWasFullStays(final boolean mapped) throws IOException, InterruptedException {
        final UnsafeBuffer batch = TestBatches.batch(NOW, "v".repeat(3_000));
        final DiskOptions options = DiskOptions.defaults().withReserveBytes(64 << 10);
        final Path mount = root.resolve("disk");
        try (Scratch.SmallDisk disk = Scratch.mount(mount, "size=1m")) {
            final Path filler = Files.write(disk.path().resolve("filler"), new byte[300 << 10]);
            long end = 0;
            try (DiskStorage storage = new DiskStorage(disk.path(), options)) {
                final Log log = open(storage, mapped);
                StorageException full = null;
                while (full == null && end < 1_000) {
                    try {
                        assertEquals(end, append(log, batch));
                        end++;
                    } catch (final StorageException e) {
                        full = e;
                    }
                }
                assertTrue(end > 100, "appended " + end);
                final StorageException failure = full;
                assertTrue(failure != null && failure.file().startsWith(mount.toString()), String.valueOf(failure));
                assertTrue(String.valueOf(failure.getMessage()).contains("o space left"), failure.toString());
                assertReadable(log, end, batch);
                assertThrows(StorageException.class, () -> {
                    for (int i = 0; i < 100; i++) {
                        append(log, batch);
                    }
                });
                end = log.endOffset();
                assertReadable(log, end, batch);
                log.closeUncleanly();
            }
            Files.delete(filler);
            try (DiskStorage storage = new DiskStorage(disk.path(), options);
                    Log log = open(storage, mapped)) {
                assertReadable(log, end, batch);
                assertEquals(end, append(log, batch));
                assertReadable(log, end + 1, batch);
            }
        }
    }

    @Test
    void aDiskThatIsReadOnlyIsNamedAndCanBeRead() throws IOException, InterruptedException {
        final UnsafeBuffer batch = TestBatches.batch(NOW, "v");
        final Path mount = root.resolve("disk");
        try (Scratch.SmallDisk disk = Scratch.mount(mount, "size=1m")) {
            try (DiskStorage storage = new DiskStorage(disk.path());
                    Log log = open(storage, false)) {
                append(log, batch);
            }
            Scratch.run("mount", "-o", "remount,ro", mount.toString());
            try (DiskStorage storage = new DiskStorage(disk.path())) {
                final StorageException failure = assertThrows(StorageException.class, () -> open(storage, false));
                assertTrue(failure.file().startsWith(mount.toString()), failure.toString());
                assertTrue(String.valueOf(failure.getMessage()).contains("ead-only"), failure.toString());
            }
        }
    }
}
