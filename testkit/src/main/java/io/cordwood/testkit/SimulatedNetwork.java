package io.cordwood.testkit;

import io.cordwood.testkit.NetworkRule.Fate;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Carries opaque messages between numbered nodes, each when the {@link SimulatedScheduler} comes to it. It owns the messages under
 * way, and who can reach whom.
 *
 * <p>Without a fault the messages from one node to another arrive in the order in which they were sent. By seed, within
 * {@link NetworkConditions}, they are late, lost, doubled or overtake each other. By plan so are single ones, a line for each:
 *
 * <pre>
 *   1&gt;2 3 lost        the third message from node 1 to node 2 is lost
 *   *&gt;2 1+ late=500   whatever is sent to node 2 takes half a second longer, and what is sent behind it as well
 *   2&gt;1 4 twice       the fourth message from 2 to 1 arrives twice
 * </pre>
 *
 * <p>A way that is cut ({@link #cut}, {@link #partition}) loses what is sent and what arrives meanwhile. A node that nobody listens
 * for loses what arrives. Every message is told of in the trace of the scheduler, as it is sent and as it arrives or does not.
 *
 * <p>Threads: one, as the scheduler.
 */
public final class SimulatedNetwork {
    private static final int ALL = 1000;

    private final SimulatedScheduler scheduler;
    private final Random random;
    private final List<NetworkRule> rules;
    private final Map<Integer, MessageHandler> nodes = new TreeMap<>();
    private final Map<Way, Sent> ways = new TreeMap<>();
    private final Set<Way> cuts = new HashSet<>();
    private final SimulatedClock clock;
    private NetworkConditions conditions = NetworkConditions.good();

    /** From one node to another. */
    private record Way(int from, int to) implements Comparable<Way> {
        @Override
        public int compareTo(final Way other) {
            return from != other.from ? Integer.compare(from, other.from) : Integer.compare(to, other.to);
        }

        @Override
        public String toString() {
            return from + ">" + to;
        }
    }

    private record Message(long number, DirectBuffer content) {}

    /** What is on a way and keeps its order: who arrives first takes the first. */
    private static final class Sent {
        private final Deque<Message> inOrder = new ArrayDeque<>();
        private long lastDueMs;
        private long count;
    }

    /**
     * Creates a network without nodes, and with good conditions.
     *
     * @param scheduler that brings the messages.
     * @param clock of the scheduler.
     * @param seed of what happens by chance.
     * @param rules what happens by plan.
     * @throws IllegalArgumentException if a rule makes no sense or is there twice, or the scheduler has another clock.
     */
    public SimulatedNetwork(
            final SimulatedScheduler scheduler, final SimulatedClock clock, final long seed, final String... rules) {
        this.scheduler = Objects.requireNonNull(scheduler, "scheduler");
        this.clock = Objects.requireNonNull(clock, "clock");
        this.random = new Random(seed);
        this.rules = Stream.of(rules).map(NetworkRule::parse).toList();
        if (scheduler.clock() != clock) {
            throw new IllegalArgumentException("the clock is not that of the scheduler, which moves another one");
        }
        final Set<String> texts = new HashSet<>();
        for (final String rule : rules) {
            if (!texts.add(rule)) {
                throw new IllegalArgumentException(
                        "a rule is there twice, and the second would never be hit: '" + rule + "'");
            }
        }
    }

    /**
     * Sets what happens by chance to messages that are sent from now on.
     *
     * @param newConditions for all ways.
     */
    public void conditions(final NetworkConditions newConditions) {
        conditions = Objects.requireNonNull(newConditions, "newConditions");
    }

    /**
     * Starts a node, or puts another one in its place.
     *
     * @param node number of it, at least 0.
     * @param handler takes its messages.
     */
    public void listen(final int node, final MessageHandler handler) {
        refuseNegative(node);
        nodes.put(node, Objects.requireNonNull(handler, "handler"));
    }

    /**
     * Stops a node: what arrives there is lost until somebody listens again. What it has sent is under way.
     *
     * @param node number of it.
     */
    public void stop(final int node) {
        refuseNegative(node);
        nodes.remove(node);
    }

    /**
     * Sends a copy of some bytes. Nobody is told whether they arrive.
     *
     * @param from node that sends.
     * @param to node that may receive.
     * @param buffer with the message.
     * @param index of its first byte.
     * @param length of it.
     * @throws IllegalArgumentException if the buffer does not hold them, or a node is below 0.
     */
    public void send(final int from, final int to, final DirectBuffer buffer, final int index, final int length) {
        final Way way = way(from, to);
        if (index < 0 || length < 0 || index > buffer.capacity() - length) {
            throw new IllegalArgumentException(
                    length + " bytes from " + index + " on, of a buffer of " + buffer.capacity());
        }
        final Sent sent = ways.computeIfAbsent(way, none -> new Sent());
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        final Message message = new Message(++sent.count, new UnsafeBuffer(bytes));
        final NetworkRule rule = rule(way);
        final Fate fate = rule == null ? byChance() : rule.fate();
        scheduler
                .trace()
                .add("send " + way + " #" + message.number + " " + length + " bytes "
                        + Long.toHexString(new Image(bytes, length).hash()));
        if (fate == Fate.LOST || cuts.contains(way)) {
            lose(way, message);
            return;
        }
        carry(way, sent, message, rule == null ? 0 : rule.lateMs());
        if (fate == Fate.TWICE) {
            carry(way, sent, message, 0);
        }
    }

    /**
     * Cuts one way. The way back is another one.
     *
     * @param from node whose messages are lost.
     * @param to node that does not get them.
     */
    public void cut(final int from, final int to) {
        if (cuts.add(way(from, to))) {
            scheduler.trace().add("cut " + from + ">" + to);
        }
    }

    /**
     * Cuts both ways between two groups of nodes; within a group nothing changes.
     *
     * @param one group.
     * @param other group.
     */
    public void partition(final List<Integer> one, final List<Integer> other) {
        for (final int a : one) {
            for (final int b : other) {
                if (a == b) {
                    throw new IllegalArgumentException("node " + a + " is on both sides of " + one + " and " + other);
                }
                cut(a, b);
                cut(b, a);
            }
        }
    }

    /**
     * Mends one way, if it is cut.
     *
     * @param from node whose messages come through again.
     * @param to node that gets them.
     */
    public void heal(final int from, final int to) {
        if (cuts.remove(way(from, to))) {
            scheduler.trace().add("heal " + from + ">" + to);
        }
    }

    /** Mends all ways that are cut. */
    public void heal() {
        cuts.clear();
        scheduler.trace().add("heal");
    }

    /**
     * Rules whose message did not come, or was lost by a cut.
     *
     * @return the rules as they were given.
     */
    public List<String> unused() {
        return rules.stream()
                .filter(rule -> !rule.hasHappened())
                .map(NetworkRule::toString)
                .toList();
    }

    private static Way way(final int from, final int to) {
        refuseNegative(from);
        refuseNegative(to);
        return new Way(from, to);
    }

    private static void refuseNegative(final int node) {
        if (node < 0) {
            throw new IllegalArgumentException("node " + node);
        }
    }

    /** The first rule that is hit; all of them count. */
    private @Nullable NetworkRule rule(final Way way) {
        NetworkRule hit = null;
        for (final NetworkRule rule : rules) {
            if (rule.hits(way.from, way.to) && hit == null) {
                hit = rule;
            }
        }
        // What a cut loses has no other fate.
        if (hit != null && !cuts.contains(way)) {
            hit.happens();
        }
        return hit;
    }

    private @Nullable Fate byChance() {
        final int lot = random.nextInt(ALL);
        if (lot < conditions.lost()) {
            return Fate.LOST;
        }
        return random.nextInt(ALL) < conditions.duplicated() ? Fate.TWICE : null;
    }

    private void carry(final Way way, final Sent sent, final Message message, final long lateMs) {
        final long nowMs = clock.elapsedMs();
        final long dueMs = SimulatedClock.sum(nowMs, SimulatedClock.sum(lateMs, delayMs()));
        if (random.nextInt(ALL) < conditions.reordered()) {
            scheduler.after(dueMs - nowMs, "arrive " + way, () -> arrive(way, message));
            return;
        }
        sent.lastDueMs = Math.max(sent.lastDueMs, dueMs);
        sent.inOrder.add(message);
        // Of two that are due at once the scheduler may take either: it brings the first that is on the way.
        scheduler.after(sent.lastDueMs - nowMs, "arrive " + way, () -> arrive(way, sent.inOrder.remove()));
    }

    /** Not by bounds of the source, whose arithmetic may differ from one JDK to the next. */
    private long delayMs() {
        final long span = conditions.delayMaxMs() - conditions.delayMinMs() + 1;
        return conditions.delayMinMs() + Math.floorMod(random.nextLong(), span);
    }

    private void arrive(final Way way, final Message message) {
        final MessageHandler handler = nodes.get(way.to);
        if (handler == null || cuts.contains(way)) {
            lose(way, message);
            return;
        }
        scheduler.trace().add("take " + way + " #" + message.number);
        // The copies of a message are not to share what a receiver may write to.
        final byte[] bytes = new byte[message.content.capacity()];
        message.content.getBytes(0, bytes);
        handler.received(way.from, new UnsafeBuffer(bytes));
    }

    private void lose(final Way way, final Message message) {
        scheduler.trace().add("lose " + way + " #" + message.number);
    }
}
