package io.cordwood.testkit;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.agrona.collections.LongHashSet;
import org.jspecify.annotations.Nullable;

/** One run of a scenario with all its cuts: what was seen already, what was counted, and the failure that ends it. */
final class CrashRun {
    private static final int ACTS_SHOWN = 8;

    private final CrashPlan plan;
    private final CrashScenario scenario;
    private final List<String> expectedActs;
    private final LongHashSet distinct = new LongHashSet();

    /** By depth: what was checked there, and cut that often from there on. */
    private final List<LongHashSet> checked = new ArrayList<>();

    /** By depth: what may be cut that often from there on and has not been. */
    private final List<LongHashSet> uncut = new ArrayList<>();

    /** By depth: what was cut there, whatever was promised. */
    private final List<LongHashSet> cut = new ArrayList<>();

    private final List<CrashTarget> targets;
    private long promises;
    private long points;

    /** By the disk's own count. */
    private long diskActs;

    private long states;
    private long checks;
    private long tears;
    private long nestedPoints;
    private long nestedStates;
    private long nestedActs;
    private long cutChecks;
    private @Nullable AssertionError failure;

    /** What is pending where a state was named that there is not. */
    private String missing = "";

    CrashRun(
            final CrashPlan plan,
            final CrashScenario scenario,
            final List<String> expectedActs,
            final List<CrashTarget> targets) {
        this.plan = plan;
        this.scenario = scenario;
        this.expectedActs = expectedActs;
        this.targets = targets;
        for (int depth = 0; depth <= plan.nestedDepth(); depth++) {
            checked.add(new LongHashSet());
            uncut.add(new LongHashSet());
            cut.add(new LongHashSet());
        }
    }

    CrashReport walk(final long nowMs) {
        final Walk walk = new Walk(0, plan.seed(), null);
        final SimulatedStorage disk = new SimulatedStorage(() -> nowMs, walk);
        walk.begun(disk);
        promises = scenario.promises();
        try {
            scenario.run(disk);
            walk.end();
        } catch (final RuntimeException | Error e) {
            // What the code under test makes of a failure of ours on its way out is nothing to be judged.
            rethrowFailure();
            throw e;
        }
        rethrowFailure();
        if (diskActs != expectedActs.size() || points != diskActs + 1) {
            throw new IllegalStateException(plan.name() + ": " + expectedActs.size() + " acts in the first run, "
                    + diskActs + " in the second, cut at " + points + " points");
        }
        if (!targets.isEmpty() && checks == 0) {
            throw new IllegalArgumentException(plan.name() + " has no state "
                    + targets.stream().map(CrashTarget::toString).collect(Collectors.joining("/")) + missing);
        }
        return report();
    }

    private CrashReport report() {
        return new CrashReport(
                expectedActs.size(),
                points,
                states,
                distinct.size(),
                checks,
                tears,
                nestedPoints,
                nestedStates,
                nestedActs,
                cutChecks,
                uncut.stream().mapToLong(LongHashSet::size).sum());
    }

    private void rethrowFailure() {
        if (failure != null) {
            throw failure;
        }
    }

    private boolean isSampled(final long hash, final int oneIn) {
        return Long.remainderUnsigned(Image.mix(hash, plan.seed()), oneIn) == 0;
    }

    /** Whether the state was not checked yet, with as many cuts as are still to come. */
    private boolean isNews(final long hash, final int depth) {
        for (int d = 0; d < depth; d++) {
            if (checked.get(d).contains(hash)) {
                return false;
            }
        }
        return checked.get(depth).add(hash);
    }

    private void mayBeCut(final long hash, final int depth) {
        for (int d = 0; d <= depth; d++) {
            if (cut.get(d).contains(hash)) {
                return;
            }
        }
        uncut.get(depth).add(hash);
    }

    private void wasCut(final long hash, final int depth) {
        cut.get(depth).add(hash);
        for (int d = depth; d < uncut.size(); d++) {
            uncut.get(d).remove(hash);
        }
    }

    private void check(final SimulatedStorage disk, final Cut cut, final @Nullable Walk next) {
        check(cut, () -> {
            scenario.check(disk);
            if (next != null) {
                next.end();
            }
        });
    }

    private void checkKilled(final SimulatedStorage disk, final Cut cut) {
        check(cut, () -> scenario.checkKilled(disk));
    }

    private void check(final Cut cut, final Runnable check) {
        checks += targets.isEmpty() || cut.walk.depth + 1 == targets.size() ? 1 : 0;
        try {
            check.run();
        } catch (final RuntimeException | Error e) {
            if (failure == null && !(e instanceof VirtualMachineError)) {
                failure = failed(cut, e);
            }
            throw e;
        }
        rethrowFailure();
    }

    private AssertionError failed(final Cut cut, final Throwable cause) {
        final StringBuilder told = new StringBuilder(plan.name())
                .append(": ")
                .append(cause instanceof AssertionError ? cause.getMessage() : cause.toString());
        final StringBuilder target = new StringBuilder();
        tell(cut, told, target);
        told.append("\n  seed     ")
                .append(plan.seed())
                .append("\n  so far   ")
                .append(report())
                .append("\n  replay   ")
                .append(plan.replayCommand().apply(target.toString()));
        return new AssertionError(told.toString(), cause);
    }

    /** From the first cut to the last. */
    private void tell(final Cut cut, final StringBuilder told, final StringBuilder target) {
        final Cut before = cut.walk.origin;
        if (before != null) {
            tell(before, told, target);
            target.append('/');
        }
        target.append(cut.target);
        final List<String> acts = cut.walk.acts;
        told.append(before == null ? "\n  point    " : "\n  then, during the check, at point ")
                .append(cut.target.point())
                .append(before == null ? " of " + (expectedActs.size() + 1) : "")
                .append(": ")
                .append(cut.where)
                .append("\n  state    ")
                .append(cut.target.state())
                .append("\n    survived ")
                .append(cut.pending.words(cut.kept, true))
                .append("\n    lost     ")
                .append(cut.pending.words(cut.kept, false))
                .append("\n    the last acts: ")
                .append(String.join("; ", acts.subList(Math.max(0, acts.size() - ACTS_SHOWN), acts.size())));
    }

    /** One state at one point of a walk. */
    private static final class Cut {
        final Walk walk;
        final CrashTarget target;
        final String where;
        final PendingSet pending;
        final boolean[] kept;

        Cut(
                final Walk walk,
                final CrashTarget target,
                final String where,
                final PendingSet pending,
                final boolean[] kept) {
            this.walk = walk;
            this.target = target;
            this.where = where;
            this.pending = pending;
            this.kept = kept;
        }
    }

    /** The acts of one run or check, and the cuts in front of them. */
    private final class Walk implements DiskWatcher {
        private final int depth;
        private final long seed;

        /** The cut that led here; null for the scenario itself. */
        private final @Nullable Cut origin;

        private final List<String> acts = new ArrayList<>();
        private @Nullable SimulatedStorage life;
        private boolean isOn = true;
        private int lives;
        private long actsBefore;
        private long lastWrite;
        private long lastWritePromises = -1;

        Walk(final int depth, final long seed, final @Nullable Cut origin) {
            this.depth = depth;
            this.seed = seed;
            this.origin = origin;
        }

        @Override
        public void begun(final SimulatedStorage disk) {
            actsBefore = lives++ == 0 ? disk.actCount() : actsBefore;
            life = disk;
        }

        @Override
        public void before(final SimulatedStorage disk, final String act) {
            if (failure != null || !isOn) {
                return;
            }
            if (depth == 0) {
                requireExpected(act);
            }
            point(disk, "before '" + act + "'");
            acts.add(act);
        }

        void end() {
            if (failure == null && life != null) {
                point(life, "after the last act");
                // By the disk's own count, for who wants to know whether a point was left out.
                final long done = life.actCount() - actsBefore + lives - 1;
                if (depth == 0) {
                    diskActs = done;
                } else {
                    nestedActs += done;
                    cutChecks++;
                }
            }
        }

        private void requireExpected(final String act) {
            final String expected = acts.size() < expectedActs.size() ? expectedActs.get(acts.size()) : "no act";
            if (!act.equals(expected)) {
                throw new IllegalStateException(plan.name() + " does not do the same twice: act " + (acts.size() + 1)
                        + " was '" + expected + "', is '" + act + "'");
            }
        }

        private void point(final SimulatedStorage disk, final String where) {
            if (depth > 0) {
                nestedPoints++;
            } else {
                points++;
                if (scenario.promises() != promises) {
                    promises = scenario.promises();
                    checked.forEach(LongHashSet::clear);
                }
            }
            final int point = acts.size() + 1;
            if (!targets.isEmpty()) {
                if (depth < targets.size() && targets.get(depth).point() == point) {
                    lookAt(disk, targets.get(depth), where);
                }
                return;
            }
            final PendingSet pending = new PendingSet(disk.pending());
            final int random = depth == 0 ? plan.randomStates() : plan.nestedRandomStates();
            final int tearsEvery = depth == 0 && isNewWrite(disk, pending) ? plan.tearsEvery() : 0;
            for (final CrashState state : pending.states(depth <= plan.nestedFineDepth(), random, tearsEvery)) {
                look(disk, pending, new CrashTarget(point, state), where);
            }
            if (depth == 0) {
                look(disk, pending, new CrashTarget(point, CrashState.KILLED), where);
                plan.progress().accept(report());
            }
        }

        private void lookAt(final SimulatedStorage disk, final CrashTarget target, final String where) {
            final PendingSet pending = new PendingSet(disk.pending());
            if (pending.has(target.state())) {
                look(disk, pending, target, where);
            } else {
                missing =
                        ": at " + target.point() + " there are " + pending.size() + " changes of " + pending.actCount()
                                + " acts pending, the last write has " + pending.lastWriteBytes() + " bytes";
            }
        }

        /** Whether the last write is not the one of the point before: its tears are the same as long as nothing else is promised. */
        private boolean isNewWrite(final SimulatedStorage disk, final PendingSet pending) {
            if (plan.tearsEvery() == 0) {
                return false;
            }
            final CrashState whole = new CrashState('t', Integer.MAX_VALUE);
            final long hash = disk.afterPowerCut(pending.leaving(whole, pending.kept(whole, 0)))
                    .platterHash();
            final long key = Image.mix(hash, pending.lastWriteBytes());
            final boolean isNew = key != lastWrite || promises != lastWritePromises;
            lastWrite = key;
            lastWritePromises = promises;
            return isNew;
        }

        private void look(
                final SimulatedStorage disk, final PendingSet pending, final CrashTarget target, final String where) {
            final CrashState state = target.state();
            final long pointSeed = Image.mix(seed, target.point());
            final boolean[] kept = pending.kept(state, pointSeed);
            final Cut cut = new Cut(this, target, where, pending, kept);
            if (state.equals(CrashState.KILLED)) {
                checkKilled(disk.afterKill(), cut);
                return;
            }
            final Walk next = new Walk(depth + 1, Image.mix(pointSeed, state.kind() * 31L + state.number()), cut);
            final boolean mayBeCut = targets.isEmpty()
                    ? depth < plan.nestedDepth() && !state.isRandom() && !state.isTear()
                    : depth + 1 < targets.size();
            final Walk watcher = mayBeCut ? next : null;
            if (!targets.isEmpty()) {
                final SimulatedStorage left = disk.afterPowerCut(pending.leaving(state, kept), watcher);
                count(left.platterHash(), cut);
                check(left, cut, watcher);
                return;
            }
            // What nothing survives of is there already: most of those states were seen, and need not be made.
            final SimulatedStorage made =
                    state.equals(CrashState.NONE) ? null : disk.afterPowerCut(pending.leaving(state, kept), watcher);
            final long hash = made == null ? disk.platterHash() : made.platterHash();
            count(hash, cut);
            if (mayBeCut) {
                mayBeCut(hash, depth);
            }
            final boolean isCut = mayBeCut && isSampled(hash, plan.nestedOneIn());
            if ((state.isWhole() || isSampled(hash, plan.oneIn()))
                    && isNews(hash, isCut ? depth : plan.nestedDepth())) {
                next.isOn = isCut;
                check(
                        made == null ? disk.afterPowerCut(pending.leaving(state, kept), watcher) : made,
                        cut,
                        isCut ? next : null);
                if (isCut) {
                    wasCut(hash, depth);
                }
            }
        }

        private void count(final long hash, final Cut cut) {
            states++;
            if (distinct.add(hash)) {
                final boolean isTorn = cut.pending.isTorn(cut.target.state(), cut.kept);
                tears += isTorn ? 1 : 0;
                nestedStates += depth > 0 ? 1 : 0;
                plan.states().state(hash, depth, isTorn);
            }
        }
    }
}
