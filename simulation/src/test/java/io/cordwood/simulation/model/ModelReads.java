package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.LogReader;
import io.cordwood.log.record.Refusal;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;

/** Holds what a reader shows and sends against the model: the CRC does not cover offset and epoch, so that all bytes are known. */
record ModelReads(LogModel model, LogReader reader) {
    void agreeOnRead(final long offset, final long upTo, final int bytesMax) {
        final byte[] expected = model.read(offset, upTo, bytesMax, false);
        final long result = reader.read(offset, upTo, bytesMax);
        if (expected == null) {
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, result);
            return;
        }
        assertEquals(expected.length, result, "bytes read at " + offset);
        final byte[] actual = new byte[expected.length];
        if (actual.length > 0) {
            reader.buffer().getBytes(0, actual);
        }
        assertArrayEquals(expected, actual);
    }

    void agreeOnTransfer(final long offset, final long upTo, final int bytesMax) {
        final byte[] expected = model.read(offset, upTo, bytesMax, true);
        final long result = reader.locate(offset, upTo, bytesMax);
        if (expected == null) {
            assertEquals(Refusal.OFFSET_OUT_OF_RANGE, result);
            return;
        }
        assertEquals(expected.length, result, "bytes located at " + offset);
        final ByteArrayOutputStream sent = new ByteArrayOutputStream();
        try (WritableByteChannel channel = Channels.newChannel(sent)) {
            long skip = 0;
            while (skip < result) {
                skip += reader.transferTo(channel, skip);
            }
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        assertArrayEquals(expected, sent.toByteArray());
    }
}
