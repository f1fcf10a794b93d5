package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class SimulatedNetworkTest {
    private final SimulatedClock clock = new SimulatedClock(0);
    private final SimulatedScheduler scheduler = new SimulatedScheduler(clock, 5);
    private final List<String> taken = new ArrayList<>();

    private SimulatedNetwork network(final String... rules) {
        final SimulatedNetwork network = new SimulatedNetwork(scheduler, clock, 5, rules);
        for (int node = 0; node < 4; node++) {
            final int to = node;
            network.listen(
                    node,
                    (from, message) -> taken.add(from + ">" + to + " "
                            + message.getStringWithoutLengthAscii(0, message.capacity()) + " " + clock.elapsedMs()));
        }
        return network;
    }

    private static void send(final SimulatedNetwork network, final int from, final int to, final String text) {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[text.length() + 3]);
        buffer.putStringWithoutLengthAscii(3, text);
        network.send(from, to, buffer, 3, text.length());
        buffer.setMemory(0, buffer.capacity(), (byte) 'X');
    }

    @Test
    void messagesArriveOnceInOrderAndAsTheyWereSent() {
        final SimulatedNetwork network = network();
        network.conditions(new NetworkConditions(0, 30, 0, 0, 0));
        final List<String> sent = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            send(network, 1, 2, "m" + i);
            sent.add("1>2 m" + i);
        }
        scheduler.runFor(30);
        assertEquals(
                sent,
                taken.stream()
                        .map(line -> line.substring(0, line.lastIndexOf(' ')))
                        .toList());
    }

    @Test
    void byPlanSingleMessagesAreLostDoubledAndLate() {
        final SimulatedNetwork network =
                network("1>2 2 lost", "1>* 3 twice", "*>3 1 late=50", "2>1 2+ lost", "3>0 1 lost");
        for (int i = 1; i <= 3; i++) {
            send(network, 1, 2, "a" + i);
            send(network, 2, 1, "b" + i);
            send(network, 2, 3, "c" + i);
        }
        scheduler.runFor(100);
        assertEquals(
                List.of("1>2 a1 1", "1>2 a3 1", "1>2 a3 1", "2>1 b1 1", "2>3 c1 51", "2>3 c2 51", "2>3 c3 51"),
                taken.stream().sorted().toList());
        assertEquals(List.of("3>0 1 lost"), network.unused());
    }

    @Test
    void whatACutLosesIsNotTheWorkOfARule() {
        final SimulatedNetwork network = network("1>2 1+ twice", "1>3 1 lost");
        network.cut(1, 2);
        network.cut(1, 3);
        send(network, 1, 2, "a");
        send(network, 1, 3, "b");
        assertEquals(List.of("1>2 1+ twice", "1>3 1 lost"), network.unused());
        network.heal();
        send(network, 1, 2, "c");
        assertEquals(List.of("1>3 1 lost"), network.unused());
    }

    @Test
    void byChanceSomeAreLostDoubledAndOvertakeOthers() {
        final SimulatedNetwork network = network();
        network.conditions(new NetworkConditions(1, 40, 100, 100, 200));
        for (int i = 0; i < 1000; i++) {
            send(network, 1, 2, String.valueOf(10_000 + i));
        }
        scheduler.runFor(100);
        final List<String> texts =
                taken.stream().map(line -> line.substring(4, 9)).toList();
        final long different = texts.stream().distinct().count();
        assertTrue(different > 850 && different < 950, different + " arrived");
        assertTrue(texts.size() - different > 50 && texts.size() - different < 150, texts.size() + " copies");
        int overtaken = 0;
        for (int i = 1; i < texts.size(); i++) {
            overtaken += texts.get(i).compareTo(texts.get(i - 1)) < 0 ? 1 : 0;
        }
        assertTrue(overtaken > 50, overtaken + " overtaken");
    }

    @Test
    void aCutWayLosesWhatIsSentAndWhatArrivesAndTheWayBackDoesNot() {
        final SimulatedNetwork network = network();
        network.conditions(new NetworkConditions(10, 10, 0, 0, 0));
        send(network, 1, 2, "under way");
        network.cut(1, 2);
        send(network, 1, 2, "cut");
        send(network, 2, 1, "back");
        scheduler.runFor(10);
        network.heal();
        send(network, 1, 2, "healed");
        scheduler.runFor(10);
        assertEquals(List.of("2>1 back 10", "1>2 healed 20"), taken);
    }

    @Test
    void oneWayIsMendedAndTheOthersStayCut() {
        final SimulatedNetwork network = network();
        network.partition(List.of(1), List.of(2, 3));
        network.heal(1, 2);
        network.heal(0, 1);
        send(network, 1, 2, "mended");
        send(network, 2, 1, "back");
        send(network, 1, 3, "other");
        scheduler.runFor(10);
        assertEquals(List.of("1>2 mended 1"), taken);
        assertEquals(
                List.of("heal 1>2"),
                scheduler.trace().last().stream()
                        .filter(line -> line.startsWith("heal"))
                        .toList());
    }

    @Test
    void whatNoMessageCanBeIsRefused() {
        final SimulatedNetwork network = network();
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[8]);
        for (final Executable call : List.<Executable>of(
                () -> network.send(-1, 2, buffer, 0, 8),
                () -> network.send(1, -7, buffer, 0, 8),
                () -> network.send(1, 2, buffer, 0, -1),
                () -> network.send(1, 2, buffer, -1, 1),
                () -> network.send(1, 2, buffer, 1, 8),
                () -> network.cut(-3, -3),
                () -> network.cut(1, -3),
                () -> network.heal(1, -3),
                () -> network.partition(List.of(1), List.of(-2)),
                () -> network.stop(-1))) {
            assertThrows(IllegalArgumentException.class, call);
        }
        assertEquals(0, scheduler.waiting());
    }

    @Test
    void theClockIsTheSchedulersAndNoRuleIsThereTwice() {
        assertThrows(IllegalArgumentException.class, () -> new SimulatedNetwork(scheduler, new SimulatedClock(0), 5));
        final IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> network("1>2 1 lost", "1>2 2 lost", "1>2 1 lost"));
        assertTrue(String.valueOf(refused.getMessage()).endsWith("'1>2 1 lost'"), refused.getMessage());
    }

    @Test
    void aPartitionCutsGroupsFromEachOtherAndNobodyInOne() {
        final SimulatedNetwork network = network();
        network.partition(List.of(0, 1), List.of(2, 3));
        for (int from = 0; from < 4; from++) {
            for (int to = 0; to < 4; to++) {
                send(network, from, to, "x");
            }
        }
        scheduler.runFor(10);
        assertEquals(
                List.of("0>0", "0>1", "1>0", "1>1", "2>2", "2>3", "3>2", "3>3"),
                taken.stream().map(line -> line.substring(0, 3)).sorted().toList());
        assertThrows(IllegalArgumentException.class, () -> network.partition(List.of(0, 1), List.of(1)));
    }

    @Test
    void aNodeThatIsStoppedLosesWhatArrivesUntilItIsBack() {
        final SimulatedNetwork network = network();
        send(network, 2, 1, "sent before");
        network.stop(2);
        send(network, 1, 2, "lost");
        scheduler.runFor(1);
        network.listen(2, (from, message) -> taken.add("back " + from));
        send(network, 1, 2, "taken");
        scheduler.runFor(1);
        assertEquals(List.of("2>1 sent before 1", "back 1"), taken);
        final List<String> told = scheduler.trace().last();
        assertTrue(told.containsAll(List.of("take 2>1 #1", "lose 1>2 #1", "take 1>2 #2")), told::toString);
        assertThrows(IllegalArgumentException.class, () -> network.listen(-1, (from, message) -> {}));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "1>2 lost",
                "1>2 0 lost",
                "01>2 1 lost",
                "1>2 01 lost",
                "1-2 1 lost",
                "1>2 1 late",
                "1>2 1 gone",
                "a>2 1 lost",
                "1>2 1 lost=3"
            })
    void aRuleWithoutSenseIsRefused(final String rule) {
        final IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> network(rule));
        assertTrue(String.valueOf(refused.getMessage()).endsWith("'" + rule + "'"), refused.getMessage());
    }

    @Test
    void conditionsWithoutSenseAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> new NetworkConditions(5, 4, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new NetworkConditions(-1, 4, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new NetworkConditions(0, Long.MAX_VALUE, 0, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new NetworkConditions(0, 4, 1001, 0, 0));
        assertThrows(IllegalArgumentException.class, () -> new NetworkConditions(0, 4, 0, -1, 0));
    }
}
