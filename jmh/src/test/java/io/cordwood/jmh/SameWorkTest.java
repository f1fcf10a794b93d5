package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever stands in one row must come to the same result, or the figures compare nothing. */
final class SameWorkTest {
    @ParameterizedTest
    @EnumSource
    void allFindTheSamePlaces(final IndexBenchmark.Place place) throws Exception {
        final IndexBenchmark benchmark = new IndexBenchmark();
        final IndexBenchmark.Kafka kafka = new IndexBenchmark.Kafka();
        final IndexBenchmark.Plain plain = new IndexBenchmark.Plain();
        final IndexBenchmark.Cordwood sealed = new IndexBenchmark.Cordwood();
        final IndexBenchmark.Cordwood active = new IndexBenchmark.Cordwood();
        kafka.place = place;
        plain.place = place;
        sealed.place = place;
        active.place = place;
        active.kind = IndexBenchmark.Kind.ACTIVE;
        kafka.fill();
        plain.fill();
        sealed.fill(new Parts());
        active.fill(new Parts());
        final Set<Long> found = new HashSet<>();
        for (int i = 0; i < 10_000; i++) {
            final long position = benchmark.offsetKafka(kafka);
            assertEquals(position, benchmark.offsetPlain(plain));
            assertEquals(position, benchmark.offsetCordwood(sealed));
            assertEquals(position, benchmark.offsetCordwood(active));
            found.add(position);
            final long byTime = benchmark.timeKafka(kafka);
            assertEquals(byTime, benchmark.timePlain(plain));
            assertEquals(byTime, benchmark.timeCordwood(sealed));
            assertEquals(byTime, benchmark.timeCordwood(active));
        }
        kafka.close();
        sealed.close();
        active.close();
        assertTrue(found.size() >= 900, "keys are spread: " + found.size());
    }

    @ParameterizedTest
    @ValueSource(strings = {"none", "gzip", "snappy", "lz4", "zstd"})
    void bothBuildAndReadTheSameBatch(final String codec) {
        final CodecBenchmark benchmark = new CodecBenchmark();
        final CodecBenchmark.Kafka kafka = new CodecBenchmark.Kafka();
        final CodecBenchmark.Cordwood cordwood = new CodecBenchmark.Cordwood();
        kafka.codec = codec;
        cordwood.codec = codec;
        kafka.fill();
        cordwood.fill(new Parts());
        final int bytes = benchmark.buildKafka(kafka);
        assertEquals(bytes, benchmark.buildCordwood(cordwood), 16, "of zstd's frames some state their length");
        final double ratio =
                bytes / (double) BatchShape.SIXTEEN_OF_1_KIB.received(0).remaining();
        assertEquals(codec.equals("none") ? 1 : 0.55, ratio, 0.06);
        final long sum = benchmark.iterateKafka(kafka);
        assertEquals(sum, benchmark.checkKafka(kafka));
        assertEquals(sum, benchmark.iterateCordwood(cordwood));
        assertEquals(sum, benchmark.checkCordwood(cordwood));
        cordwood.close();
    }
}
