package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whoever reads beside us must read the same bytes and look at the same records, over the ends of segments and of the log. */
final class SameReadsTest {
    /** More than the log has. */
    private static final int READS = 200;

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
}
