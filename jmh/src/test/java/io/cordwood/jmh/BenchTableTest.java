package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class BenchTableTest {
    private static final Subject OURS = subject("ours");
    private static final Subject KAFKA = subject("kafka");
    private static final Subject QUEUE = subject("queue");
    private static final Subject FLOOR = subject("floor");
    private static final Comparison ROW = new Comparison("append", "append", OURS).beside("Kafka", KAFKA, 4);

    private final Samples samples = new Samples();

    static Subject subject(final String name) {
        return new Subject("Any." + name, new TreeMap<>(Map.of("shape", "ONE_OF_100_B")));
    }

    @Test
    void ratiosSayHowManyTimesThePeersThroughputIsOurs() {
        samples.add(OURS, List.of(new Sample(0.5, 1, 0.04)));
        samples.add(KAFKA, List.of(new Sample(3, 4, 2600)));
        assertEquals(
                List.of(
                        "| work | us/op | CPU us/op | B/op | Kafka us/op | Kafka CPU us/op | Kafka B/op"
                                + " | ratio to Kafka | ratio CPU | to reach | holds |",
                        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|",
                        "| append | 0.500 | 1.00 | 0.0 | 3.00 | 4.00 | 2600 | 6.00x | 4.00x | 4.0x | yes |"),
                BenchTable.of(List.of(ROW), samples));
    }

    @Test
    void aGoalThatHoldsByTheClockAloneDoesNotHold() {
        samples.add(OURS, List.of(new Sample(1, 1.01, 0)));
        samples.add(KAFKA, List.of(new Sample(4, 4, 0)));
        assertEquals("| append | 1.00 | 1.01 | 0.0 | 4.00 | 4.00 | 0.0 | 4.00x | 3.96x | 4.0x | no |", row(ROW));
    }

    @Test
    void theFloorIsShownAsTimesOfItsTime() {
        final Comparison row = new Comparison("append", "append", OURS).over(FLOOR, 1.15);
        samples.add(FLOOR, List.of(new Sample(10, 20, 0)));
        samples.add(OURS, List.of(new Sample(11, 23, 0)));
        assertEquals(
                "| work | us/op | CPU us/op | B/op | floor us/op | floor CPU us/op | of floor | of floor CPU"
                        + " | within | holds |",
                BenchTable.of(List.of(row), samples).get(0));
        assertEquals("| append | 11.0 | 23.0 | 0.0 | 10.0 | 20.0 | 1.10x | 1.15x | 1.15x | yes |", row(row));
        samples.add(OURS, List.of(new Sample(11.6, 22, 0)));
        assertEquals("| append | 11.6 | 22.0 | 0.0 | 10.0 | 20.0 | 1.16x | 1.10x | 1.15x | no |", row(row));
    }

    @Test
    void whoIsToAllocateNothingFailsWithOneByte() {
        final Comparison row = new Comparison("append", "append", OURS).garbageFree();
        samples.add(OURS, List.of(new Sample(1, 1, 0.9)));
        assertEquals("| append | 1.00 | 1.00 | 0.9 | yes (0 B) |", row(row));
        samples.add(OURS, List.of(new Sample(1, 1, 1)));
        assertEquals("| append | 1.00 | 1.00 | 1.0 | no (0 B) |", row(row));
    }

    @Test
    void whatJmhAllocatesIsNotHeldAgainstALongOperation() {
        final Comparison row = new Comparison("append", "append", OURS).garbageFree();
        samples.add(OURS, List.of(new Sample(30, 30, 4.4)));
        assertEquals("| append | 30.0 | 30.0 | 4.4 | yes (0 B) |", row(row));
        samples.add(OURS, List.of(new Sample(30, 30, 4.6)));
        assertEquals("| append | 30.0 | 30.0 | 4.6 | no (0 B) |", row(row));
    }

    @Test
    void eachPeerHasItsColumnsInEachRow() {
        samples.add(OURS, List.of(new Sample(1, 1, 0)));
        samples.add(QUEUE, List.of(new Sample(2, 2, 0)));
        final List<String> lines =
                BenchTable.of(List.of(ROW, new Comparison("append", "claim", OURS).beside("Queue", QUEUE, 0)), samples);
        assertEquals("| append | 1.00 | 1.00 | 0.0 | - | - | - | - | - | 4.0x |  |  |  |  |  |  |  |", lines.get(2));
        assertEquals(
                "| claim | 1.00 | 1.00 | 0.0 |  |  |  |  |  |  | 2.00 | 2.00 | 0.0 | 2.00x | 2.00x |  |  |",
                lines.get(3));
    }

    @Test
    void whatTheBenchmarkCountedHasAColumn() {
        samples.add(OURS, List.of(new Sample(1, 1, 0, Map.of("forces", 0.25))));
        samples.add(KAFKA, List.of(new Sample(8, 8, 0)));
        assertEquals(
                "| append | 1.00 | 1.00 | 0.0 | 0.250 | 8.00 | 8.00 | 0.0 | - | 8.00x | 8.00x | 4.0x | yes |",
                row(ROW));
    }

    private static Sample timed(final double p99, final double p999) {
        return new Sample(
                8, 16, 0, Map.of(LatencyProfiler.P99, p99, LatencyProfiler.P999, p999, LatencyProfiler.MAX, 100.0));
    }

    private static Comparison timedRow() {
        return new Comparison("append-latency", "append", OURS)
                .besideLatency("Kafka", KAFKA, Map.of(LatencyProfiler.P99, 3.0))
                .overLatency(FLOOR, Map.of(LatencyProfiler.P999, 1.0));
    }

    @Test
    void percentilesAreMicrosecondsOfAllAndHeldAgainstTheirGoals() {
        samples.add(OURS, List.of(timed(10, 50)));
        samples.add(KAFKA, List.of(timed(30, 80)));
        samples.add(FLOOR, List.of(timed(9, 50)));
        assertEquals(
                "| work | us/op | CPU us/op | B/op | latency p99 us | latency p99.9 us | latency max us | Kafka us/op | Kafka CPU us/op"
                        + " | Kafka B/op | Kafka latency p99 us | Kafka latency p99.9 us | Kafka latency max us | ratio to Kafka | ratio CPU"
                        + " | to reach | p99 ratio to Kafka | to reach | floor us/op | floor CPU us/op"
                        + " | floor latency p99 us | floor latency p99.9 us | floor latency max us | of floor | of floor CPU | within"
                        + " | of floor p99.9 | within | holds |",
                BenchTable.of(List.of(timedRow()), samples).get(0));
        assertEquals(
                "| append | 8.00 | 16.0 | 0.0 | 10.0 | 50.0 | 100 | 8.00 | 16.0 | 0.0 | 30.0 | 80.0 | 100 | 1.00x | 1.00x |  |"
                        + " 3.00x | 3.0x: yes | 8.00 | 16.0 | 9.00 | 50.0 | 100 | 1.00x | 1.00x |  | 1.00x | 1.0x: yes | yes |",
                row(timedRow()));
    }

    @Test
    void eachPercentileMustReachItsGoal() {
        samples.add(OURS, List.of(timed(10, 50)));
        samples.add(KAFKA, List.of(timed(29, 80)));
        samples.add(FLOOR, List.of(timed(9, 50)));
        assertTrue(row(timedRow()).contains("| 2.90x | 3.0x: no |"));
        assertTrue(row(timedRow()).endsWith("| 1.00x | 1.0x: yes | no |"));
        samples.add(KAFKA, List.of(timed(30, 80)));
        samples.add(FLOOR, List.of(timed(9, 40)));
        assertTrue(row(timedRow()).contains("| 3.00x | 3.0x: yes |"));
        assertTrue(row(timedRow()).endsWith("| 1.25x | 1.0x: no | no |"));
    }

    @Test
    void aPercentileThatWasNotTimedReachesNothing() {
        samples.add(OURS, List.of(timed(10, 50)));
        samples.add(KAFKA, List.of(new Sample(8, 16, 0)));
        samples.add(FLOOR, List.of(timed(9, 50)));
        assertTrue(row(timedRow()).contains("| - | 3.0x |"));
        assertTrue(row(timedRow()).endsWith("| 1.00x | 1.0x: yes |  |"));
    }

    @Test
    void aRowWithoutTheOthersGoalsHasEmptyCellsForThem() {
        final Comparison other = new Comparison("append-latency", "claim", OURS)
                .besideLatency("Queue", QUEUE, Map.of(LatencyProfiler.P50, 1 / 1.5));
        final List<String> lines = BenchTable.of(List.of(timedRow(), other), samples);
        assertEquals(columns(lines.get(0)), columns(lines.get(2)));
        assertEquals(columns(lines.get(0)), columns(lines.get(3)));
        assertTrue(lines.get(3).contains("| - | 0.67x |"));
    }

    @Test
    void thePaceIsHalfOfThePeak() {
        samples.add(KAFKA, List.of(new Sample(4, 4, 0)));
        assertEquals(125_000, samples.halfTheRateOf(KAFKA));
        samples.add(KAFKA, List.of(new Sample(5, 5, 0)));
        assertEquals(100_000, samples.halfTheRateOf(KAFKA), "the first round does not count");
        assertThrows(IllegalStateException.class, () -> samples.halfTheRateOf(QUEUE));
    }

    @Test
    void theFirstOfSeveralRoundsDoesNotCount() {
        samples.add(OURS, List.of(new Sample(100, 100, 100)));
        samples.add(OURS, List.of(new Sample(1, 10, 7), new Sample(3, 30, 9)));
        samples.add(OURS, List.of(new Sample(2, 20, 8)));
        assertEquals("| append | 2.00 | 20.0 | 8.0 | - | - | - | - | - | 4.0x |  |", row(ROW));
    }

    @Test
    void theMedianOfAnEvenNumberLiesBetweenTheMiddleOnes() {
        samples.add(
                OURS, List.of(new Sample(4, 1, 0), new Sample(100, 2, 0), new Sample(1, 3, 0), new Sample(2, 4, 0)));
        assertEquals("| append | 3.00 | 2.50 | 0.0 | - | - | - | - | - | 4.0x |  |", row(ROW));
    }

    @Test
    void whatWasNotMeasuredIsADash() {
        assertEquals("| append | - | - | - | - | - | - | - | - | 4.0x |  |", row(ROW));
    }

    private String row(final Comparison row) {
        final List<String> lines = BenchTable.of(List.of(row), samples);
        assertEquals(3, lines.size());
        assertEquals(columns(lines.get(0)), columns(lines.get(1)));
        assertEquals(columns(lines.get(0)), columns(lines.get(2)));
        return lines.get(2);
    }

    private static long columns(final String line) {
        return line.chars().filter(c -> c == '|').count();
    }
}
