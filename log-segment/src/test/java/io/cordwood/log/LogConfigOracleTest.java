package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Kafka's own LogConfig says what the defaults and ranges are. */
@Tag("oracle")
class LogConfigOracleTest {
    private static final String OURS_ALONE = "decompressed.bytes.max";

    /** Name=value pairs on which we differ from Kafka, and each is in the table of LogConfig's documentation. */
    private static final Set<String> STRICTER = Set.of(
            "segment.index.bytes=4",
            "segment.index.bytes=5",
            "retention.bytes=-2",
            "retention.bytes=-9223372036854775808",
            "cleanup.policy=compact",
            "cleanup.policy=compact,delete",
            "cleanup.policy=");

    private static final Set<String> WIDER = Set.of("segment.bytes=1048575");

    @Test
    void defaultsAreKafkas() {
        final org.apache.kafka.storage.internals.log.LogConfig kafka =
                new org.apache.kafka.storage.internals.log.LogConfig(Map.of());
        final SortedMap<String, String> ours = LogConfig.defaults().toProperties();
        assertEquals(21, ours.size());
        ours.forEach((name, value) -> {
            if (!name.equals(OURS_ALONE)) {
                final Object theirs = kafka.values().get(name);
                assertEquals(
                        theirs instanceof List ? String.join(",", kafka.getList(name)) : String.valueOf(theirs),
                        value,
                        name);
            }
        });
    }

    @Test
    void edgeValuesAreAcceptedAndRefusedAsKafkaDoes() {
        int compared = 0;
        int accepted = 0;
        for (final String name : LogConfig.defaults().toProperties().keySet()) {
            if (name.equals(OURS_ALONE)) {
                continue;
            }
            for (final String value : edges(name)) {
                final boolean kafka = accepts(
                        () -> new org.apache.kafka.storage.internals.log.LogConfig(Map.of(name, value)),
                        org.apache.kafka.common.config.ConfigException.class);
                final boolean ours = accepts(() -> LogConfig.of(Map.of(name, value)), ConfigException.class);
                final String pair = name + "=" + value;
                if (STRICTER.contains(pair)) {
                    assertTrue(kafka && !ours, pair);
                } else if (WIDER.contains(pair)) {
                    assertTrue(ours && !kafka, pair);
                } else {
                    assertEquals(kafka, ours, pair);
                }
                compared++;
                accepted += ours ? 1 : 0;
            }
        }
        assertTrue(compared > 200, compared + " compared");
        assertTrue(accepted > 60 && compared - accepted > 60, accepted + " of " + compared + " accepted");
    }

    private static List<String> edges(final String name) {
        final List<String> edges =
                new ArrayList<>(List.of("", "x", "1.5", "1e3", "0x10", " 17 ", "true", "False", "yes"));
        edges.addAll(List.of("producer", "Producer", "uncompressed", "none", "gzip", "snappy", "lz4", "zstd", "ZSTD"));
        edges.addAll(List.of("CreateTime", "LogAppendTime", "createtime", "NoTimestampType"));
        edges.addAll(List.of("delete", " delete ", "compact", "compact,delete", "Delete"));
        edges.addAll(List.of("9223372036854775807", "9223372036854775808", "-9223372036854775808"));
        for (final long edge : new long[] {-(1 << 17), -2, -1, 0, 1, 4, 9, 17, 22, 1 << 20, Integer.MAX_VALUE}) {
            for (long value = edge - 1; value <= edge + 1; value++) {
                edges.add(Long.toString(value));
            }
        }
        final ConfigDef.Type type = org.apache.kafka.storage.internals.log.LogConfig.configType(name)
                .orElseThrow();
        // Below these two edges of Kafka the test of our own bounds speaks.
        edges.removeIf(value -> name.equals("segment.bytes") && isBetween(value, 61, (1 << 20) - 2));
        edges.removeIf(value -> name.equals("segment.index.bytes") && isBetween(value, 6, 11));
        edges.removeIf(value -> name.equals("retention.bytes") && isBetween(value, -(1L << 40), -3));
        edges.removeIf(value -> type == ConfigDef.Type.LIST && value.contains(" "));
        return edges;
    }

    private static boolean isBetween(final String value, final long low, final long high) {
        return value.matches("-?\\d{1,18}") && Long.parseLong(value) >= low && Long.parseLong(value) <= high;
    }

    private static boolean accepts(final Runnable act, final Class<? extends RuntimeException> refusal) {
        try {
            act.run();
            return true;
        } catch (final RuntimeException e) {
            assertEquals(refusal, e.getClass());
            return false;
        }
    }
}
