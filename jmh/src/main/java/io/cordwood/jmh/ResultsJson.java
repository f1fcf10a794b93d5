package io.cordwood.jmh;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** All that a run measured, for programs: every iteration of every round, and what the table says of it. */
final class ResultsJson {
    private final StringWriter text = new StringWriter();
    private final JsonGenerator json;

    private ResultsJson() throws IOException {
        json = new JsonFactory().createGenerator(text).useDefaultPrettyPrinter();
    }

    /**
     * Writes the results.
     *
     * @param options of the run.
     * @param rows that were measured.
     * @param samples what was measured.
     * @return a JSON object.
     * @throws IOException never, since it goes to memory.
     */
    static String of(final BenchOptions options, final List<Comparison> rows, final Samples samples)
            throws IOException {
        final ResultsJson results = new ResultsJson();
        results.json.writeStartObject();
        results.surroundings(options);
        results.subjects(rows, samples);
        results.rows(rows, samples);
        results.json.writeEndObject();
        results.json.close();
        return results.text.toString();
    }

    private void surroundings(final BenchOptions options) throws IOException {
        for (final Map.Entry<String, String> fact : Surroundings.facts().entrySet()) {
            json.writeStringField(fact.getKey(), fact.getValue());
        }
        json.writeObjectFieldStart("options");
        json.writeBooleanField("quick", options.isQuick());
        json.writeNumberField("rounds", options.rounds());
        json.writeNumberField("warmUps", options.warmUps());
        json.writeNumberField("warmUpMs", options.warmUpMs());
        json.writeNumberField("iterations", options.iterations());
        json.writeNumberField("iterationMs", options.iterationMs());
        json.writeArrayFieldStart("groups");
        for (final String group : options.groups()) {
            json.writeString(group);
        }
        json.writeEndArray();
        for (final Map.Entry<String, String> part : options.parts().entrySet()) {
            json.writeStringField(part.getKey(), part.getValue());
        }
        json.writeEndObject();
        json.writeNumberField("seed", options.seed());
    }

    private void subjects(final List<Comparison> rows, final Samples samples) throws IOException {
        final Set<Subject> subjects = new LinkedHashSet<>();
        rows.forEach(row -> subjects.addAll(row.subjects()));
        json.writeArrayFieldStart("subjects");
        for (final Subject subject : subjects) {
            json.writeStartObject();
            json.writeStringField("name", subject.toString());
            json.writeStringField("benchmark", subject.benchmark());
            json.writeObjectFieldStart("parameters");
            for (final Map.Entry<String, String> parameter :
                    subject.parameters().entrySet()) {
                json.writeStringField(parameter.getKey(), parameter.getValue());
            }
            json.writeEndObject();
            json.writeFieldName("medians");
            sampleOrNull(samples.medians(subject));
            json.writeArrayFieldStart("rounds");
            for (final List<Sample> round : samples.rounds(subject)) {
                json.writeStartArray();
                for (final Sample sample : round) {
                    sampleOrNull(Optional.of(sample));
                }
                json.writeEndArray();
            }
            json.writeEndArray();
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void rows(final List<Comparison> rows, final Samples samples) throws IOException {
        json.writeArrayFieldStart("rows");
        for (final Comparison row : rows) {
            final Verdict verdict = new Verdict(row, samples);
            json.writeStartObject();
            json.writeStringField("group", row.group());
            json.writeStringField("work", row.work());
            json.writeStringField("ours", row.ours().toString());
            json.writeArrayFieldStart("peers");
            for (final Comparison.Peer peer : row.peers()) {
                json.writeStartObject();
                json.writeStringField("name", peer.name());
                against(peer.subject(), verdict);
                json.writeNumberField("goal", peer.goal());
                percentiles(peer.subject(), peer.percentiles(), false, verdict);
                json.writeEndObject();
            }
            json.writeEndArray();
            final Comparison.Floor floor = row.floor();
            if (floor != null) {
                json.writeObjectFieldStart("floor");
                against(floor.subject(), verdict);
                json.writeNumberField("within", floor.within());
                percentiles(floor.subject(), floor.percentiles(), true, verdict);
                json.writeEndObject();
            }
            if (row.peak() != null) {
                json.writeStringField("atHalfThePeakOf", row.peak().toString());
            }
            json.writeBooleanField("garbageFree", row.isGarbageFree());
            json.writeFieldName("holds");
            booleanOrNull(verdict.holds());
            json.writeEndObject();
        }
        json.writeEndArray();
    }

    private void booleanOrNull(final Optional<Boolean> holds) throws IOException {
        if (holds.isPresent()) {
            json.writeBoolean(holds.get());
        } else {
            json.writeNull();
        }
    }

    /** What is wanted of our percentiles beside another's; nothing is written where nothing is wanted. */
    private void percentiles(
            final Subject other, final Map<String, Double> wanted, final boolean isFloor, final Verdict verdict)
            throws IOException {
        if (wanted.isEmpty()) {
            return;
        }
        json.writeObjectFieldStart("percentiles");
        for (final Map.Entry<String, Double> goal : wanted.entrySet()) {
            json.writeObjectFieldStart(goal.getKey());
            final Optional<Double> ratio = verdict.ratioTo(other, goal.getKey());
            if (ratio.isPresent()) {
                json.writeNumberField("ratio", ratio.get());
            }
            json.writeNumberField(isFloor ? "within" : "goal", goal.getValue());
            json.writeFieldName("holds");
            booleanOrNull(verdict.reaches(other, goal.getKey(), isFloor ? 1 / goal.getValue() : goal.getValue()));
            json.writeEndObject();
        }
        json.writeEndObject();
    }

    private void against(final Subject other, final Verdict verdict) throws IOException {
        json.writeStringField("subject", other.toString());
        final Optional<Verdict.Ratio> ratio = verdict.ratioTo(other);
        if (ratio.isPresent()) {
            json.writeNumberField("ratio", ratio.get().wall());
            json.writeNumberField("ratioCpu", ratio.get().cpu());
        }
    }

    private void sampleOrNull(final Optional<Sample> sample) throws IOException {
        if (sample.isEmpty()) {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        json.writeNumberField("wallUs", sample.get().wallUs());
        json.writeNumberField("cpuUs", sample.get().cpuUs());
        json.writeNumberField("bytes", sample.get().bytes());
        for (final Map.Entry<String, Double> counted : sample.get().counted().entrySet()) {
            json.writeNumberField(counted.getKey(), counted.getValue());
        }
        json.writeEndObject();
    }
}
