package io.cordwood.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Cuts the power of a {@link CrashScenario} at every act, and has it checked on every disk state that is worth a look.
 *
 * <pre>
 *   acts         1        2        3                       of the scenario, counted in a run of its own
 *   points   *        *        *        *                  before each act and after the last
 *            |        `-- states: none of what is pending, all, each beginning, each act and each change alone,
 *            |                    all but one, the last write torn within a sector, and some by a seed
 *            |                      `-- check, which recovers: acts, points, states, check ... as deep as is wished
 * </pre>
 *
 * <p>A change is a sector of 512 bytes, a length or a name, so a beginning may end inside an act: a write that is torn at each
 * edge of a sector, one name of several. Which changes are pending together is what {@link SimulatedStorage} allows. Disks that
 * hold the same names and contents are one state. It is checked once for each state of the promises, while the scenario stands
 * still in front of the act; nothing is run again for it.
 *
 * <pre>{@code
 *   CrashReport report = new CrashExplorer("orders", now, OrdersScenario::new).randomStates(16).explore();
 * }</pre>
 *
 * <p>One thread's; the scenario must act on the disk from that thread as well. Deterministic: the same scenario and settings give
 * the same states. Memory: 8 to 16 bytes for each distinct state and check.
 */
public final class CrashExplorer {
    /** Each deeper cut multiplies the states; nobody lives to see those of ten. */
    private static final int DEPTH_MAX = 10;

    /** What a name of a state can say, and a point remember. */
    private static final int RANDOM_MAX = 1_000_000;

    private final String name;
    private final long nowMs;
    private final Supplier<? extends CrashScenario> scenarios;
    private long seed;
    private int randomStates = 16;
    private int tearsEvery;
    private int nestedDepth;
    private int nestedRandomStates;
    private int nestedFineDepth;
    private int oneIn = 1;
    private int nestedOneIn = 1;
    private CrashStateWatcher states = (hash, cuts, isTorn) -> {};
    private Consumer<CrashReport> progress = report -> {};
    private UnaryOperator<String> replayCommand = state -> "CrashExplorer.replay(\"" + state + "\")";

    /**
     * Creates an explorer that cuts no recovery and tries 16 random states at each point.
     *
     * @param name of the scenario, for messages.
     * @param nowMs the time on the disk, which stands still.
     * @param scenarios that makes the scenario anew for each run.
     */
    public CrashExplorer(final String name, final long nowMs, final Supplier<? extends CrashScenario> scenarios) {
        this.name = Objects.requireNonNull(name, "name");
        this.nowMs = nowMs;
        this.scenarios = Objects.requireNonNull(scenarios, "scenarios");
    }

    /**
     * Sets what the random states follow from.
     *
     * @param newSeed any number.
     * @return this.
     */
    public CrashExplorer seed(final long newSeed) {
        seed = newSeed;
        return this;
    }

    /**
     * Sets how many random states are tried at each point.
     *
     * @param count at least 0, at most a million.
     * @return this.
     */
    public CrashExplorer randomStates(final int count) {
        randomStates = within(0, count, RANDOM_MAX, "random states");
        return this;
    }

    /**
     * Tears the last write of each point within its sectors too, as a disk does that is worse than most, and an operating system that
     * was interrupted: with the length of the file that the write gives it, and ending at the tear.
     *
     * @param bytes from one tear to the next; 1 for every byte, 0 for none.
     * @return this.
     */
    public CrashExplorer tearsEvery(final int bytes) {
        tearsEvery = within(0, bytes, Integer.MAX_VALUE, "bytes between tears");
        return this;
    }

    /**
     * Cuts the power of the checks as well: for each state that is no random one, at each act of its check. There the states are
     * those of whole acts, random ones, and what {@link #nestedFine} adds.
     *
     * @param depth how often recoveries are cut before one may end: 0 for not at all, 2 for the recovery after a cut recovery too, at most 10.
     * @param randomCount of random states at each point of a check; 0 if there are no such points.
     * @return this.
     */
    public CrashExplorer nested(final int depth, final int randomCount) {
        within(0, depth, DEPTH_MAX, "depth");
        nestedRandomStates = within(0, randomCount, depth == 0 ? 0 : RANDOM_MAX, "random states in checks");
        nestedDepth = depth;
        return this;
    }

    /**
     * Takes the states of single changes inside checks too, and cuts their recoveries like all others: a sector of what a recovery
     * has written that is lost by itself.
     *
     * @param depth in checks that were cut up to so often: 0 for none, 1 for the recovery that follows the scenario. Not more than
     *     {@link #nested} cuts.
     * @return this.
     */
    public CrashExplorer nestedFine(final int depth) {
        nestedFineDepth = within(0, depth, DEPTH_MAX, "depth");
        return this;
    }

    /**
     * Takes a sample: the points stay, of the distinct states one in so many is checked, by its hash and the seed.
     *
     * @param states 1 for all.
     * @param nested the same for the states that are cut once more, which {@link #nested} asks for; 1 if it does not.
     * @return this.
     */
    public CrashExplorer oneIn(final int states, final int nested) {
        oneIn = within(1, states, Integer.MAX_VALUE, "one in");
        nestedOneIn = within(1, nested, Integer.MAX_VALUE, "one in");
        return this;
    }

    /**
     * Counts the states over several explorations.
     *
     * @param watcher is told of each.
     * @return this.
     */
    public CrashExplorer states(final CrashStateWatcher watcher) {
        states = Objects.requireNonNull(watcher, "watcher");
        return this;
    }

    /**
     * Watches the exploration.
     *
     * @param watcher called after each point with what has been looked at.
     * @return this.
     */
    public CrashExplorer progress(final Consumer<CrashReport> watcher) {
        progress = Objects.requireNonNull(watcher, "watcher");
        return this;
    }

    /**
     * Tells how a state is replayed, for messages.
     *
     * @param command makes a command of what {@link #replay} takes.
     * @return this.
     */
    public CrashExplorer replayedBy(final UnaryOperator<String> command) {
        replayCommand = Objects.requireNonNull(command, "command");
        return this;
    }

    /**
     * Runs the scenario and checks every state.
     *
     * @return what was looked at.
     * @throws AssertionError at the first state that fails its check: with the scenario, the point, what survived, the seed, the last
     *     acts and a command that replays it.
     * @throws IllegalStateException if the scenario does no act, or not the same ones twice; or if the settings contradict each other.
     */
    public CrashReport explore() {
        return walk(List.of());
    }

    /**
     * Runs the scenario and checks one state, one that the settings leave out as well.
     *
     * @param state as a failure names it, such as {@code 37-p4} or, with a cut of its recovery, {@code 37-p4/12-n}.
     * @return what was looked at.
     * @throws AssertionError if the state fails its check.
     * @throws IllegalArgumentException if there is no such state.
     */
    public CrashReport replay(final String state) {
        final List<CrashTarget> targets = new ArrayList<>();
        for (final String part : state.split("/", -1)) {
            targets.add(CrashTarget.parse(part));
        }
        return walk(targets);
    }

    private CrashReport walk(final List<CrashTarget> targets) {
        refuseContradictions();
        final CrashPlan plan = new CrashPlan(
                name,
                seed,
                randomStates,
                tearsEvery,
                nestedDepth,
                nestedRandomStates,
                nestedFineDepth,
                oneIn,
                nestedOneIn,
                states,
                progress,
                replayCommand);
        final List<String> acts = new ArrayList<>();
        final CrashScenario first = scenarios.get();
        first.run(new SimulatedStorage(() -> nowMs, new DiskWatcher() {
            @Override
            public void before(final SimulatedStorage disk, final String act) {
                acts.add(act);
            }

            @Override
            public void begun(final SimulatedStorage disk) {}
        }));
        if (acts.isEmpty()) {
            throw new IllegalStateException(name + " does not act on its disk, so there is nothing to cut");
        }
        final CrashScenario second = scenarios.get();
        if (second == first) {
            throw new IllegalStateException(
                    name + ": each run needs a scenario of its own, and the same one was given twice");
        }
        return new CrashRun(plan, second, acts, targets).walk(nowMs);
    }

    private void refuseContradictions() {
        if (nestedFineDepth > nestedDepth) {
            throw new IllegalStateException(name + ": single changes in checks that were cut " + nestedFineDepth
                    + " times, but they are cut " + nestedDepth + " times");
        }
        if (nestedOneIn > 1 && nestedDepth == 0) {
            throw new IllegalStateException(name + ": one in " + nestedOneIn + " checks is to be cut, but none is");
        }
    }

    private static int within(final int least, final int value, final int most, final String what) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    what + " is " + value + ", but the least is " + least + " and the most " + most);
        }
        return value;
    }
}
