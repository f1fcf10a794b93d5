package io.cordwood.testkit;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
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
 *   claim t-0/*.log 3+ enospc  from the third on every claim finds the disk full
 *   publish *.log 1 short=100  100 bytes reach the file, then the write fails
 *   send *.log 1 short=100     100 bytes are sent
 *   sync t-0 1 dropped         the directory is not synced, and nobody is told
 * </pre>
 *
 * <p>Acts are {@code list} (also of one entry), {@code open}, {@code rename} (by its old path), {@code delete}, {@code make},
 * {@code remove}, {@code sync}, {@code lock}, {@code claim}, {@code publish}, {@code view}, {@code send}, {@code truncate},
 * {@code force}, {@code close}. A file is known by the path that it was opened under, the root by a dot. A close that fails has closed the file; any
 * other act that fails was not done, but for {@code short}.
 *
 * <p>Threads: any, as the other storage allows; one lock guards rules and trace, and no act is done under it.
 */
public final class FaultyStorage implements Storage {
    private final Storage disk;
    private final List<FaultRule> rules;
    private final List<Told> trace = new ArrayList<>();

    private record Told(Act act, String line) {}

    /**
     * Puts faults before a storage.
     *
     * @param disk does what does not fail; closed with this.
     * @param rules faults to come, none for a trace alone.
     * @throws IllegalArgumentException if a rule makes no sense; the message tells why.
     */
    public FaultyStorage(final Storage disk, final String... rules) {
        this.disk = Objects.requireNonNull(disk, "disk");
        this.rules = Stream.of(rules).map(FaultRule::parse).toList();
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
     * Rules whose act did not come, so that a test can tell that its fault took place.
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
        refuse(Act.OPEN, path, " " + use + (capacity == 0 ? "" : " " + capacity));
        return new FaultyFile(this, disk.open(path, use, capacity), path);
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
        if (!isDropped(Act.SYNC, directory)) {
            disk.syncDirectory(directory);
        }
    }

    @Override
    public AutoCloseable lock(final String path) {
        refuse(Act.LOCK, path, "");
        return disk.lock(path);
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
        synchronized (trace) {
            FaultRule hit = null;
            for (final FaultRule rule : rules) {
                if (rule.hits(act, shown) && hit == null) {
                    hit = rule;
                }
            }
            final String line = act.word() + " " + shown + more;
            trace.add(new Told(
                    act, hit == null ? line : line + " " + hit.outcome().name().toLowerCase(Locale.ROOT)));
            return hit;
        }
    }

    /** For acts that are done or fail. */
    void refuse(final Act act, final String path, final String more) {
        final FaultRule hit = begin(act, path, more);
        if (hit != null) {
            throw failure(act, path, hit);
        }
    }

    /** For acts that are done, fail, or are not done and say they were. */
    boolean isDropped(final Act act, final String path) {
        final FaultRule hit = begin(act, path, "");
        if (hit != null && hit.outcome() != FaultRule.Outcome.DROPPED) {
            throw failure(act, path, hit);
        }
        return hit != null;
    }

    StorageException failure(final Act act, final String path, final FaultRule rule) {
        return new StorageException(
                disk.describe(path), act.word(), rule.outcome().reason(), null);
    }
}
