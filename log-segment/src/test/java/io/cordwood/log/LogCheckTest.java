package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** LogCheck on files that were made for it: each kind of fault, and files at random. */
final class LogCheckTest {
    private static final int BATCH_BYTES_MAX = 1 << 20;

    @TempDir
    private Path directory;

    private final List<Fault> faults = new ArrayList<>();

    private static byte[] batch(final long baseOffset, final int epoch, final String... values) {
        final UnsafeBuffer batch = TestBatches.batch(CompressionType.NONE, 1_700_000_000_000L, values);
        RecordBatchDescriptor.putBaseOffset(batch, 0, baseOffset);
        RecordBatchDescriptor.putPartitionLeaderEpoch(batch, 0, epoch);
        final byte[] bytes = new byte[batch.capacity()];
        batch.getBytes(0, bytes);
        return bytes;
    }

    private static byte[] sealed(final byte[] batch) {
        RecordBatchDescriptor.sealCrc(new UnsafeBuffer(batch), 0, batch.length, new Crc32c());
        return batch;
    }

    private void write(final long baseOffset, final byte[]... pieces) throws IOException {
        final ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (final byte[] piece : pieces) {
            all.write(piece);
        }
        Files.write(directory.resolve(LogFiles.name(baseOffset, LogFiles.LOG)), all.toByteArray());
    }

    private LogCheck.Result check() {
        return check(BATCH_BYTES_MAX);
    }

    private LogCheck.Result check(final int batchBytesMax) {
        faults.clear();
        try (Storage storage = new DiskStorage(directory);
                LogCheck check = new LogCheck(storage, batchBytesMax, BATCH_BYTES_MAX, faults::add)) {
            final LogCheck.Result result = check.check("");
            assertEquals(faults.size(), result.faults());
            return result;
        }
    }

    private void assertOnly(final Fault.Kind kind, final long baseOffset, final long position, final long offset) {
        assertEquals(1, faults.size(), faults.toString());
        final Fault fault = faults.get(0);
        assertEquals(kind, fault.kind(), fault.toString());
        assertEquals(LogFiles.name(baseOffset, LogFiles.LOG), fault.file());
        assertEquals(position, fault.position(), fault.toString());
        assertEquals(offset, fault.offset(), fault.toString());
    }

    @Test
    void soundLogHasNoFault() throws IOException {
        write(0, batch(0, 0, "a", "b"), batch(2, 0, "c"));
        write(3, batch(3, 1, "d"), batch(10, 1, "e"));
        Files.writeString(directory.resolve(LogFiles.LEADER_EPOCHS), "0\n2\n0 0\n1 3\n");
        final LogCheck.Result result = check();
        assertEquals(List.of(), faults);
        assertEquals(2, result.segments());
        assertEquals(4, result.batches());
        assertEquals(5, result.dataRecords());
        assertEquals(0, result.startOffset());
        assertEquals(11, result.endOffset());
        assertEquals(1, result.gaps());
        assertEquals(6, result.gapOffsets());
    }

    @Test
    void emptyDirectoryAndEmptySegmentHaveNoFault() throws IOException {
        assertEquals(-1, check().startOffset());
        write(0);
        assertEquals(1, check().segments());
        assertEquals(List.of(), faults);
    }

    @Test
    void offsetsThatFallAreToldOnce() throws IOException {
        final byte[] first = batch(5, 0, "a", "b");
        write(0, first, batch(6, 0, "c"), batch(7, 0, "d"));
        check();
        assertOnly(Fault.Kind.OFFSET_FALLS, 0, first.length, 6);
    }

    @Test
    void offsetsOutsideTheSegment() throws IOException {
        write(100, batch(99, 0, "a"), batch(100, 0, "b"));
        check();
        assertOnly(Fault.Kind.OFFSET_OUTSIDE_SEGMENT, 100, 0, 99);

        write(100, batch(100, 0, "a"), batch(101L + Integer.MAX_VALUE, 0, "b"));
        check();
        assertOnly(Fault.Kind.OFFSET_OUTSIDE_SEGMENT, 100, batch(0, 0, "a").length, 101L + Integer.MAX_VALUE);
    }

    @Test
    void segmentsThatOverlapAreToldOnce() throws IOException {
        final byte[] first = batch(0, 0, "a");
        write(0, first, batch(1, 0, "b"), batch(2, 0, "c"));
        write(1, batch(1, 0, "b"), batch(2, 0, "c"));
        check();
        assertOnly(Fault.Kind.SEGMENT_OVERLAP, 0, first.length, 1);
    }

    @Test
    void leaderEpochsThatFall() throws IOException {
        final byte[] first = batch(0, 2, "a");
        write(0, first, batch(1, 1, "b"), batch(2, 1, "c"));
        check();
        assertOnly(Fault.Kind.EPOCH_FALLS, 0, first.length, 1);
    }

    @Test
    void leaderEpochsThatAreNotTheTables() throws IOException {
        final byte[] first = batch(0, 0, "a");
        Files.writeString(directory.resolve(LogFiles.LEADER_EPOCHS), "0\n2\n0 0\n2 2\n");
        write(0, first, batch(1, 1, "b"), batch(2, 2, "c"), batch(3, 3, "newer than the table's file"));
        check();
        assertOnly(Fault.Kind.EPOCH_DIFFERS, 0, first.length, 1);
    }

    @Test
    void headersThatContradictThemselves() throws IOException {
        final byte[] first = batch(0, 0, "a");
        final byte[] counts = batch(1, 0, "b", "c");
        ByteBuffer.wrap(counts).putInt(RecordBatchDescriptor.RECORD_COUNT_OFFSET, 1_000_000);
        write(0, first, sealed(counts), batch(3, 0, "d"));
        assertEquals(2, check().batches());
        assertOnly(Fault.Kind.BAD_HEADER, 0, first.length, 1);
    }

    @Test
    void recordsThatDoNotDecode() throws IOException {
        final byte[] first = batch(0, 0, "a");
        final byte[] records = batch(1, 0, "bbbb", "c");
        records[RecordBatchDescriptor.HEADER_BYTES] = 100;
        write(0, first, sealed(records), batch(3, 0, "d"));
        assertEquals(2, check().batches());
        assertOnly(Fault.Kind.BAD_RECORDS, 0, first.length, 1);

        final byte[] codec = batch(1, 0, "bbbb", "c");
        codec[RecordBatchDescriptor.ATTRIBUTES_OFFSET + 1] = 4;
        write(0, first, sealed(codec), batch(3, 0, "d"));
        assertEquals(2, check().batches());
        assertOnly(Fault.Kind.BAD_RECORDS, 0, first.length, 1);
    }

    @Test
    void tails() throws IOException {
        final byte[] first = batch(0, 0, "a");
        write(0, first, java.util.Arrays.copyOf(batch(1, 0, "b"), 40));
        check();
        assertOnly(Fault.Kind.CUT_BATCH, 0, first.length, 1);
        write(0, first, new byte[] {0, 0, 0, 0, 0, 0, 0, 1, 2});
        check();
        assertOnly(Fault.Kind.CUT_BATCH, 0, first.length, 1);
        write(0, first, new byte[1 << 20]);
        check();
        assertOnly(Fault.Kind.ZERO_TAIL, 0, first.length, 1);
        write(0, first, new byte[600_000], batch(1, 0, "b"));
        assertEquals(2, check().batches());
        assertOnly(Fault.Kind.FOREIGN_BYTES, 0, first.length, 1);
    }

    @Test
    void filesBesideTheSegments() throws IOException {
        write(0, batch(0, 0, "a"));
        Files.writeString(directory.resolve(LogFiles.LEADER_EPOCHS), "0\n1\n0");
        Files.writeString(directory.resolve(LogFiles.PARTITION_METADATA), "version: 7\n");
        Files.writeString(directory.resolve("backup.log"), "");
        Files.writeString(directory.resolve(LogFiles.name(7, LogFiles.OFFSET_INDEX)), "");
        check();
        assertEquals(
                List.of(
                        Fault.Kind.BAD_FILE + " " + LogFiles.LEADER_EPOCHS,
                        Fault.Kind.BAD_FILE + " " + LogFiles.PARTITION_METADATA,
                        Fault.Kind.ORPHAN_FILE + " " + LogFiles.name(7, LogFiles.OFFSET_INDEX),
                        Fault.Kind.BAD_FILE + " backup.log"),
                faults.stream().map(fault -> fault.kind() + " " + fault.file()).toList());
    }

    @Test
    void aBatchAboveTheBoundIsChecksummedAndNotHeld() throws IOException {
        final byte[] large = batch(1, 0, "x".repeat(900_000));
        write(0, batch(0, 0, "a"), large, batch(2, 0, "c"));
        final LogCheck.Result sound = check(10_000);
        assertEquals(List.of(), faults);
        assertEquals(3, sound.batches());
        assertEquals(1, sound.unreadBatches());
        assertEquals(2, sound.dataRecords());
        large[700_000] ^= 1;
        write(0, batch(0, 0, "a"), large, batch(2, 0, "c"));
        assertEquals(2, check(10_000).batches());
        assertOnly(Fault.Kind.BAD_CRC, 0, batch(0, 0, "a").length, 1);
    }

    @Test
    void everyFlippedBitUnderTheChecksumIsFoundAndTheRestIsSound() throws IOException {
        final byte[] before = batch(0, 0, "a", "b");
        final byte[] after = batch(4, 0, "e");
        for (int at = RecordBatchDescriptor.LENGTH_OFFSET; at < batch(2, 0, "c", "d").length; at++) {
            // The leader epoch is outside; magic and length are outside, too, but show.
            if (at < RecordBatchDescriptor.PARTITION_LEADER_EPOCH_OFFSET || at >= RecordBatchDescriptor.MAGIC_OFFSET) {
                for (int bit = 0; bit < 8; bit++) {
                    final byte[] hit = batch(2, 0, "c", "d");
                    hit[at] ^= (byte) (1 << bit);
                    write(0, before, hit, after, batch(5, 0, "f"));
                    final LogCheck.Result result = check();
                    assertEquals(1, faults.size(), "byte " + at + ", bit " + bit + ": " + faults);
                    assertEquals(before.length, faults.get(0).position(), faults.toString());
                    assertEquals(3, result.batches(), "byte " + at + ", bit " + bit + ": " + faults);
                    assertEquals(6, result.endOffset());
                }
            }
        }
    }

    @Test
    void everyGoodBatchIsFoundAmongGarbage() throws IOException {
        for (long seed = 0; seed < 200; seed++) {
            final Random random = new Random(seed);
            final ByteArrayOutputStream all = new ByteArrayOutputStream();
            long offset = 0;
            int batches = 0;
            final int pieces = 1 + random.nextInt(12);
            for (int i = 0; i < pieces; i++) {
                if (random.nextBoolean()) {
                    final byte[] garbage = new byte[random.nextInt(3000)];
                    random.nextBytes(garbage);
                    if (random.nextInt(3) == 0) {
                        java.util.Arrays.fill(garbage, (byte) random.nextInt(3));
                    }
                    all.write(garbage);
                }
                all.write(batch(offset, 0, "value " + i, "other"));
                offset += 2 + random.nextInt(3);
                batches++;
            }
            write(0, all.toByteArray());
            final LogCheck.Result result = check(random.nextBoolean() ? BATCH_BYTES_MAX : 100);
            assertEquals(batches, result.batches(), "seed " + seed + ": " + faults);
        }
    }

    @Test
    void aFileMadeToDefeatTheSearchIsFinishedSoon() throws IOException {
        final byte[] trap = batch(0, 0, "x");
        final ByteBuffer file = ByteBuffer.allocate(4 << 20);
        while (file.remaining() > trap.length) {
            final int length = file.remaining() - RecordBatchDescriptor.LOG_OVERHEAD;
            final int at = file.position();
            file.put(trap);
            file.putInt(at + RecordBatchDescriptor.LENGTH_OFFSET, length);
        }
        write(0, batch(0, 0, "sound"), new byte[] {1}, file.array());
        assertTimeoutPreemptively(Duration.ofSeconds(60), () -> {
            assertEquals(1, check().batches());
        });
        assertTrue(faults.size() < 100, () -> faults.size() + " faults");
    }

    @Test
    void b43LengthsThatAreGarbage() throws IOException {
        for (final int length : new int[] {1936946533, -610402302, Integer.MAX_VALUE, Integer.MIN_VALUE, 0, -1, 48}) {
            final byte[] broken = batch(1, 0, "b");
            ByteBuffer.wrap(broken).putInt(RecordBatchDescriptor.LENGTH_OFFSET, length);
            final byte[] first = batch(0, 0, "a");
            write(0, first, broken, batch(2, 0, "c"));
            assertEquals(2, check().batches());
            assertOnly(Fault.Kind.BAD_LENGTH, 0, first.length, 1);
        }
    }

    @Test
    void aBatchInsideAValueIsNotTakenForOneOfTheLog() throws IOException {
        final byte[] inner = batch(1, 0, "inner");
        final String text = new String(inner, StandardCharsets.ISO_8859_1);
        final byte[] outer = batch(1, 0, text, "more");
        outer[RecordBatchDescriptor.MAX_TIMESTAMP_OFFSET] ^= 1;
        final byte[] first = batch(0, 0, "a");
        write(0, first, outer, batch(3, 0, "c"));
        assertEquals(2, check().batches());
        assertOnly(Fault.Kind.BAD_CRC, 0, first.length, 1);
    }
}
