package io.cordwood.inspector;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedOutputStream;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that appends is killed under load, again and again: what it had acknowledged is there, and nothing else. */
final class KilledAppendTest {
    private static final int ROUNDS = 3;
    private static final int BATCH_RECORDS = 20;

    @TempDir
    private Path scratch;

    /** The line that becomes the record at an offset; its length tells it from others, too. */
    private static String line(final long offset) {
        return "record " + offset + " " + "x".repeat((int) (offset * 31 % 300));
    }

    @Test
    void forcedInADataDirectory() throws Exception {
        final Path data = Files.createDirectories(scratch.resolve("data"));
        Files.writeString(data.resolve("recovery-point-offset-checkpoint"), "0\n0\n");
        survives(data.resolve("t-0"), "forced", 17);
        assertTrue(Files.readString(data.resolve("recovery-point-offset-checkpoint"))
                .startsWith("0\n1\nt 0 "));
    }

    @Test
    void inThePageCacheAndAlone() throws Exception {
        survives(scratch.resolve("t-0"), "page-cache", 18);
    }

    private void survives(final Path partition, final String durability, final long seed) throws Exception {
        final Random random = new Random(seed);
        long end = 0;
        for (int round = 0; round < ROUNDS; round++) {
            final String where = "seed " + seed + " round " + round;
            final AtomicLong handedOver = new AtomicLong(end);
            final long acknowledged = appendAndKill(partition, durability, 1 + random.nextInt(200), handedOver);
            assertTrue(acknowledged > end, where);
            final JsonNode dry = Run.of("recover", "--dry-run", "--format", "json", partition)
                    .json();
            final Run recovered = Run.of("recover", "--format", "json", partition);
            assertEquals(0, recovered.exitCode(), where + recovered.out() + recovered.err());
            end = recovered.json().get("logEndOffset").asLong();
            assertEquals(end, dry.get("logEndOffset").asLong(), where);
            assertTrue(end >= acknowledged, where + ": " + acknowledged + " acknowledged, the log ends at " + end);
            assertTrue(end <= handedOver.get(), where + ": " + handedOver + " handed over, the log ends at " + end);
            final String expected = LongStream.range(0, end)
                    .mapToObj(offset -> line(offset) + "\n")
                    .collect(Collectors.joining());
            assertEquals(expected, Run.of("read", partition).out(), where);
            assertEquals(0, Run.of("verify", partition).exitCode(), where);
        }
    }

    /** What the process said it had appended before it died. */
    private static long appendAndKill(
            final Path partition, final String durability, final int batches, final AtomicLong handedOver)
            throws Exception {
        final Process process = Subprocess.builder(
                        "-Xmx128m",
                        "append",
                        "--acknowledge",
                        "--durability",
                        durability,
                        "--batch-records",
                        Integer.toString(BATCH_RECORDS),
                        partition.toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        final Thread feeder = new Thread(() -> feed(process, handedOver), "feeder");
        feeder.start();
        long acknowledged = 0;
        try (BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.US_ASCII))) {
            int seen = 0;
            for (String text = out.readLine(); text != null; text = out.readLine()) {
                // The last one may be cut: it is a smaller number then.
                acknowledged = Math.max(acknowledged, Long.parseLong(text));
                seen++;
                if (seen == 1) {
                    assertEquals(3, Run.of("recover", partition).exitCode(), "the process holds the lock");
                }
                if (seen == batches) {
                    // Not the process's own method: that would close what it has written and we have not read.
                    assertTrue(process.toHandle().destroyForcibly());
                }
            }
        } finally {
            process.destroyForcibly();
            feeder.join();
        }
        // 128 and the number of the signal.
        assertEquals(137, process.waitFor());
        return acknowledged;
    }

    private static void feed(final Process process, final AtomicLong handedOver) {
        try (OutputStream in = new BufferedOutputStream(process.getOutputStream())) {
            while (process.isAlive()) {
                // Counted before: what was counted may not have arrived, what has arrived was counted.
                final long offset = handedOver.getAndIncrement();
                in.write((line(offset) + "\n").getBytes(StandardCharsets.UTF_8));
            }
        } catch (final IOException e) {
            // The pipe breaks when its reader dies, and not before.
            process.onExit().join();
        }
    }
}
