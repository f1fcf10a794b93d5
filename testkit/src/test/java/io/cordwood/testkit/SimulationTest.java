package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Clock, scheduler and trace. */
final class SimulationTest {
    private final SimulatedClock clock = new SimulatedClock(Disk.NOW);
    private final List<String> ran = new ArrayList<>();

    @Test
    void theClockGoesWhenItIsToldTo() {
        clock.advance(5);
        clock.jump(-1000);
        assertEquals(Disk.NOW - 995, clock.time());
        assertEquals(5_000_000, clock.nanoTime());
        assertEquals(5, clock.elapsedMs());
        assertThrows(IllegalArgumentException.class, () -> clock.advance(-1));
    }

    @Test
    void noTimeIsBeyondTheRange() {
        clock.advance(10);
        assertThrows(IllegalArgumentException.class, () -> clock.advance(Long.MAX_VALUE));
        // The time since the start could, that of the wall cannot.
        assertThrows(IllegalArgumentException.class, () -> clock.advance(Long.MAX_VALUE - 10));
        assertThrows(IllegalArgumentException.class, () -> clock.jump(Long.MAX_VALUE));
        assertEquals(Disk.NOW + 10, clock.time());
        assertEquals(10, clock.elapsedMs());
        clock.jump(-2 * Disk.NOW);
        assertThrows(IllegalArgumentException.class, () -> clock.jump(Long.MIN_VALUE));
        assertEquals(10 - Disk.NOW, clock.time());
        clock.advance(Long.MAX_VALUE - 10);
        assertEquals(Long.MAX_VALUE, clock.elapsedMs());
    }

    @Test
    void noTaskRunsAtATimeBeyondTheRange() {
        final SimulatedScheduler scheduler = new SimulatedScheduler(clock, 1);
        clock.advance(10);
        final IllegalArgumentException refused = assertThrows(
                IllegalArgumentException.class, () -> scheduler.after(Long.MAX_VALUE, "never", () -> ran.add("never")));
        assertTrue(
                String.valueOf(refused.getMessage()).contains(Long.MAX_VALUE + " ms from 10 ms"), refused.getMessage());
        assertThrows(IllegalArgumentException.class, () -> scheduler.runFor(Long.MAX_VALUE));
        // It is there, and stays; only the wall cannot tell that time.
        scheduler.after(Long.MAX_VALUE - 10, "late", () -> ran.add("late"));
        assertEquals(0, scheduler.runFor(1));
        assertThrows(IllegalArgumentException.class, scheduler::runNext);
        assertEquals(1, scheduler.waiting());
        assertEquals(11, clock.elapsedMs());
        clock.jump(-Disk.NOW);
        assertTrue(scheduler.runNext());
        assertEquals(List.of("late"), ran);
    }

    @Test
    void tasksRunWhenTheirTimeHasCome() {
        final SimulatedScheduler scheduler = new SimulatedScheduler(clock, 1);
        scheduler.after(30, "c", () -> ran.add("c " + clock.elapsedMs()));
        scheduler.after(10, "a", () -> {
            ran.add("a " + clock.elapsedMs());
            scheduler.after(10, "b", () -> ran.add("b " + clock.elapsedMs()));
            clock.advance(15);
        });
        assertEquals(2, scheduler.runFor(25));
        assertEquals(List.of("a 10", "b 25"), ran, "late by what the first has taken");
        assertEquals(25, clock.elapsedMs());
        assertEquals(1, scheduler.waiting());
        clock.jump(100_000);
        assertTrue(scheduler.runNext());
        assertFalse(scheduler.runNext());
        assertEquals("c 30", ran.get(2), "whatever the wall says");
        assertEquals(List.of("10 a", "25 b", "30 c"), scheduler.trace().last());
        assertEquals(0, scheduler.runFor(70));
        assertEquals(100, clock.elapsedMs());
    }

    @Test
    void theSeedSaysWhichOfThoseDueAtOnceComesFirst() {
        final TreeSet<String> orders = new TreeSet<>();
        for (int seed = 0; seed < 60; seed++) {
            assertEquals(order(seed), order(seed));
            orders.add(order(seed));
        }
        assertEquals(6, orders.size());
    }

    private static String order(final long seed) {
        final StringBuilder order = new StringBuilder();
        final SimulatedScheduler scheduler = new SimulatedScheduler(new SimulatedClock(0), seed);
        for (final String name : List.of("a", "b", "c")) {
            scheduler.after(7, name, () -> order.append(name));
        }
        scheduler.runFor(7);
        return order.toString();
    }

    @Test
    void whatATaskThrowsIsItsCallersAndTheTaskIsGone() {
        final SimulatedScheduler scheduler = new SimulatedScheduler(clock, 1);
        scheduler.after(1, "fails", () -> {
            throw new IllegalStateException("planted");
        });
        assertThrows(IllegalStateException.class, scheduler::runNext);
        assertFalse(scheduler.runNext());
        assertThrows(IllegalArgumentException.class, () -> scheduler.after(-1, "early", () -> {}));
        assertThrows(IllegalArgumentException.class, () -> scheduler.runFor(-1));
    }

    @Test
    void aTraceKeepsItsEndAndAHashOfAll() {
        final SimulationTrace one = new SimulationTrace();
        final SimulationTrace other = new SimulationTrace();
        for (int i = 0; i < 300; i++) {
            one.add("line " + i);
            other.add("line " + (i == 7 ? 8 : i));
        }
        assertEquals(200, one.last().size());
        assertEquals(one.last(), other.last());
        assertNotEquals(one.hash(), other.hash());
        assertEquals("300 lines, hash " + Long.toHexString(one.hash()), one.toString());
        final SimulationTrace joined = new SimulationTrace();
        final SimulationTrace split = new SimulationTrace();
        joined.add("ab");
        split.add("a");
        split.add("b");
        assertNotEquals(joined.hash(), split.hash());
    }

    @Test
    @Timeout(60)
    void twoJvmsWithOneSeedGiveOneTraceHash() throws Exception {
        final SimulationTrace here = new Gossip(42).run();
        assertTrue(here.count() > 500, here::toString);
        assertEquals(here.toString(), new Gossip(42).run().toString());
        assertNotEquals(here.hash(), new Gossip(43).run().hash());
        assertEquals(here.toString(), inAnotherJvm("42"));
    }

    @Test
    void theExampleMeetsWhatWasPlanned() {
        for (int seed = 0; seed < 50; seed++) {
            final Gossip gossip = new Gossip(seed);
            gossip.run();
            assertEquals(List.of(), gossip.network().unused());
        }
    }

    private static String inAnotherJvm(final String seed) throws Exception {
        final List<String> line = new ArrayList<>();
        line.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                line.add(flag);
            }
        }
        final String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        line.addAll(List.of("-Xmx64m", "-cp", classPath, Gossip.class.getName(), seed));
        final Process process =
                new ProcessBuilder(line).redirectErrorStream(true).start();
        try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            final String first = reader.readLine();
            assertEquals(0, process.waitFor(), first);
            return first;
        }
    }
}
