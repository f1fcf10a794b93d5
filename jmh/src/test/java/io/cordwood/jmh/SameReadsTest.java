package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Whoever reads beside us must read the same bytes and look at the same records, over the ends of segments and of the log. */
final class SameReadsTest {
    /** More than the log has. */
    private static final int READS = 200;

    private static final long LOG_BYTES = Long.getLong("cordwood.bench.readBytes");

    @BeforeAll
    @AfterAll
    static void discard() {
        ReadLog.discardAll();
    }

    @ParameterizedTest
    @CsvSource({
        "ONE_OF_100_B, SEQUENTIAL",
        "ONE_OF_100_B, RANDOM",
        "SIXTEEN_OF_1_KIB, SEQUENTIAL",
        "SIXTEEN_OF_1_KIB, RANDOM"
    })
    void eachReadBringsTheSameRecords(final BatchShape shape, final ReadOrder order) throws Exception {
        final ReadBenchmark.Kafka kafka = new ReadBenchmark.Kafka();
        kafka.shape = shape;
        kafka.order = order;
        kafka.open();
        final List<Long> expected = new ArrayList<>();
        for (int i = 0; i < READS; i++) {
            expected.add(kafka.read());
        }
        kafka.close();
        final ReadBenchmark.Cordwood cordwood = new ReadBenchmark.Cordwood();
        cordwood.shape = shape;
        cordwood.order = order;
        cordwood.open(new Parts());
        final List<Long> sums = new ArrayList<>();
        for (int i = 0; i < READS; i++) {
            sums.add(cordwood.read());
        }
        cordwood.close();
        assertEquals(expected, sums);
        assertTrue(order == ReadOrder.RANDOM || expected.lastIndexOf(expected.get(0)) > 0, "read again from the start");
    }

    /** It knows no segments: its reads are the same up to the end of the first one, and so is the sum of a whole pass. */
    @ParameterizedTest
    @EnumSource(names = {"ONE_OF_100_B", "SIXTEEN_OF_1_KIB"})
    void aQueueHasTheSameBatches(final BatchShape shape) throws Exception {
        final ReadLog read = ReadLog.of(shape);
        final OpenLog log = OpenLog.of(new Parts(), read);
        final CordwoodReads ours = new CordwoodReads(log.log(), new Parts().codecs());
        final ChronicleReads queue = new ChronicleReads();
        queue.shape = shape;
        queue.open();
        final long first = ours.read(0);
        long all = first;
        for (long next = ours.nextOffset(); next < read.endOffset(); next = ours.nextOffset()) {
            all += ours.read(next);
        }
        final long reads = -Math.floorDiv(-read.endOffset(), (long) ReadLog.recordsPerRead(shape));
        long sum = queue.read();
        assertEquals(first, sum);
        for (int i = 1; i < reads; i++) {
            sum += queue.read();
        }
        assertEquals(all, sum);
        assertEquals(first, queue.read(), "from the start again");
        queue.close();
        ours.close();
        log.close();
    }

    /** Each read of a tail brings the one record that was appended before it, with its offset, and no other. */
    @ParameterizedTest
    @EnumSource(names = {"ONE_OF_100_B", "ONE_OF_1_KIB"})
    void eachReadOfATailBringsWhatWasAppended(final BatchShape shape) throws Exception {
        final TailBenchmark benchmark = new TailBenchmark();
        final long firstMs = System.currentTimeMillis();
        final TailBenchmark.Follower[] followers = new TailBenchmark.Follower[3];
        Arrays.setAll(followers, i -> new TailBenchmark.Follower());
        final KafkaAppends kafka = new KafkaAppends();
        final CordwoodAppends.Channel channel = new CordwoodAppends.Channel();
        final CordwoodAppends.Mapped mapped = new CordwoodAppends.Mapped();
        kafka.shape = shape;
        channel.shape = shape;
        mapped.shape = shape;
        kafka.open();
        channel.open(new Parts());
        mapped.open(new Parts());
        final long lastMs = System.currentTimeMillis();
        for (int offset = 0; offset < READS; offset++) {
            for (final long sum : new long[] {
                benchmark.kafka(followers[0], kafka),
                benchmark.channel(followers[1], channel),
                benchmark.mapped(followers[2], mapped)
            }) {
                final long timestamp = sum - offset - shape.valueBytes();
                assertTrue(timestamp >= firstMs && timestamp <= lastMs, () -> "no time of one record: " + timestamp);
            }
        }
        for (final TailBenchmark.Follower follower : followers) {
            follower.close();
        }
        kafka.close();
        channel.close();
        mapped.close();
    }

    /** As a consumer asks who goes on behind the last whole batch of each piece. */
    @ParameterizedTest
    @CsvSource({"ONE_OF_100_B, 65536", "ONE_OF_100_B, 1048576", "SIXTEEN_OF_1_KIB, 65536", "SIXTEEN_OF_1_KIB, 1048576"})
    void whatIsTransferredIsInTheFiles(final BatchShape shape, final int pieceBytes) throws Exception {
        final TransferBenchmark.Kafka kafka = of(new TransferBenchmark.Kafka(), shape, pieceBytes);
        kafka.open();
        final byte[] byKafka = transferred(kafka);
        kafka.close();
        final TransferBenchmark.Cordwood cordwood = of(new TransferBenchmark.Cordwood(), shape, pieceBytes);
        cordwood.open(new Parts());
        final byte[] byUs = transferred(cordwood);
        cordwood.close();
        final TransferBenchmark.Plain plain = of(new TransferBenchmark.Plain(), shape, pieceBytes);
        plain.open();
        final byte[] plainly = transferred(plain);
        plain.close();
        final byte[] expected = pieces(shape, pieceBytes, byUs.length);
        assertArrayEquals(expected, byUs);
        assertArrayEquals(expected, byKafka);
        assertArrayEquals(expected, plainly);
    }

    private static <T extends TransferBenchmark.Source> T of(
            final T source, final BatchShape shape, final int pieceBytes) {
        source.shape = shape;
        source.pieceBytes = pieceBytes;
        return source;
    }

    private static byte[] transferred(final TransferBenchmark.Source source) throws Exception {
        final ByteArrayOutputStream arrived = new ByteArrayOutputStream();
        final TransferBenchmark.Target target = new TransferBenchmark.Target(bytes -> {
            final byte[] piece = new byte[bytes.remaining()];
            bytes.get(piece);
            arrived.writeBytes(piece);
        });
        // More than the log has, whose segments and end are passed.
        for (long left = LOG_BYTES + LOG_BYTES / 2; left > 0; ) {
            left -= source.sendCounted(target);
        }
        target.close();
        return arrived.toByteArray();
    }

    private static byte[] pieces(final BatchShape shape, final int pieceBytes, final int bytes) throws Exception {
        final int batchBytes = shape.received(0).limit();
        final ByteArrayOutputStream pieces = new ByteArrayOutputStream();
        while (true) {
            for (final Path segment :
                    FloorBenchmark.segmentsOf(ReadLog.of(shape).directory())) {
                final byte[] content = Files.readAllBytes(segment);
                for (int at = 0; at < content.length; ) {
                    final int piece = Math.min(pieceBytes, content.length - at);
                    pieces.write(content, at, piece);
                    if (pieces.size() >= bytes) {
                        return pieces.toByteArray();
                    }
                    at += piece / batchBytes * batchBytes;
                }
            }
        }
    }
}
