package io.cordwood.testkit;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.FaultRule.Outcome;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Another storage, simulated or real, whose acts are told and fail by rule. It owns the rules and the trace; the files are the other
 * storage's.
 *
 * <p>A rule is one line of four words: the act, the path with {@code *} for any part of it, which of the acts that match, and what
 * happens to it. If several match, the first that is hit counts:
 *
 * <pre>
 *   force *.log 2 eio          the second force of a segment fails; what it should have forced is not forced
 *   force *.log 2 lost         it fails and never will be: a second try has nothing to write and succeeds
 *   claim t-0/*.log 3+ enospc  from the third on every claim finds the disk full
 *   * * 7+ enospc              the disk is full from the seventh act on that needs room
 *   publish *.log 1 short=100  100 bytes reach the file, then the write fails
 *   view *.log 1 short=100     100 bytes are shown
 *   send *.log 1 short=100     100 bytes are sent
 *   sync t-0 1 dropped         the directory is not synced, and nobody is told
 *   force * 3+ slow=2000       from the third on every force takes two seconds
 * </pre>
 *
 * <p>Acts are {@code list} (also of one entry), {@code open}, {@code rename} (by its old path), {@code delete}, {@code make},
 * {@code remove}, {@code sync}, {@code lock}, {@code claim}, {@code publish}, {@code view}, {@code send}, {@code truncate},
 * {@code force}, {@code close}; a star stands for each of them that can end so. A file is known by the path that it was opened
 * under, the root by a dot. A close that fails has closed the file; any other act that fails was not done, but for {@code short}.
 * {@code lost} needs a {@link SimulatedStorage}, and {@code slow} somebody who lets the time pass. {@link #rules} makes rules from
 * a seed.
 *
 * <p>Threads: any, as the other storage allows; one lock guards rules and trace, and no act is done under it.
 */
public final class FaultyStorage implements Storage {
    private static final int SHORT_BYTES_MOST = 1000;

    private final Storage disk;
    private final @Nullable LongConsumer delay;
    private final List<FaultRule> rules;
    private final List<Told> trace = new ArrayList<>();

    /** What is open, by the line that tells of it; under the lock of the trace. */
    private final IdentityHashMap<AutoCloseable, String> open = new IdentityHashMap<>();

    private record Told(Act act, String line) {}

    /**
     * Puts faults before a storage.
     *
     * @param disk does what does not fail; closed with this.
     * @param rules faults to come, none for a trace alone.
     * @throws IllegalArgumentException if a rule makes no sense or is there twice; the message tells why.
     */
    public FaultyStorage(final Storage disk, final String... rules) {
        this(disk, null, List.of(rules));
    }

    /**
     * Puts faults before a storage, slow acts among them.
     *
     * @param disk does what does not fail; closed with this.
     * @param delay lets so many milliseconds pass before a slow act is done, such as {@code SimulatedClock::advance}; called by the
     *     thread that asked for the act, under no lock.
     * @param rules faults to come.
     * @throws IllegalArgumentException if a rule makes no sense or is there twice; the message tells why.
     */
    public FaultyStorage(final Storage disk, final LongConsumer delay, final String... rules) {
        this(disk, Objects.requireNonNull(delay, "delay"), List.of(rules));
    }

    private FaultyStorage(final Storage disk, final @Nullable LongConsumer delay, final List<String> rules) {
        this.disk = Objects.requireNonNull(disk, "disk");
        this.delay = delay;
        this.rules = rules.stream().map(FaultRule::parse).toList();
        final Set<String> texts = new HashSet<>();
        for (final FaultRule rule : this.rules) {
            if (!texts.add(rule.toString())) {
                throw new IllegalArgumentException(
                        "a rule is there twice, and the second would never be hit: '" + rule + "'");
            }
            if (rule.outcome() == Outcome.LOST && !(disk instanceof SimulatedStorage)) {
                throw new IllegalArgumentException(
                        "only a SimulatedStorage can lose what it should force: '" + rule + "'");
            }
            if (rule.outcome() == Outcome.SLOW && delay == null) {
                throw new IllegalArgumentException("nobody was given who lets the time pass: '" + rule + "'");
            }
        }
    }

    /**
     * Makes rules from a seed, as text, so that what a seed found can be read and made smaller by hand.
     *
     * @param seed of the choice; the same gives the same rules, in each JVM.
     * @param count of the rules, all different: at most {@code nthMost} for each kind of act.
     * @param nthMost largest n of a rule: about as many acts of one kind as the code under test does.
     * @return rules whose faults every storage has and tells of: neither {@code lost}, {@code dropped} nor {@code slow}.
     */
    public static String[] rules(final long seed, final int count, final int nthMost) {
        final Act[] acts = Act.values();
        if (count < 1 || nthMost < 1 || count / acts.length >= nthMost) {
            throw new IllegalArgumentException(count + " rules, up to " + nthMost + " acts");
        }
        final Random random = new Random(seed);
        final List<Outcome> outcomes = List.of(Outcome.EIO, Outcome.ENOSPC, Outcome.SHORT);
        final Set<String> made = new LinkedHashSet<>();
        while (made.size() < count) {
            final Act act = acts[random.nextInt(acts.length)];
            final List<Outcome> fitting =
                    outcomes.stream().filter(outcome -> outcome.fits(act)).toList();
            final Outcome outcome = fitting.get(random.nextInt(fitting.size()));
            final String nth = (1 + random.nextInt(nthMost)) + (random.nextInt(4) == 0 ? "+" : "");
            final String amount = outcome == Outcome.SHORT ? "=" + random.nextInt(SHORT_BYTES_MOST) : "";
            made.add(act.word() + " * " + nth + " " + outcome.word() + amount);
        }
        return made.toArray(String[]::new);
    }

    /**
     * What was done or tried, looks included, since the storage was made.
     *
     * @return a line for each act: its word, the path, for some more; and what was planted there, if something was.
     */
    public List<String> trace() {
        synchronized (trace) {
            return trace.stream().map(Told::line).toList();
        }
    }

    /**
     * What was done or tried that changes the disk or makes it durable, so that a missing force is a visible difference.
     *
     * @return the lines of {@link #trace} but for {@code list}, {@code claim}, {@code view} and {@code send}.
     */
    public List<String> changes() {
        synchronized (trace) {
            return trace.stream()
                    .filter(told -> !told.act.isLook())
                    .map(Told::line)
                    .toList();
        }
    }

    /**
     * Rules whose act did not come, or had no more to do than a short one does, so that a test can tell that its fault took place.
     *
     * @return the rules as they were given.
     */
    public List<String> unused() {
        synchronized (trace) {
            return rules.stream()
                    .filter(rule -> !rule.hasHappened())
                    .map(FaultRule::toString)
                    .toList();
        }
    }

    /**
     * What is open at the moment, so that a test can tell that a failure leaves nothing open.
     *
     * @return the line of {@link #trace} for each file and lock that was given out and not closed, sorted.
     */
    public List<String> leftOpen() {
        synchronized (trace) {
            return open.values().stream().sorted().toList();
        }
    }

    @Override
    public List<FileStatus> list(final String directory) {
        refuse(Act.LIST, directory, "");
        return disk.list(directory);
    }

    @Override
    public @Nullable FileStatus status(final String path) {
        refuse(Act.LIST, path, "");
        return disk.status(path);
    }

    @Override
    public StorageFile open(final String path, final FileUse use, final long capacity) {
        final String more = " " + use + (capacity == 0 ? "" : " " + capacity);
        refuse(Act.OPEN, path, more);
        return opened(new FaultyFile(this, disk.open(path, use, capacity), path), Act.OPEN, path + more);
    }

    @Override
    public boolean rename(final String from, final String to) {
        refuse(Act.RENAME, from, " " + to);
        return disk.rename(from, to);
    }

    @Override
    public boolean delete(final String path) {
        refuse(Act.DELETE, path, "");
        return disk.delete(path);
    }

    @Override
    public void makeDirectory(final String directory) {
        refuse(Act.MAKE, directory, "");
        disk.makeDirectory(directory);
    }

    @Override
    public boolean removeDirectory(final String directory) {
        refuse(Act.REMOVE, directory, "");
        return disk.removeDirectory(directory);
    }

    @Override
    public void syncDirectory(final String directory) {
        final FaultRule hit = begin(Act.SYNC, directory, "");
        if (hit == null) {
            disk.syncDirectory(directory);
        } else if (hit.outcome() != Outcome.DROPPED) {
            throw failure(Act.SYNC, directory, hit);
        }
    }

    @Override
    public AutoCloseable lock(final String path) {
        refuse(Act.LOCK, path, "");
        final AutoCloseable held = disk.lock(path);
        final AutoCloseable[] given = new AutoCloseable[1];
        given[0] = () -> {
            closed(given[0]);
            held.close();
        };
        return opened(given[0], Act.LOCK, path);
    }

    @Override
    public String describe(final String path) {
        return disk.describe(path);
    }

    @Override
    public void close() {
        disk.close();
    }

    /** Tells of an act that is about to be done; the rule by which it fails, if one does. */
    @Nullable
    FaultRule begin(final Act act, final String path, final String more) {
        final String shown = path.isEmpty() ? "." : path;
        final FaultRule hit;
        synchronized (trace) {
            hit = hit(act, shown);
            final String line = act.word() + " " + shown + more;
            trace.add(new Told(
                    act, hit == null ? line : line + " " + hit.outcome().word()));
        }
        if (hit == null || hit.outcome() != Outcome.SLOW) {
            return hit;
        }
        Objects.requireNonNull(delay).accept(hit.amount());
        return null;
    }

    /** All rules count, also behind the one that is hit. */
    private @Nullable FaultRule hit(final Act act, final String path) {
        FaultRule hit = null;
        for (final FaultRule rule : rules) {
            if (rule.hits(act, path) && hit == null) {
                hit = rule;
            }
        }
        if (hit != null && hit.outcome() != Outcome.SHORT) {
            hit.happens();
        }
        return hit;
    }

    /** Notes that an act was cut short by a rule; one that had less to do was not. */
    void shortened(final FaultRule rule) {
        synchronized (trace) {
            rule.happens();
        }
    }

    private <C extends AutoCloseable> C opened(final C given, final Act act, final String more) {
        synchronized (trace) {
            open.put(given, act.word() + " " + more);
        }
        return given;
    }

    void closed(final AutoCloseable given) {
        synchronized (trace) {
            open.remove(given);
        }
    }

    /** For acts that are done or fail. */
    void refuse(final Act act, final String path, final String more) {
        final FaultRule hit = begin(act, path, more);
        if (hit != null) {
            throw failure(act, path, hit);
        }
    }

    StorageException failure(final Act act, final String path, final FaultRule rule) {
        return new StorageException(
                disk.describe(path), act.word(), rule.outcome().reason(), null);
    }
}
