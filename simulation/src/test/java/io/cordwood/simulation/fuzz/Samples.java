package io.cordwood.simulation.fuzz;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordHeaders;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** Good inputs, which mutations begin with. */
final class Samples {
    private static final long BASE = 50;

    private Samples() {}

    static List<byte[]> all() {
        final List<byte[]> all = new ArrayList<>();
        for (final CompressionType type : CompressionType.values()) {
            final byte[] one = batch(type, BASE);
            all.add(one);
            all.add(join(one, batch(type, BASE + 3)));
            final CodecBuffer compressed = new CodecBuffer(1 << 12);
            final UnsafeBuffer plain = new UnsafeBuffer("a value, a value, a value, a value".getBytes(US_ASCII));
            Codecs.standard().of(type).compress(plain, 0, plain.capacity(), CompressionType.DEFAULT_LEVEL, compressed);
            final byte[] bytes = new byte[compressed.length()];
            compressed.buffer().getBytes(0, bytes);
            all.add(bytes);
        }
        for (final String text : List.of(
                "0\n2\nt 0 17\nu-v 12 5\n",
                "0\n3\n0 0\n3 40\n7 90\n",
                "version: 0\ntopic_id: f8M93cjiTPy_L9C4PwjM3g",
                "#\nnode.id=1\ndirectory.id=Pd8NlKSIZ4yDrhO3M0WYhg\nversion=1\ncluster.id=c\n",
                "{\"version\":0,\"brokerEpoch\":15}",
                "orders-1.f81d4fae7dec11d0a76500a0c91e6bf6-delete",
                "00000000000000000053.log",
                "segment.bytes=1048576\ncompression.type=lz4\nflush.ms=10\n")) {
            all.add(text.getBytes(US_ASCII));
        }
        final UnsafeBuffer index = new UnsafeBuffer(new byte[96]);
        for (int i = 0; i < 12; i++) {
            index.putInt(i * 8, 10 * (i + 1), ByteOrder.BIG_ENDIAN);
            index.putInt(i * 8 + 4, 70 * (i + 1), ByteOrder.BIG_ENDIAN);
        }
        all.add(index.byteArray());
        all.add(transactions());
        return all;
    }

    /** Entries of an index of aborted transactions: version, producer, first offset, last offset, last stable offset. */
    private static byte[] transactions() {
        final ByteBuffer entries = ByteBuffer.allocate(3 * 34);
        for (int i = 0; i < 3; i++) {
            entries.putShort((short) 0)
                    .putLong(7)
                    .putLong(BASE + i)
                    .putLong(BASE + 2L * i + 1)
                    .putLong(BASE + i);
        }
        return entries.array();
    }

    static byte[] batch(final CompressionType type, final long base) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
        final BatchBuilder builder = new BatchBuilder(Codecs.standard())
                .wrap(memory, 0, memory.capacity())
                .compression(type, CompressionType.DEFAULT_LEVEL);
        final UnsafeBuffer value =
                new UnsafeBuffer("a value that is repeated, a value that is repeated".getBytes(US_ASCII));
        final RecordHeaders headers = new RecordHeaders().add("name", new byte[] {1, 2});
        for (int i = 0; i < 3; i++) {
            builder.append(1_700_000_000_000L + i, value, 0, 3, value, 0, value.capacity(), headers);
        }
        final byte[] bytes = new byte[builder.finish()];
        RecordBatchDescriptor.putBaseOffset(memory, 0, base);
        RecordBatchDescriptor.putPartitionLeaderEpoch(memory, 0, 1);
        memory.getBytes(0, bytes);
        return bytes;
    }

    private static byte[] join(final byte[] one, final byte[] other) {
        final byte[] both = Arrays.copyOf(one, one.length + other.length);
        System.arraycopy(other, 0, both, one.length, other.length);
        return both;
    }
}
