package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.CodecBuffer;
import io.cordwood.log.codec.Lz4Codec;
import java.nio.file.Path;
import java.util.List;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The counting mode sees an allocation that was not there before: the same row, with the committed bounds, without it and with it. */
final class CountingTest {
    private static final String ROW = "check and iterate 16 x 1 KiB, lz4";

    @Test
    void ofPartsThatAllocateNothingNothingIsSaid(@TempDir final Path directory) throws Exception {
        assertEquals(List.of(), problems(directory));
    }

    @Test
    void aPlantedAllocationFails(@TempDir final Path directory) throws Exception {
        final List<String> problems = problems(directory, "--codecs=" + Planted.class.getName());
        assertEquals(1, problems.size(), problems.toString());
        // Two bytes, some of a whole iteration more or less: what measuring nothing takes is not always the same.
        assertTrue(
                problems.get(0).matches(ROW + ": (1\\.[5-9]|2\\.[0-4])\\d+ B/op, at most 0\\.250 allowed"),
                problems.toString());
    }

    private static List<String> problems(final Path directory, final String... options) throws Exception {
        final Counting counting =
                new Counting(BenchOptions.parse(options), BoundsTest.committed(), directory.resolve("jmh.txt"));
        counting.count(CountRows.all().stream()
                .filter(row -> row.name().equals(ROW))
                .findFirst()
                .orElseThrow());
        return counting.problems();
    }

    /** Ours, but for one array of 32 bytes in 16 calls. */
    public static final class Planted implements Codec {
        private final Lz4Codec ours = new Lz4Codec();
        private int calls;
        private byte @Nullable [] garbage;

        /** Made by name. */
        public Planted() {}

        /**
         * Shows the garbage, so that no compiler does without it.
         *
         * @return the last of it.
         */
        public byte @Nullable [] garbage() {
            return garbage;
        }

        @Override
        public int id() {
            return ours.id();
        }

        @Override
        public String codecName() {
            return ours.codecName();
        }

        @Override
        public void compress(
                final DirectBuffer source,
                final int index,
                final int length,
                final int level,
                final CodecBuffer target) {
            ours.compress(source, index, length, level, target);
        }

        @Override
        public void decompress(
                final DirectBuffer source,
                final int index,
                final int length,
                final byte magic,
                final CodecBuffer target) {
            if (calls++ % 16 == 0) {
                garbage = new byte[16];
            }
            ours.decompress(source, index, length, magic, target);
        }
    }
}
