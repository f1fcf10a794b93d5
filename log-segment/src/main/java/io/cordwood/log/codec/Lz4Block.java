package io.cordwood.log.codec;

import org.agrona.DirectBuffer;

/**
 * What an LZ4 block says about its content, without decoding it.
 *
 * <pre>
 *   { token: literals(4 bits) match(4 bits)  [255* n]  literals  distance(2)  [255* n] }*   the last has literals only
 * </pre>
 */
final class Lz4Block {
    private static final int LONGER = 15;
    private static final int SHORTEST_MATCH = 4;
    private static final int DISTANCE_LENGTH = 2;

    private Lz4Block() {}

    /** The number of bytes that the block holds, or -1 if it is cut short. Distances are not looked at. */
    static long contentLength(final DirectBuffer source, final int index, final int length) {
        final int end = index + length;
        long content = 0;
        int at = index;
        while (at < end) {
            final long token = source.getByte(at++) & 0xFFL;
            long literals = token >>> 4;
            if (literals == LONGER) {
                final int from = at;
                at = skipLength(source, at, end);
                literals += sumLength(source, from, at);
            }
            if (literals > end - at) {
                return -1;
            }
            content += literals;
            at += (int) literals;
            if (at == end) {
                return content;
            }
            if (end - at < DISTANCE_LENGTH) {
                return -1;
            }
            at += DISTANCE_LENGTH;
            long match = token & LONGER;
            if (match == LONGER) {
                final int from = at;
                at = skipLength(source, at, end);
                match += sumLength(source, from, at);
            }
            content += match + SHORTEST_MATCH;
        }
        return -1;
    }

    private static int skipLength(final DirectBuffer source, final int index, final int end) {
        int at = index;
        while (at < end) {
            if (source.getByte(at++) != (byte) 0xFF) {
                break;
            }
        }
        return at;
    }

    private static long sumLength(final DirectBuffer source, final int from, final int to) {
        return to <= from ? 0 : 255L * (to - from - 1) + (source.getByte(to - 1) & 0xFF);
    }
}
