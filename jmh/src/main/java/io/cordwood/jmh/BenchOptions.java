package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * The command line.
 *
 * @param isCount whether work of ours is counted and held against bounds, and nothing compared.
 * @param isQuick whether a few minutes must do: the figures are then good for a first look and no more.
 * @param rounds how often everything is measured; of more than one, the first is dropped.
 * @param seed from which everything random is drawn.
 * @param parts classes of an integrator by the parameter of {@link Parts} that they are for.
 * @param groups that are to be measured; empty for all.
 */
record BenchOptions(
        boolean isCount, boolean isQuick, int rounds, long seed, Map<String, String> parts, List<String> groups) {
    private static final int ROUNDS = 3;
    private static final int ROUNDS_QUICK = 2;

    /** A command line that cannot be understood. */
    static final class UsageException extends Exception {
        private static final long serialVersionUID = 1;

        UsageException(final String message) {
            super(message);
        }
    }

    /**
     * Reads the command line.
     *
     * @param args of the process.
     * @return what it says.
     * @throws UsageException if it names something that is not there.
     */
    static BenchOptions parse(final String... args) throws UsageException {
        boolean isCount = false;
        boolean isQuick = false;
        int rounds = 0;
        long seed = Seed.DEFAULT;
        final Map<String, String> parts = new TreeMap<>();
        final List<String> groups = new ArrayList<>();
        final Set<String> known = new TreeSet<>();
        Catalog.comparisons().forEach(row -> known.add(row.group()));
        for (final String arg : args) {
            if (arg.equals("--count")) {
                isCount = true;
            } else if (arg.equals("--quick")) {
                isQuick = true;
            } else if (arg.startsWith("--rounds=")) {
                rounds = positive(arg.substring("--rounds=".length()));
            } else if (arg.startsWith("--seed=")) {
                seed = seed(arg.substring("--seed=".length()));
            } else if (arg.startsWith("--storage=") || arg.startsWith("--codecs=")) {
                final int equals = arg.indexOf('=');
                parts.put(arg.substring("--".length(), equals), arg.substring(equals + 1));
            } else if (known.contains(arg)) {
                groups.add(arg);
            } else {
                throw new UsageException("unknown: " + arg
                        + "\nusage: bin/bench [--quick] [--rounds=N] [--seed=N] [--storage=CLASS] [--codecs=CLASS+...]"
                        + " [GROUP...]\n"
                        + "       bin/bench --count [--seed=N] [--storage=CLASS] [--codecs=CLASS+...] [GROUP...]\n"
                        + "groups: "
                        + String.join(" ", known) + "\nbin/bench --jmh ARGS... hands the arguments to JMH");
            }
        }
        if (isCount) {
            requireCounted(isQuick || rounds > 0, groups);
        }
        return new BenchOptions(
                isCount,
                isQuick,
                rounds > 0 ? rounds : isQuick ? ROUNDS_QUICK : ROUNDS,
                seed,
                Map.copyOf(parts),
                List.copyOf(groups));
    }

    private static void requireCounted(final boolean isTimed, final List<String> groups) throws UsageException {
        if (isTimed) {
            throw new UsageException("--count runs a fixed number of operations: it takes no --quick and no --rounds");
        }
        final Set<String> counted = new TreeSet<>();
        CountRows.all().forEach(row -> counted.add(row.group()));
        for (final String group : groups) {
            if (!counted.contains(group)) {
                throw new UsageException("nothing is counted in " + group + ", but in " + String.join(" ", counted));
            }
        }
    }

    private static long seed(final String digits) throws UsageException {
        if (!digits.matches("-?[0-9]{1,18}")) {
            throw new UsageException("--seed takes a number of at most 18 digits, not " + digits);
        }
        return Long.parseLong(digits);
    }

    private static int positive(final String digits) throws UsageException {
        if (!digits.matches("[1-9][0-9]{0,2}")) {
            throw new UsageException("--rounds takes a number from 1 to 999, not " + digits);
        }
        return Integer.parseInt(digits);
    }

    boolean includes(final Comparison row) {
        return (row.isInQuick() || !isQuick) && (groups.isEmpty() || groups.contains(row.group()));
    }

    /** What is measured for a row; a quick run leaves out floors that no goal depends on, and peers that only keep its pace. */
    List<Subject> subjects(final Comparison row) {
        final List<Subject> measured = new ArrayList<>(row.subjects());
        final Comparison.Floor floor = row.floor();
        if (isQuick && floor != null && !floor.hasGoal()) {
            measured.remove(floor.subject());
        }
        if (isQuick && row.peak() != null) {
            row.peers().stream().filter(peer -> !peer.hasGoal()).forEach(peer -> measured.remove(peer.subject()));
        }
        return measured;
    }

    /** An open of 1,000 partitions takes so many until the compiler is done. */
    int warmUps() {
        return isQuick ? 3 : 8;
    }

    int iterations() {
        return isQuick ? 3 : 5;
    }

    int warmUpMs() {
        return isQuick ? 400 : 1_000;
    }

    int iterationMs() {
        return isQuick ? 400 : 500;
    }
}
