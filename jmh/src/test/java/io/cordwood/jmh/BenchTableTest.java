package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class BenchTableTest {
    private static final Subject OURS = Subject.of(AppendBenchmark.class, "mapped", Map.of("shape", "ONE_OF_100_B"));
    private static final Subject PEER = Subject.of(AppendBenchmark.class, "kafka", Map.of("shape", "ONE_OF_100_B"));
    private static final Comparison ROW = new Comparison("append", "append", OURS, PEER, 4);

    private final Samples samples = new Samples();

    @Test
    void ratiosSayHowManyTimesThePeersThroughputIsOurs() {
        samples.add(OURS, List.of(new Sample(0.5, 1, 0.04)));
        samples.add(PEER, List.of(new Sample(3, 4, 2600)));
        assertEquals("| append | 0.500 | 1.00 | 3.00 | 4.00 | 6.00x | 4.00x | 4.0x | 0.0 | 2600 |", row());
    }

    @Test
    void theFirstOfSeveralRoundsDoesNotCount() {
        samples.add(OURS, List.of(new Sample(100, 100, 100)));
        samples.add(OURS, List.of(new Sample(1, 10, 7), new Sample(3, 30, 9)));
        samples.add(OURS, List.of(new Sample(2, 20, 8)));
        assertEquals("| append | 2.00 | 20.0 | - | - | - | - | 4.0x | 8.0 | - |", row());
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheMiddleOnes() {
        samples.add(
                OURS, List.of(new Sample(4, 1, 0), new Sample(100, 2, 0), new Sample(1, 3, 0), new Sample(2, 4, 0)));
        assertEquals("| append | 3.00 | 2.50 | - | - | - | - | 4.0x | 0.0 | - |", row());
    }

    @Test
    void whatWasNotMeasuredIsADash() {
        assertEquals("| append | - | - | - | - | - | - | 4.0x | - | - |", row());
    }

    private String row() {
        final List<String> lines = BenchTable.of(List.of(ROW), samples);
        assertEquals(3, lines.size());
        assertEquals(columns(lines.get(0)), columns(lines.get(1)));
        assertEquals(columns(lines.get(0)), columns(lines.get(2)));
        return lines.get(2);
    }

    private static long columns(final String line) {
        return line.chars().filter(c -> c == '|').count();
    }
}
