package io.cordwood.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The example of an integrator's simulation: nodes that tell each other the largest number they know, over a bad network, until it
 * is mended and all of them know it. Each has a disk of its own, which is slow now and then.
 */
final class Gossip {
    private static final int NODES = 4;
    private static final int ROUND_MS = 20;

    private final SimulatedClock clock = new SimulatedClock(Disk.NOW);
    private final SimulatedScheduler scheduler;
    private final SimulatedNetwork network;
    private final List<Node> nodes = new ArrayList<>();

    Gossip(final long seed) {
        scheduler = new SimulatedScheduler(clock, seed);
        network = new SimulatedNetwork(scheduler, clock, seed, "0>1 2 lost", "*>2 5 late=70", "3>0 4 twice");
        network.conditions(NetworkConditions.bad());
        for (int number = 0; number < NODES; number++) {
            final Node node = new Node(number, new Random(31 * seed + number));
            nodes.add(node);
            network.listen(number, node::hear);
            scheduler.after(number, "round " + number, node::round);
        }
        scheduler.after(100, "partition", () -> network.partition(List.of(0, 1), List.of(2, 3)));
        scheduler.after(200, "one way", () -> network.cut(1, 0));
        scheduler.after(300, "restart", () -> network.stop(3));
        scheduler.after(400, "heal", () -> {
            network.heal();
            network.listen(3, nodes.get(3)::hear);
        });
    }

    /** Prints what a second JVM must print as well. */
    public static void main(final String[] args) {
        System.out.println(new Gossip(Long.parseLong(args[0])).run());
    }

    SimulationTrace run() {
        scheduler.runFor(600);
        network.conditions(NetworkConditions.good());
        scheduler.runFor(400);
        if (nodes.stream().mapToInt(node -> node.largest).distinct().count() != 1) {
            throw new AssertionError("after " + scheduler.trace().last());
        }
        return scheduler.trace();
    }

    SimulatedNetwork network() {
        return network;
    }

    private final class Node {
        private final int number;
        private final FaultyStorage disk =
                new FaultyStorage(new SimulatedStorage(clock), clock::advance, "make * 3+ slow=2");
        private final UnsafeBuffer message = new UnsafeBuffer(new byte[Integer.BYTES]);
        private final Random random;
        private int largest;

        Node(final int number, final Random random) {
            this.number = number;
            this.random = random;
        }

        void round() {
            if (scheduler.trace().count() < 600) {
                largest = Math.max(largest, random.nextInt(1_000_000));
            }
            disk.makeDirectory("r-" + largest);
            message.putInt(0, largest);
            for (int to = 0; to < NODES; to++) {
                if (to != number) {
                    network.send(number, to, message, 0, Integer.BYTES);
                }
            }
            scheduler.after(ROUND_MS, "round " + number, this::round);
        }

        void hear(final int from, final DirectBuffer heard) {
            largest = Math.max(largest, heard.getInt(0));
        }
    }
}
