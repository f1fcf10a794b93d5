package io.cordwood.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/**
 * What happened in a simulation, as lines in their order. It owns a hash of all of them and keeps the last ones, for the message of a
 * check that fails. Two runs that have the same hash did the same; so must two runs with one seed, in any two JVMs.
 *
 * <p>Threads: one at a time.
 */
public final class SimulationTrace {
    private static final int LINES_KEPT = 200;
    private static final long OFFSET_BASIS = 0xCBF29CE484222325L;
    private static final long PRIME = 0x100000001B3L;

    private final Deque<String> last = new ArrayDeque<>();
    private long hash = OFFSET_BASIS;
    private long count;

    /** Creates an empty trace. */
    public SimulationTrace() {}

    /**
     * Adds a line. It must follow from the seed alone: no identity hash, no thread, no time of the real world.
     *
     * @param line without a line break.
     */
    public void add(final String line) {
        for (int i = 0; i < line.length(); i++) {
            hash = (hash ^ line.charAt(i)) * PRIME;
        }
        hash = (hash ^ '\n') * PRIME;
        count++;
        if (last.size() == LINES_KEPT) {
            last.remove();
        }
        last.add(line);
    }

    /**
     * Hash of all lines.
     *
     * @return the same for the same lines, in each JVM.
     */
    public long hash() {
        return hash;
    }

    /**
     * Counts the lines.
     *
     * @return all of them, those that are not kept any more as well.
     */
    public long count() {
        return count;
    }

    /**
     * The end of the trace.
     *
     * @return the last 200 lines, or as many as there are.
     */
    public List<String> last() {
        return List.copyOf(last);
    }

    /** One line: how many there are, and their hash in hexadecimal. */
    @Override
    public String toString() {
        return count + " lines, hash " + Long.toHexString(hash);
    }
}
