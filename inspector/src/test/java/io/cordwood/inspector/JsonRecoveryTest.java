package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.cordwood.log.store.StorageException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** What {@code recover --format json} says of a refusal, foreseen or not: the fields of a load that failed in Kafka. */
final class JsonRecoveryTest {
    private static JsonNode told(final RuntimeException failure) throws IOException {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (PrintStream out = new PrintStream(bytes, false, StandardCharsets.UTF_8)) {
            new JsonRecovery(out, "t-0", false).failed(failure);
        }
        return new ObjectMapper().readTree(bytes.toByteArray());
    }

    @Test
    void aFailureIsToldWithItsCause() throws IOException {
        final JsonNode json = told(new StorageException("/d/t-0/x.log", "read", "why", new IOException("broken disk")));
        assertEquals("t-0", json.get("path").asText());
        assertEquals("failed", json.get("outcome").asText());
        assertEquals(
                "io.cordwood.log.store.StorageException: read failed: /d/t-0/x.log: why",
                json.get("error").asText());
        assertEquals("java.io.IOException: broken disk", json.get("cause").asText());
    }

    @Test
    void whatNobodyForesawIsToldAsWell() throws IOException {
        final JsonNode json = told(new IllegalStateException("unexpected"));
        assertEquals("failed", json.get("outcome").asText());
        assertEquals(
                "java.lang.IllegalStateException: unexpected", json.get("error").asText());
        assertFalse(json.has("cause"));
    }
}
