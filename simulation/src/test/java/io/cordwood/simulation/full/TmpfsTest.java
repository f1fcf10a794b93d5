package io.cordwood.simulation.full;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.Log;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogReader;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionName;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.StorageException;
import io.cordwood.simulation.Partitions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A real disk fills up under a log of either store, wherever it writes. Whatever is refused is refused with a
 * {@link StorageException}; what was acknowledged is there all the time and after the next open, and with room again the log goes on.
 */
@Timeout(60)
final class TmpfsTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String NO_SPACE = "no space left on the disk";
    private static final int DISK_MEGABYTES = 24;
    private static final int VALUE_BYTES = 10_000;
    private static final PartitionName NAME = new PartitionName("t", 0);
    private static final LogConfig CONFIG = LogConfig.of(Map.of(
            "segment.bytes",
            "4194304",
            "segment.index.bytes",
            "65536",
            "index.interval.bytes",
            "1",
            "retention.ms",
            "-1"));

    @TempDir
    private Path scratch;

    private @Nullable SmallDisk disk;
    private @Nullable DiskStorage storage;
    private @Nullable LogDirectory directory;
    private @Nullable Log log;
    private final List<byte[]> acknowledged = new ArrayList<>();
    private int appended;
    private long nowMs = NOW;

    @BeforeEach
    void mount() throws Exception {
        disk = SmallDisk.mount(Files.createDirectories(scratch.resolve("disk")), DISK_MEGABYTES);
    }

    @AfterEach
    void unmount() throws Exception {
        if (disk != null) {
            disk.makeRoom();
            end();
            disk.unmount();
        }
    }

    private SmallDisk disk() {
        return Objects.requireNonNull(disk);
    }

    private Log log() {
        return Objects.requireNonNull(log);
    }

    private void open(final boolean isMapped) {
        final DiskStorage opened = new DiskStorage(disk().root().resolve("data"));
        storage = opened;
        final LogDirectory data = LogDirectory.openOwned(
                opened, new DirectoryConfig(1_000_000, 1, 1), MetaProperties.fresh(new UUID(1, 2), "cluster", 1));
        directory = data;
        data.create(NAME, null);
        log = Partitions.open(data, NAME, CONFIG, isMapped, nowMs);
    }

    /** As the death of the process would; an open that failed has left less behind. */
    private void end() {
        final Log open = log;
        if (open != null) {
            open.closeUncleanly();
        }
        log = null;
        final LogDirectory data = directory;
        if (data != null) {
            data.close();
        }
        directory = null;
        if (storage != null) {
            storage.close();
        }
        storage = null;
    }

    private void append() {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[VALUE_BYTES + 200]);
        final byte[] value = new byte[VALUE_BYTES];
        new Random(appended++).nextBytes(value);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        batch.append(NOW + appended, null, 0, -1, new UnsafeBuffer(value), 0, VALUE_BYTES, null);
        assertEquals(acknowledged.size(), log().append(memory, 0, batch.finish(), AppendAs.client(0), nowMs));
        acknowledged.add(value);
    }

    private void append(final int batches) {
        for (int i = 0; i < batches; i++) {
            append();
        }
    }

    /** Every value that was acknowledged, and no more. */
    private void requireAll() {
        assertEquals(acknowledged.size(), log().endOffset());
        final byte[] found = new byte[VALUE_BYTES];
        try (LogReader reader = log().newReader()) {
            for (int offset = 0; offset < acknowledged.size(); offset++) {
                assertTrue(reader.read(offset, Long.MAX_VALUE, 1) > 0, "offset " + offset);
                // Behind the value stands the count of headers alone.
                reader.buffer().getBytes(reader.buffer().capacity() - 1 - VALUE_BYTES, found);
                assertArrayEquals(acknowledged.get(offset), found, "offset " + offset);
            }
        }
    }

    /** With room again: the same log if it takes appends, else one that is opened anew, which then closes cleanly. */
    private void goesOn(final boolean isMapped) throws Exception {
        disk().makeRoom();
        try {
            append();
        } catch (final StorageException e) {
            end();
            open(isMapped);
            requireAll();
            append();
        }
        append(3);
        requireAll();
        log().close();
        end();
        open(isMapped);
        requireAll();
    }

    private static void requireNoSpace(final StorageException failure) {
        assertTrue(String.valueOf(failure.getMessage()).contains(NO_SPACE), failure.toString());
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void appendsUntilNothingFits(final boolean isMapped) throws Exception {
        open(isMapped);
        append(10);
        disk().fill(3 << 20);
        StorageException failure = null;
        while (failure == null) {
            try {
                append();
            } catch (final StorageException e) {
                failure = e;
            }
            assertTrue(acknowledged.size() < 1000, "the disk is never full");
        }
        requireNoSpace(failure);
        requireAll();
        goesOn(isMapped);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullAtARoll(final boolean isMapped) throws Exception {
        open(isMapped);
        append(100);
        disk().fill(0);
        final StorageException failure = refused(() -> {
            // Entries of the index wait for their chunk until now.
            log().roll(nowMs);
            append();
        });
        requireNoSpace(failure);
        requireAll();
        goesOn(isMapped);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullWhereTheIndexIsWritten(final boolean isMapped) throws Exception {
        open(isMapped);
        append(100);
        disk().fill(0);
        // Sealed at a clean close, which must not count as one.
        requireNoSpace(refused(() -> log().close()));
        disk().makeRoom();
        end();
        open(isMapped);
        requireAll();
        goesOn(isMapped);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullWhereACheckpointIsWritten(final boolean isMapped) throws Exception {
        open(isMapped);
        append(20);
        log().flush();
        disk().fill(0);
        final LogDirectory data = Objects.requireNonNull(directory);
        for (int i = 0; i < 10 && data.failure() == null; i++) {
            nowMs += 1000;
            data.doWork(nowMs);
        }
        assertNotNull(data.failure(), "a checkpoint has no room");
        requireAll();
        end();
        disk().makeRoom();
        open(isMapped);
        requireAll();
        goesOn(isMapped);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void fullAtARecovery(final boolean isMapped) throws Exception {
        open(isMapped);
        append(300);
        end();
        for (final String index : List.of("index", "timeindex")) {
            // All of it has to be built anew.
            Files.deleteIfExists(disk().root().resolve("data/t-0/00000000000000000000." + index));
        }
        disk().fill(0);
        requireNoSpace(refused(() -> open(isMapped)));
        end();
        disk().makeRoom();
        open(isMapped);
        requireAll();
        goesOn(isMapped);
    }

    private static StorageException refused(final Runnable act) {
        try {
            act.run();
        } catch (final StorageException e) {
            return e;
        }
        throw new AssertionError("nothing is refused though the disk is full");
    }
}
