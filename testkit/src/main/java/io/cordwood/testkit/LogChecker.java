package io.cordwood.testkit;

import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.LogCheck;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens a log that a power cut has left as often as it takes to say whether it is what its {@link LogHistory} owes: the check of a
 * {@link CrashScenario} over one log without a data directory.
 *
 * <pre>
 *   LogHistory history = new LogHistory();
 *   LogChecker checker = new LogChecker("orders-0", history, (disk, recoveryPoint, states) -&gt; {
 *               LogBuilder builder = new LogBuilder(disk, "orders-0").guard(history).recoveryPoint(recoveryPoint);
 *               states.forEach(builder::state);
 *               return builder.open(nowMs);
 *           })
 *           .companion(MyIndexCheck::new)         // more checks of the structure after a clean close
 *           .state(MyTable::new, MyTable::entries); // a state that must be what a replay makes
 *   ... log.append, history.appending, log.flush, history.forced ...
 *   checker.check(disk.powerCut(PowerCut.random(random)));
 * </pre>
 *
 * <p>What it does: {@link LogExam} of a first recovery; a second recovery, which must find the same; a clean close, behind which the
 * structure must be sound and the files as one recovery and a clean close leave them; an open that trusts the close and finds the same. At each
 * open each derived state must be what a replay of all batches makes.
 *
 * <p>One thread's; keeps no memory between two checks, but for one that is made within another, where a {@link CrashExplorer} cuts the power of
 * recoveries: what the outer one's recovery has cut must not be there again.
 */
public final class LogChecker {
    private final String directory;
    private final LogHistory history;
    private final LogOpener opener;
    private final List<Function<? super Storage, ? extends LogCheck.Companion>> companions = new ArrayList<>();
    private final List<Watched<?>> watched = new ArrayList<>();

    /** What the recovery has left that is being checked now: nothing else may be there if the power is cut during the check. */
    private @Nullable LogExam recovered;

    /**
     * Creates a checker.
     *
     * @param directory of the log in the storage.
     * @param history of the log; its recovery point is what the log is opened with.
     * @param opener of the log.
     */
    public LogChecker(final String directory, final LogHistory history, final LogOpener opener) {
        this.directory = Objects.requireNonNull(directory, "directory");
        this.history = Objects.requireNonNull(history, "history");
        this.opener = Objects.requireNonNull(opener, "opener");
    }

    /**
     * Adds a check of the structure after a clean close, beside that of {@link LogCheck}.
     *
     * @param companion makes the check for a storage.
     * @return this.
     */
    public LogChecker companion(final Function<? super Storage, ? extends LogCheck.Companion> companion) {
        companions.add(Objects.requireNonNull(companion, "companion"));
        return this;
    }

    /**
     * Adds a derived state, which the opener is given at each open. What it knows must follow from the batches of the segments that are
     * there.
     *
     * @param <S> the state.
     * @param factory makes a state that is not restored yet, of a storage and the log's directory.
     * @param content of a state, to be compared by {@code equals}.
     * @return this.
     */
    public <S extends DerivedState> LogChecker state(
            final BiFunction<? super Storage, ? super String, ? extends S> factory,
            final Function<? super S, ?> content) {
        watched.add(new Watched<S>(factory, content));
        return this;
    }

    /**
     * Opens the log with its derived states, as the code under test does that goes on with it.
     *
     * @param disk that holds the log.
     * @param recoveryPoint to open it with.
     * @return the log, to be closed by the caller.
     */
    public Log open(final Storage disk, final long recoveryPoint) {
        return opener.open(disk, recoveryPoint, states(made(disk)));
    }

    /**
     * Checks what is left of a log. The disk is not as before then: recovered, closed cleanly and opened again, all of which may be cut in its
     * turn and checked anew.
     *
     * @param disk that nobody else uses.
     * @throws AssertionError with what was expected and what was found.
     */
    public void check(final SimulatedStorage disk) {
        check(disk, false);
    }

    /**
     * Checks what the death of the process alone has left of a log: all that was published too.
     *
     * @param disk that nobody else uses.
     * @throws AssertionError with what was expected and what was found.
     */
    public void checkKilled(final SimulatedStorage disk) {
        check(disk, true);
    }

    private void check(final SimulatedStorage disk, final boolean isKilled) {
        final SimulatedStorage other = disk.afterPowerCut(PowerCut.everything());
        open(other, history.recoveryPoint()).close();
        final List<LogExam> exams = new ArrayList<>();
        opened(disk, history.recoveryPoint(), log -> exams.add(new LogExam(log, history)))
                .closeUncleanly();
        final LogExam exam = exams.get(0);
        if (isKilled) {
            exam.requirePublished();
        }
        final LogExam outer = recovered;
        if (outer != null) {
            exam.requireNothingBut(outer);
        }
        recovered = exam;
        try {
            opened(disk, history.recoveryPoint(), log -> exam.requireSame(log, "a second recovery"))
                    .close();
            DiskExam.requireSameFiles(disk, other, "two recoveries and a close, and one and a close");
            DiskExam.requireSound(
                    disk,
                    directory,
                    companions.stream().map(companion -> companion.apply(disk)).toList());
            opened(disk, Long.MAX_VALUE, log -> exam.requireSame(log, "a clean close"))
                    .closeUncleanly();
        } finally {
            recovered = outer;
        }
    }

    private Log opened(final Storage disk, final long recoveryPoint, final Consumer<Log> exam) {
        final List<Made<?>> made = made(disk);
        final Log log = opener.open(disk, recoveryPoint, states(made));
        try {
            exam.accept(log);
            made.forEach(state -> state.requireReplayed(disk, directory, log));
            return log;
        } catch (final RuntimeException | Error e) {
            log.closeUncleanly();
            throw e;
        }
    }

    private List<Made<?>> made(final Storage disk) {
        final List<Made<?>> made = new ArrayList<>();
        watched.forEach(state -> made.add(state.made(disk, directory)));
        return made;
    }

    private static List<DerivedState> states(final List<Made<?>> made) {
        return made.stream().<DerivedState>map(Made::state).toList();
    }

    /** A kind of state. */
    private record Watched<S extends DerivedState>(
            BiFunction<? super Storage, ? super String, ? extends S> factory, Function<? super S, ?> content) {
        Made<S> made(final Storage disk, final String directory) {
            return new Made<>(this, factory.apply(disk, directory));
        }
    }

    /** A state of one open. */
    private record Made<S extends DerivedState>(Watched<S> of, S state) {
        void requireReplayed(final Storage disk, final String directory, final Log log) {
            DiskExam.requireReplayed(disk, directory, log, state, of.factory, of.content);
        }
    }
}
