package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** What a run leaves in its directory. */
final class ResultsTest {
    private static final Subject OURS = BenchTableTest.subject("ours");
    private static final Subject KAFKA = BenchTableTest.subject("kafka");
    private static final Subject FLOOR = BenchTableTest.subject("floor");
    private static final Subject TIMED = BenchTableTest.subject("timed");
    private static final Subject TIMED_KAFKA = BenchTableTest.subject("timedKafka");
    private static final Subject TIMED_FLOOR = BenchTableTest.subject("timedFloor");
    private static final List<Comparison> ROWS = List.of(
            new Comparison("append", "append <one> & all", OURS)
                    .beside("Kafka", KAFKA, 4)
                    .over(FLOOR, 1.25)
                    .garbageFree(),
            new Comparison("floor", "write", FLOOR),
            new Comparison("append-latency", "timed", TIMED)
                    .besideLatency("Kafka", TIMED_KAFKA, Map.of(LatencyProfiler.P99, 5.0))
                    .overLatency(TIMED_FLOOR, Map.of(LatencyProfiler.P999, 3.0))
                    .atHalfThePeakOf(KAFKA));

    @TempDir
    private Path directory;

    private final Samples samples = new Samples();

    @BeforeEach
    void measure() {
        samples.add(OURS, List.of(new Sample(50, 60, 0)));
        samples.add(OURS, List.of(new Sample(2, 3, 0, Map.of("forces", 0.5)), new Sample(4, 5, 0)));
        samples.add(KAFKA, List.of(new Sample(24, 20, 2600)));
        samples.add(FLOOR, List.of(new Sample(1.5, 2, 0)));
        samples.add(TIMED, List.of(timed(10, 50)));
        samples.add(TIMED_KAFKA, List.of(timed(40, 80)));
        samples.add(TIMED_FLOOR, List.of(timed(9, 25)));
    }

    private static Sample timed(final double p99, final double p999) {
        return new Sample(48, 96, 0, Map.of(LatencyProfiler.P99, p99, LatencyProfiler.P999, p999));
    }

    private List<String> write() throws Exception {
        return Results.write(
                directory,
                BenchOptions.parse("--quick", "--seed=12", "--storage=com.example.Ours", "append"),
                ROWS,
                samples);
    }

    @Test
    void theTableIsWrittenAsItIsPrinted() throws Exception {
        final List<String> printed = write();
        assertEquals(printed, Files.readAllLines(directory.resolve("results.md")));
        assertTrue(printed.contains("## append"));
        assertTrue(printed.contains("![floor](floor.svg)"));
        assertTrue(printed.stream().anyMatch(line -> line.contains("seed 12; ours with {storage=com.example.Ours}")));
    }

    @Test
    void theTableSaysHowFarSamplesLieApart() throws Exception {
        final String noise = write().stream()
                .filter(line -> line.startsWith("- noise:"))
                .findFirst()
                .orElseThrow();
        assertTrue(noise.contains(" spans 0.0 % of"), noise);
        assertTrue(noise.contains(" 50.0 %"), () -> "the first round counts for nothing: " + noise);
    }

    @Test
    void jsonHoldsEverySampleAndTheMedians() throws Exception {
        write();
        final JsonNode json =
                new ObjectMapper().readTree(directory.resolve("results.json").toFile());
        for (final String fact : List.of("machine", "java", "commit", "kafka", "codecs")) {
            assertFalse(json.path(fact).asText().isEmpty(), fact);
        }
        assertEquals(12, json.path("seed").asLong());
        assertTrue(json.path("options").path("quick").asBoolean());
        assertEquals("com.example.Ours", json.path("options").path("storage").asText());
        assertEquals("append", json.path("options").path("groups").path(0).asText());
        assertEquals(6, json.path("subjects").size());
        final JsonNode ours = json.path("subjects").path(2);
        assertEquals(OURS.toString(), ours.path("name").asText());
        assertEquals("ONE_OF_100_B", ours.path("parameters").path("shape").asText());
        assertEquals(3, ours.path("medians").path("wallUs").asDouble());
        assertEquals(2, ours.path("rounds").size());
        assertEquals(50, ours.path("rounds").path(0).path(0).path("wallUs").asDouble());
        assertEquals(0.5, ours.path("rounds").path(1).path(0).path("forces").asDouble());
        assertEquals(5, ours.path("rounds").path(1).path(1).path("cpuUs").asDouble());
    }

    @Test
    void jsonHoldsRatiosAndWhetherTheGoalsHold() throws Exception {
        write();
        final JsonNode rows = new ObjectMapper()
                .readTree(directory.resolve("results.json").toFile())
                .path("rows");
        final JsonNode row = rows.path(0);
        assertEquals("append <one> & all", row.path("work").asText());
        assertEquals(OURS.toString(), row.path("ours").asText());
        final JsonNode kafka = row.path("peers").path(0);
        assertEquals("Kafka", kafka.path("name").asText());
        assertEquals(KAFKA.toString(), kafka.path("subject").asText());
        assertEquals(8, kafka.path("ratio").asDouble());
        assertEquals(5, kafka.path("ratioCpu").asDouble());
        assertEquals(4, kafka.path("goal").asDouble());
        assertEquals(0.5, row.path("floor").path("ratio").asDouble());
        assertTrue(row.path("holds").isBoolean());
        assertFalse(row.path("holds").asBoolean(), "twice the floor is not within 1.25 of it");
        assertTrue(rows.path(1).path("holds").isNull());
        assertTrue(rows.path(1).path("floor").isMissingNode());
    }

    @Test
    void jsonHoldsPercentilesTheirGoalsAndThePace() throws Exception {
        write();
        final JsonNode json =
                new ObjectMapper().readTree(directory.resolve("results.json").toFile());
        final JsonNode row = json.path("rows").path(2);
        assertEquals(KAFKA.toString(), row.path("atHalfThePeakOf").asText());
        final JsonNode p99 = row.path("peers").path(0).path("percentiles").path(LatencyProfiler.P99);
        assertEquals(4, p99.path("ratio").asDouble());
        assertEquals(5, p99.path("goal").asDouble());
        assertTrue(p99.path("holds").isBoolean());
        assertFalse(p99.path("holds").asBoolean(), "four times lower is not five times");
        final JsonNode p999 = row.path("floor").path("percentiles").path(LatencyProfiler.P999);
        assertEquals(0.5, p999.path("ratio").asDouble());
        assertEquals(3, p999.path("within").asDouble());
        assertTrue(p999.path("holds").asBoolean(), "twice the floor's is within three times");
        assertFalse(row.path("holds").asBoolean());
        assertTrue(json.path("rows").path(0).path("atHalfThePeakOf").isMissingNode());
        final JsonNode timed = json.path("subjects").path(5);
        assertEquals(TIMED.toString(), timed.path("name").asText());
        assertEquals(10, timed.path("medians").path(LatencyProfiler.P99).asDouble());
    }

    @Test
    void theChartOfLatenciesShowsPercentilesAndTheirGoals() throws Exception {
        write();
        final Document chart = parse("append-latency.svg");
        final List<String> texts = texts(chart);
        assertTrue(
                texts.containsAll(List.of("to Kafka, p99", "4.00x", "1.60x", "to the floor, p99.9", "0.50x")),
                texts::toString);
        assertFalse(texts.contains("to Kafka, CPU"), "who waits for the next operation uses CPU for nothing");
        long goals = 0;
        final NodeList marks = chart.getElementsByTagName("line");
        for (int i = 0; i < marks.getLength(); i++) {
            goals += ((Element) marks.item(i)).getAttribute("class").equals("goal") ? 1 : 0;
        }
        assertEquals(2, goals);
    }

    @Test
    void chartsAreWellFormedAndShowRatiosOrTimes() throws Exception {
        write();
        final Document append = parse("append.svg");
        assertEquals("svg", append.getDocumentElement().getTagName());
        final List<String> texts = texts(append);
        assertTrue(texts.contains("append <one> & all"), texts::toString);
        assertTrue(
                texts.containsAll(List.of("8.00x", "5.00x", "0.50x", "to Kafka", "to the floor, CPU")),
                texts::toString);
        assertTrue(texts(parse("floor.svg")).contains("1.50 us"));
    }

    @Test
    void barsBeginAtOneAndGrowWithTheRatio() throws Exception {
        write();
        final NodeList bars = parse("append.svg").getElementsByTagName("rect");
        assertEquals(4, bars.getLength());
        final double one = number(bars, 0, "x");
        assertEquals(one, number(bars, 1, "x"), 0.11);
        assertTrue(number(bars, 0, "width") > number(bars, 1, "width"));
        assertEquals(one, number(bars, 2, "x") + number(bars, 2, "width"), 0.11, "slower: to the left");
    }

    private static double number(final NodeList elements, final int index, final String attribute) {
        return Double.parseDouble(((Element) elements.item(index)).getAttribute(attribute));
    }

    private Document parse(final String name) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(directory.resolve(name).toFile());
    }

    private static List<String> texts(final Document document) {
        final NodeList found = document.getElementsByTagName("text");
        final List<String> texts = new ArrayList<>();
        for (int i = 0; i < found.getLength(); i++) {
            texts.add(found.item(i).getTextContent());
        }
        return texts;
    }
}
