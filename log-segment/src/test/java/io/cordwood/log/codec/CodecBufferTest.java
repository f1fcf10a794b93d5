package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

class CodecBufferTest {
    @Test
    void growsWithItsContentAndKeepsIt() {
        final CodecBuffer buffer = new CodecBuffer(1_000_000);
        final byte[] content = CodecSamples.content(1, 999_000);
        for (int at = 0; at < content.length; at += 9000) {
            buffer.append(new UnsafeBuffer(content), at, 9000);
        }
        assertEquals(999_000, buffer.length());
        assertEquals(1000, buffer.left());
        assertEquals(999_000, buffer.buffer().capacity());
        assertArrayEquals(content, CodecSamples.bytes(buffer));
    }

    @Test
    void neverTakesMoreThanItsBound() {
        final CodecBuffer buffer = new CodecBuffer(10_000);
        buffer.room(9999);
        buffer.advance(9999);
        assertTrue(buffer.memory().capacity() <= 10_000);
        final CodecException e = assertThrows(CodecException.class, () -> buffer.room(2));
        assertEquals(CodecException.Kind.TOO_LARGE, e.kind());
        assertEquals("at least 10001 bytes where the bound is 10000 bytes", e.getMessage());
        assertThrows(CodecException.class, () -> buffer.room(Integer.MAX_VALUE));
        assertEquals(1, buffer.roomUpTo(500).remaining());
        buffer.advance(1);
        assertEquals(0, buffer.roomUpTo(500).remaining());
        assertEquals(10_000, buffer.memory().capacity());
        assertThrows(IllegalArgumentException.class, () -> buffer.advance(1));
    }

    @Test
    void roomLiesBehindTheContent() {
        final CodecBuffer buffer = new CodecBuffer(100);
        buffer.room(3).put((byte) 1).put((byte) 2).put((byte) 3);
        buffer.advance(2);
        final ByteBuffer room = buffer.room(5);
        assertEquals(2, room.position());
        assertEquals(7, room.limit());
        room.put((byte) 9);
        buffer.advance(1);
        assertArrayEquals(new byte[] {1, 2, 9}, CodecSamples.bytes(buffer));
        buffer.truncate(1);
        assertArrayEquals(new byte[] {1}, CodecSamples.bytes(buffer));
        assertThrows(IllegalArgumentException.class, () -> buffer.truncate(2));
        assertThrows(IllegalArgumentException.class, () -> buffer.advance(-1));
    }

    @Test
    void aLowerBoundCountsAlthoughTheMemoryIsThere() {
        final CodecBuffer buffer = new CodecBuffer(100_000);
        buffer.room(100_000);
        buffer.reset(10);
        assertThrows(CodecException.class, () -> buffer.room(11));
        assertThrows(IllegalArgumentException.class, () -> buffer.advance(11));
        assertThrows(IllegalArgumentException.class, () -> buffer.reset(-1));
    }

    @Test
    void reusesItsMemory() {
        final CodecBuffer buffer = new CodecBuffer(10_000_000);
        buffer.room(3_000_000);
        buffer.advance(3_000_000);
        final ByteBuffer memory = buffer.memory();
        for (int i = 0; i < 100; i++) {
            buffer.reset(10_000_000);
            buffer.room(1_000_000);
            buffer.advance(1_000_000);
        }
        assertSame(memory, buffer.memory());
    }

    @Test
    void letsGoOfMemoryThatOnlyOneHugeUseNeeded() {
        final CodecBuffer buffer = new CodecBuffer(10_000_000);
        buffer.room(8_000_000);
        buffer.advance(8_000_000);
        for (int i = 0; i < 10; i++) {
            buffer.reset(10_000_000);
            buffer.room(5000);
            buffer.advance(5000);
        }
        assertTrue(
                buffer.memory().capacity() <= 256 * 1024,
                "still " + buffer.memory().capacity());
        assertEquals(5000, buffer.length());
    }
}
