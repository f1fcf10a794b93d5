package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import org.agrona.BufferUtil;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PageLookTest {
    private static final int PAGE = Mapping.PAGE_BYTES;

    // The system reads around the page that is asked for, but not that much.
    private static final int BYTES = 256 << 20;
    private static final int MIDDLE = BYTES / 2;

    @TempDir
    Path directory;

    @Test
    void tellsPagesThatWereBroughtFromThoseThatWereNot() throws IOException {
        final Path path = directory.resolve("file");
        try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "rw")) {
            // A hole, so that nothing of it is in memory before somebody looks.
            file.setLength(BYTES);
            final MappedByteBuffer mapped = file.getChannel().map(FileChannel.MapMode.READ_ONLY, 0, file.length());
            final long address = BufferUtil.address(mapped);
            final PageLook look = new PageLook();
            assertFalse(look.isInMemory(address, BYTES), "nothing was read");
            mapped.get(MIDDLE + 17);
            assertTrue(look.isInMemory(address + MIDDLE, PAGE), "the page that was read");
            assertTrue(look.isInMemory(address + MIDDLE + 100, 50), "a piece of it");
            assertFalse(look.isInMemory(address, BYTES), "all are asked for, not the first alone");
            assertFalse(look.isInMemory(address + BYTES - PAGE + 1, PAGE - 1), "another page");
            mapped.get(BYTES - 1);
            assertTrue(look.isInMemory(address + BYTES - PAGE, PAGE), "that one, too");
        }
    }
}
