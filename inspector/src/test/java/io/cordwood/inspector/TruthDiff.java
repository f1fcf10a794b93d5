package io.cordwood.inspector;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** Compares what we read with what Kafka read, and names each place where they differ. */
final class TruthDiff {
    /** What Kafka found beyond the files that dump shows, and texts, which are each tool's own. */
    private static final Set<String> LEFT_OUT = Set.of(
            "kafkaLoad",
            "highWatermarkCheckpoint",
            "logStartOffsetCheckpoint",
            "recoveryPointCheckpoint",
            "metadataSnapshots",
            "producerSnapshots",
            "txnIndex",
            "parseError",
            "error");

    private static final int SHOWN_MAX = 20;

    private final List<String> differences = new ArrayList<>();

    static List<String> of(final String where, final JsonNode truth, final JsonNode ours) {
        final TruthDiff diff = new TruthDiff();
        diff.compare(where, truth, ours);
        return diff.differences;
    }

    private void compare(final String where, final JsonNode truth, final JsonNode ours) {
        if (differences.size() >= SHOWN_MAX) {
            return;
        }
        if (truth.isObject() && ours.isObject()) {
            fields(where, truth, ours);
        } else if (truth.isArray() && ours.isArray()) {
            if (truth.size() != ours.size()) {
                differences.add(where + ": Kafka has " + truth.size() + " elements, we have " + ours.size());
            }
            for (int i = 0; i < Math.min(truth.size(), ours.size()); i++) {
                compare(where + "[" + i + "]", truth.get(i), ours.get(i));
            }
        } else if (!truth.equals(ours) && !isSameNumber(truth, ours)) {
            differences.add(where + ": Kafka has " + truth + ", we have " + ours);
        }
    }

    /** Whether a number that fits an int is the same as one that was read as a long. */
    private static boolean isSameNumber(final JsonNode truth, final JsonNode ours) {
        return truth.isIntegralNumber()
                && ours.isIntegralNumber()
                && truth.asText().equals(ours.asText());
    }

    private void fields(final String where, final JsonNode truth, final JsonNode ours) {
        final Set<String> names = new TreeSet<>();
        truth.fieldNames().forEachRemaining(names::add);
        ours.fieldNames().forEachRemaining(names::add);
        names.removeAll(LEFT_OUT);
        for (final String name : names) {
            final String field = where + "." + name;
            if (!truth.has(name)) {
                differences.add(field + ": Kafka has no such field, we have " + ours.get(name));
            } else if (!ours.has(name)) {
                differences.add(field + ": missing; Kafka has " + truth.get(name));
            } else if (name.equals("sanityCheck")) {
                final boolean isOk = truth.get(name).asText().equals("ok");
                if (isOk != ours.get(name).asText().equals("ok")) {
                    differences.add(field + ": Kafka has " + truth.get(name) + ", we have " + ours.get(name));
                }
            } else {
                compare(field, truth.get(name), ours.get(name));
            }
        }
    }
}
