package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A disk of 8 MiB that really fills up (bug B28). */
class FullDiskTest {
    @TempDir
    private Path root;

    private Scratch.SmallDisk disk;
    private DiskStorage storage;

    @BeforeEach
    void mount() throws IOException, InterruptedException {
        disk = Scratch.mount(root.resolve("disk"), "size=8m");
        storage = new DiskStorage(disk.path());
    }

    @AfterEach
    void unmount() throws IOException {
        if (disk != null) {
            storage.close();
            disk.close();
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"APPEND", "APPEND_MAPPED"})
    void b28TheDiskFillsUpAndTheFileLivesOn(final FileUse use) throws IOException {
        Files.write(disk.path().resolve("filler"), new byte[3 << 20]);
        try (StorageFile file = storage.open("f", use, use == FileUse.APPEND ? 0 : 10 << 20)) {
            final StorageException full = assertThrows(StorageException.class, () -> {
                for (; ; ) {
                    Scratch.append(file, 100_000, 1);
                }
            });
            Scratch.assertSays(Reasons.NO_SPACE, full);
            assertEquals(disk.path().resolve("f").toString(), full.file());
            assertEquals(use == FileUse.APPEND ? "write" : "reserve", full.operation());
            final int length = (int) file.length();
            assertTrue(length >= 3_900_000, "only " + length + " bytes fitted");
            assertEquals(0, storage.reserveAhead());
            Scratch.assertContent(file, 0, length, 1);

            storage.delete("filler");
            file.truncate(length);
            Scratch.append(file, 1_000_000, 1);
            Scratch.assertContent(file, 0, length + 1_000_000, 1);
        }
    }

    @Test
    void aRefusedClaimOfAMappedFileClaimsNothing() throws IOException {
        try (StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 10 << 20)) {
            assertInstanceOf(MappedFile.class, file);
            Scratch.append(file, 1000, 1);
            Files.write(disk.path().resolve("filler"), new byte[6 << 20]);
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            assertThrows(StorageException.class, () -> file.claim(3 << 20, claimed));
            assertEquals(1000, file.publish());
            Scratch.append(file, (2 << 20) - 1000, 1);
            assertThrows(StorageException.class, () -> file.claim(1, claimed));
            Scratch.assertContent(file, 0, 2 << 20, 1);
            storage.delete("filler");
            Scratch.append(file, 3 << 20, 1);
            Scratch.assertContent(file, 0, 5 << 20, 1);
        }
    }

    @Test
    void aReservationThatDoesNotFitIsRefusedAtTheOpening() throws IOException {
        Scratch.assertSays(
                Reasons.NO_SPACE,
                assertThrows(StorageException.class, () -> storage.open("f", FileUse.APPEND, 16 << 20)));
        assertFalse(Files.exists(disk.path().resolve("f")));
        try (StorageFile file = storage.open("f", FileUse.APPEND, 0)) {
            Scratch.append(file, 1000, 1);
        }
        assertThrows(StorageException.class, () -> storage.open("f", FileUse.APPEND, 16 << 20));
        assertEquals(1000, Files.size(disk.path().resolve("f")));
        try (StorageFile file = storage.open("f", FileUse.APPEND, 4 << 20)) {
            Scratch.append(file, 1000, 1);
            Scratch.assertContent(file, 0, 2000, 1);
        }
    }

    @Test
    void aMappedFileOnAFullDiskIsNoReasonToGiveUpMapping() throws IOException {
        Files.write(disk.path().resolve("filler"), new byte[8 << 20]);
        try (StorageFile file = storage.open("f", FileUse.APPEND_MAPPED, 10 << 20)) {
            assertThrows(StorageException.class, () -> Scratch.append(file, 1, 1));
            storage.delete("filler");
            Scratch.append(file, 1000, 1);
            Scratch.assertContent(file, 0, 1000, 1);
            assertTrue(storage.isMappingAvailable());
        }
    }
}
