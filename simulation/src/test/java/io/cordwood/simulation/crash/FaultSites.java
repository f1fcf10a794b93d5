package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.Tally;
import io.cordwood.testkit.FaultyStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A disk that fails at each act of a log's life in turn, once or for good. Where it may fail is found by a life without a failure, so
 * that no act is left out.
 */
public final class FaultSites {
    /** Acts that need room. */
    private static final List<String> FULL = List.of("open", "rename", "make", "lock", "claim", "publish");

    private static final List<String> SHORT = List.of("publish", "send", "view");

    /** Less than the length of a batch takes, and a little more than its header. */
    private static final List<Integer> SHORT_BYTES = List.of(7, 70);

    private FaultSites() {}

    /** One life on a disk that fails. */
    interface Subject {
        void live();

        /** What is owed on what is left. */
        void finish(long seed);

        FaultyStorage storage();

        /** How many failures were told to whoever used it. */
        int failures();

        /** Whether it gave up before its end. */
        boolean isOver();
    }

    /** Makes one that meets a rule. */
    @FunctionalInterface
    interface Maker {
        Subject make(String rule);
    }

    /** What lives. */
    enum Kind {
        LOG {
            @Override
            Subject make(final boolean isMapped, final boolean endsAtFailedForce, final String... rules) {
                final FaultLife life = new FaultLife(isMapped, rules);
                return endsAtFailedForce ? life.endingAtFailedForce() : life;
            }
        },
        DIRECTORY {
            @Override
            Subject make(final boolean isMapped, final boolean endsAtFailedForce, final String... rules) {
                return new DirectoryFaultLife(isMapped, endsAtFailedForce, rules);
            }
        };

        abstract Subject make(boolean isMapped, boolean endsAtFailedForce, String... rules);
    }

    /**
     * Lists the campaigns.
     *
     * @return one for each goal and store; a round is complete, the seed picks what power cuts leave at the end.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> all = new ArrayList<>();
        for (final Kind kind : Kind.values()) {
            for (final boolean isMapped : new boolean[] {false, true}) {
                final String name = store(kind, isMapped);
                all.add(Campaign.of(
                        "G6",
                        "force/" + name,
                        (seed, tally) -> play(kind, isMapped, ofForces(kind, isMapped), seed, tally)));
                all.add(Campaign.of(
                        "G7",
                        "disk/" + name,
                        (seed, tally) -> play(kind, isMapped, ofActs(kind, isMapped), seed, tally)));
            }
        }
        return all;
    }

    private static String store(final Kind kind, final boolean isMapped) {
        return (kind == Kind.LOG ? "" : "directory/") + (isMapped ? "mapped" : "channel");
    }

    /** Plays the round of a campaign, as a build does. */
    static void sample(
            final String campaign,
            final Kind kind,
            final boolean isMapped,
            final List<String> rules,
            final long seed,
            final Tally tally) {
        Sample.of(campaign + store(kind, isMapped), seed, tally, (s, t) -> play(kind, isMapped, rules, s, t));
    }

    /** G6: each force fails, once, for good, or loses what it was to force. */
    static List<String> ofForces(final Kind kind, final boolean isMapped) {
        final List<String> rules = new ArrayList<>();
        counts(kind, isMapped).forEach((act, count) -> {
            for (int n = 1; n <= count; n++) {
                if (act.equals("force")) {
                    rules.add("force * " + n + " eio");
                    rules.add("force * " + n + "+ eio");
                    rules.add("force * " + n + " lost");
                } else if (act.equals("sync")) {
                    rules.add("sync * " + n + " eio");
                    rules.add("sync * " + n + "+ eio");
                }
            }
        });
        return rules;
    }

    /** G7: each act fails in each way that it can. */
    static List<String> ofActs(final Kind kind, final boolean isMapped) {
        final List<String> rules = new ArrayList<>();
        int acts = 0;
        int growing = 0;
        for (final Map.Entry<String, Integer> entry : counts(kind, isMapped).entrySet()) {
            final String act = entry.getKey();
            for (int n = 1; n <= entry.getValue(); n++) {
                if (!act.equals("claim")) {
                    rules.add(act + " * " + n + " eio");
                }
                if (FULL.contains(act)) {
                    rules.add(act + " * " + n + " enospc");
                }
                if (SHORT.contains(act)) {
                    for (final int bytes : SHORT_BYTES) {
                        rules.add(act + " * " + n + " short=" + bytes);
                    }
                    rules.add(act + " * " + n + "+ short=" + SHORT_BYTES.get(0));
                }
            }
            acts += act.equals("claim") ? 0 : entry.getValue();
            growing += FULL.contains(act) ? entry.getValue() : 0;
        }
        for (int n = 1; n <= acts; n++) {
            rules.add("* * " + n + "+ eio");
        }
        for (int n = 1; n <= growing; n++) {
            rules.add("* * " + n + "+ enospc");
        }
        return rules;
    }

    /** Lives once with each rule. */
    static void play(
            final Kind kind, final boolean isMapped, final List<String> rules, final long seed, final Tally tally) {
        play(rule -> kind.make(isMapped, rule.endsWith(" lost"), rule), rules, seed, tally);
    }

    /** Lives once with each rule; each has to be told, unless silence is right at each act that it hit. */
    static void play(final Maker maker, final List<String> rules, final long seed, final Tally tally) {
        final List<String> wrong = new ArrayList<>();
        int idle = 0;
        for (int i = 0; i < rules.size(); i++) {
            final String rule = rules.get(i);
            final Subject life = maker.make(rule);
            try {
                life.live();
                requireToTheEnd(life, rule);
                life.finish(seed + i);
                if (!life.storage().unused().isEmpty()) {
                    requireLookWithoutMore(life, rule);
                    tally.add("looks that had no more to show", 1);
                    idle++;
                    continue;
                }
                final List<PlantedFault> planted =
                        PlantedFault.in(life.storage().trace());
                if (life.failures() == 0) {
                    planted.forEach(fault -> tally.add("not told, " + fault.requireSilence(), 1));
                }
                tally.add("faults injected", planted.size());
                tally.add("faults told", life.failures());
            } catch (final RuntimeException | AssertionError e) {
                final List<String> trace = life.storage().trace();
                wrong.add(rule + ": " + e + "\n  after " + trace.subList(Math.max(0, trace.size() - 6), trace.size()));
            }
        }
        if (!wrong.isEmpty()) {
            throw new AssertionError(wrong.size() + " of " + rules.size() + ":\n" + String.join("\n", wrong));
        }
        tally.add("sites", rules.size() - idle);
    }

    /** The act came, and there was no more to be shown or sent than a short act does; nothing failed then. */
    private static void requireLookWithoutMore(final Subject life, final String rule) {
        assertTrue(rule.matches("(view|send) .* short=\\d+"), () -> "the act did not come: " + rule);
        final int met = PlantedFault.in(life.storage().trace()).size();
        assertTrue(rule.contains("+ ") ? met > 0 : met == 1, () -> rule + " was met " + met + " times");
        assertEquals(0, life.failures(), rule);
    }

    /** Only a disk that is broken for good, or a machine that has to stop, ends a life early. */
    private static void requireToTheEnd(final Subject life, final String rule) {
        if (life.isOver() && !rule.contains("+ ") && !rule.endsWith(" lost")) {
            throw new AssertionError("given up, though the disk failed once");
        }
    }

    /** How often each act is done if nothing fails. */
    private static Map<String, Integer> counts(final Kind kind, final boolean isMapped) {
        final Subject sound = kind.make(isMapped, false);
        sound.live();
        final FaultyStorage storage = sound.storage();
        final Map<String, Integer> counts = new TreeMap<>();
        for (final String line : storage.trace()) {
            counts.merge(line.substring(0, line.indexOf(' ')), 1, Integer::sum);
        }
        assertEquals(0, sound.failures());
        sound.finish(0);
        return counts;
    }
}
