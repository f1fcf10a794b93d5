package io.cordwood.simulation.crash;

import io.cordwood.log.Log;
import io.cordwood.log.LogReader;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.channels.WritableByteChannel;
import java.util.Arrays;

/** Sends a log piece by piece, as often as it takes, and holds what arrives against what is read. */
final class SentBytes {
    private static final int PIECE_BYTES = 1 << 10;

    private SentBytes() {}

    static void requireAll(final Log log) {
        try (LogReader reader = log.newReader();
                LogReader sender = log.newReader()) {
            long next = log.startOffset();
            while (next < log.endOffset()) {
                final long length = reader.read(next, Long.MAX_VALUE, PIECE_BYTES);
                final byte[] read = new byte[(int) Math.max(0, length)];
                reader.buffer().getBytes(0, read);
                final long located = sender.locate(next, Long.MAX_VALUE, PIECE_BYTES);
                final byte[] sent = sent(sender, located, next);
                if (length <= 0 || !Arrays.equals(read, Arrays.copyOf(sent, read.length))) {
                    throw new AssertionError("at offset " + next + " " + length + " bytes are read, and of " + located
                            + " others are sent");
                }
                next = reader.nextOffset();
            }
        }
    }

    private static byte[] sent(final LogReader sender, final long located, final long offset) {
        final ByteArrayOutputStream arrived = new ByteArrayOutputStream();
        final WritableByteChannel target = Channels.newChannel(arrived);
        long skip = 0;
        while (skip < located) {
            final long sent = sender.transferTo(target, skip);
            skip += sent;
            if (sent <= 0 || arrived.size() != skip) {
                throw new AssertionError("of " + located + " bytes at offset " + offset + " " + skip + " were sent, "
                        + arrived.size() + " have arrived");
            }
        }
        return arrived.toByteArray();
    }
}
