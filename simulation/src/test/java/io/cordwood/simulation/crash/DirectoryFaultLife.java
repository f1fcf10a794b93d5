package io.cordwood.simulation.crash;

import io.cordwood.log.AppendAs;
import io.cordwood.log.AppendTicket;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.FlushAgent;
import io.cordwood.log.Log;
import io.cordwood.log.LogAppender;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionName;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.simulation.Partitions;
import io.cordwood.testkit.FaultyStorage;
import io.cordwood.testkit.LogContents;
import io.cordwood.testkit.LogExam;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.LongPredicate;
import org.agrona.concurrent.UnsafeBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A data directory whose disk fails somewhere in its life: two partitions behind their appenders, one forced by a flusher and one by
 * the directory, all stepped by this thread. After each failure everything is closed and opened again, and the step is tried anew.
 */
final class DirectoryFaultLife implements FaultSites.Subject {
    private static final int RUN_BYTES = 2048;
    private static final int STEPS_MOST = 50;
    private static final DirectoryConfig SCHEDULE = new DirectoryConfig(1_000, 100, 500);
    private static final MetaProperties FRESH = MetaProperties.fresh(new UUID(1, 2), "cluster", 1);
    private static final LogConfig CONFIG = LogConfig.of(Map.of(
            "segment.bytes",
            "1024",
            "segment.index.bytes",
            "240",
            "index.interval.bytes",
            "300",
            "retention.bytes",
            "2500",
            "file.delete.delay.ms",
            "0"));

    private final boolean isMapped;
    private final boolean endsAtFailedForce;
    private final SimulatedStorage disk;
    private final FaultyStorage faulty;
    private final Batches batches = new Batches(1);
    private final Set<Long> offered = new HashSet<>();
    private final Map<PartitionName, Owed> partitions = new TreeMap<>();
    private final Map<PartitionName, Door> doors = new TreeMap<>();
    private @Nullable PartitionName undecided;
    private @Nullable LogDirectory directory;
    private @Nullable FlushAgent flusher;
    private long nowMs = Batches.NOW;
    private long deletions;
    private int failures;
    private boolean isOver;

    /** What was acknowledged in a partition: the checksums of its batches by their offsets. */
    private static final class Owed {
        final NavigableMap<Long, Long> published = new TreeMap<>();
        final NavigableMap<Long, Long> forced = new TreeMap<>();

        /** The most that retention may have come to. */
        long startMost;

        /** Whether the partition is durable: it was made without a failure, or a forced append was acknowledged in it. */
        boolean isSure;
    }

    private record Door(Log log, LogAppender appender, AppendTicket ticket) {}

    /** Something that is done to the directory, and may be done again after it has failed. */
    @FunctionalInterface
    private interface Step {
        void run(LogDirectory open);
    }

    DirectoryFaultLife(final boolean isMapped, final boolean endsAtFailedForce, final String... rules) {
        this.isMapped = isMapped;
        this.endsAtFailedForce = endsAtFailedForce;
        this.disk = new SimulatedStorage(() -> Batches.NOW);
        this.faulty = new FaultyStorage(disk, rules);
    }

    @Override
    public FaultyStorage storage() {
        return faulty;
    }

    @Override
    public int failures() {
        return failures;
    }

    @Override
    public boolean isOver() {
        return isOver;
    }

    @Override
    public void live() {
        create(0);
        create(1);
        append(0, 3, true);
        checked();
        append(1, 2, false);
        work(200);
        append(0, 12, false);
        append(1, 3, true);
        append(0, 1, true);
        work(1_100);
        reopen(true);
        append(0, 4, true);
        append(1, 1, false);
        delete(1);
        create(1);
        append(1, 2, true);
        checked();
        work(600);
        append(0, 2, false);
        reopen(false);
        append(0, 1, true);
        append(1, 1, true);
        work(200);
        reopen(true);
    }

    private void create(final int partition) {
        final PartitionName name = new PartitionName("t", partition);
        then(open -> {
            if (!partitions.containsKey(name)) {
                undecided = name;
                // One that was not made well may be there all the same.
                final boolean isMade = open.create(name, new UUID(3, partition));
                undecided = null;
                final Owed owed = new Owed();
                owed.isSure = isMade;
                partitions.put(name, owed);
            }
            if (!doors.containsKey(name)) {
                openDoor(open, name);
            }
        });
    }

    private void delete(final int partition) {
        final PartitionName name = new PartitionName("t", partition);
        then(open -> {
            final Door door = doors.remove(name);
            if (door != null) {
                requireFlusher().remove(door.log());
                door.appender().onClose();
                door.log().close();
            }
            undecided = name;
            partitions.remove(name);
            open.delete(name, new UUID(5, ++deletions), nowMs);
            undecided = null;
        });
    }

    /** Batches one after the other, each acknowledged before the next. */
    private void append(final int partition, final int count, final boolean isForced) {
        final PartitionName name = new PartitionName("t", partition);
        for (int i = 0; i < count; i++) {
            final int valueBytes = 60 + 90 * (i % 4);
            then(open -> append(name, Objects.requireNonNull(doors.get(name)), valueBytes, isForced));
        }
    }

    private void append(final PartitionName name, final Door door, final int valueBytes, final boolean isForced) {
        final long offset = offer(door, valueBytes, isForced);
        final RuntimeException failure = door.ticket().failure();
        if (failure instanceof StorageException told) {
            throw told;
        }
        require(failure == null, "an append fails without telling of the disk: " + failure);
        require(offset >= 0, "an append is refused: " + offset);
        final long crc = crc(batches.memory());
        final Owed owed = Objects.requireNonNull(partitions.get(name));
        owed.published.put(offset, crc);
        if (isForced) {
            owed.forced.putAll(owed.published);
            owed.isSure = true;
        }
    }

    /** The outcome, once it is there. */
    private long offer(final Door door, final int valueBytes, final boolean isForced) {
        final int length = batches.next(1, valueBytes);
        offered.add(crc(batches.memory()));
        final AppendAs client = AppendAs.client(0);
        require(
                door.appender().offer(door.ticket(), batches.memory(), 0, length, isForced ? client.forced() : client),
                "a run is not taken");
        for (int i = 0; door.ticket().outcome() == AppendTicket.PENDING; i++) {
            require(i < STEPS_MOST, "an append waits for ever");
            doors.values().forEach(other -> other.appender().doWork());
            // Whoever is answered by now has not waited for what comes next.
            if (door.ticket().outcome() == AppendTicket.PENDING) {
                force();
            }
        }
        return door.ticket().outcome();
    }

    private void work(final long laterMs) {
        then(open -> {
            nowMs += laterMs;
            doors.forEach((name, door) -> {
                final Owed owed = Objects.requireNonNull(partitions.get(name));
                final long[] bases = door.log().baseOffsets();
                owed.startMost = Math.max(owed.startMost, bases[bases.length - 1]);
            });
            for (int i = 0; i < 3; i++) {
                step();
            }
        });
    }

    /** One duty cycle of each. */
    private void step() {
        doors.values().forEach(door -> door.appender().doWork());
        force();
    }

    /** Of the flusher and of the directory. */
    private void force() {
        requireFlusher().doWork();
        final LogDirectory open = Objects.requireNonNull(directory);
        open.doWork(nowMs);
        final RuntimeException failure = open.failure();
        if (failure instanceof StorageException told) {
            throw told;
        }
        require(failure == null, "the directory does not tell of the disk: " + failure);
    }

    private void reopen(final boolean isClean) {
        then(open -> {
            if (isClean) {
                doors.values().forEach(door -> door.appender().onClose());
            } else {
                closeDoors(false);
            }
            doors.clear();
            directory = null;
            open.close();
            requireNothingOpen();
            if (isClean) {
                partitions.values().forEach(owed -> {
                    owed.forced.putAll(owed.published);
                    owed.isSure = true;
                });
            }
            opened();
        });
    }

    private void then(final Step step) {
        for (int tries = 0; !isOver && tries < 3; tries++) {
            try {
                step.run(directory == null ? opened() : directory);
                return;
            } catch (final StorageException e) {
                failed(e);
                afterFailure();
            }
        }
        isOver = true;
    }

    private LogDirectory opened() {
        final LogDirectory open = LogDirectory.openOwned(faulty, SCHEDULE, FRESH);
        directory = open;
        flusher = new FlushAgent(() -> nowMs);
        requirePartitions(open, true);
        for (final PartitionName name : open.names()) {
            if (partitions.containsKey(name)) {
                openDoor(open, name);
            }
        }
        doors.forEach((name, door) -> check(door.log(), Objects.requireNonNull(partitions.get(name)), true));
        return open;
    }

    private void openDoor(final LogDirectory open, final PartitionName name) {
        final Log log = Partitions.open(open, name, CONFIG, isMapped, nowMs);
        final LogAppender appender = new LogAppender(log, () -> nowMs, RUN_BYTES);
        doors.put(name, new Door(log, appender, appender.newTicket()));
        if (name.partition() == 0) {
            requireFlusher().add(log);
        }
    }

    private FlushAgent requireFlusher() {
        return Objects.requireNonNull(flusher);
    }

    private void afterFailure() {
        final LogDirectory open = directory;
        for (final Door door : doors.values()) {
            if (door.log().forceFailure() != null) {
                requireNoAcknowledgement(door);
            }
        }
        if (open != null && open.failure() != null) {
            require(open.doWork(nowMs) == 0, "a directory that is offline works");
            refused(() -> open.create(new PartitionName("u", 0), null));
        }
        closeDoors(true);
        doors.clear();
        directory = null;
        if (open != null) {
            attempted(open::close);
        }
        requireNothingOpen();
        isOver |= endsAtFailedForce;
    }

    private void closeDoors(final boolean isAttempt) {
        for (final Door door : doors.values()) {
            door.appender().onClose();
            require(door.ticket().outcome() != AppendTicket.PENDING, "somebody waits at a closed door");
            if (isAttempt) {
                attempted(door.log()::closeUncleanly);
            } else {
                door.log().closeUncleanly();
            }
        }
    }

    /** A log whose force has failed. */
    private void requireNoAcknowledgement(final Door door) {
        final long flushed = door.log().flushedOffset();
        final int length = batches.next(1, 10);
        offered.add(crc(batches.memory()));
        if (door.ticket().outcome() != AppendTicket.PENDING
                && door.appender()
                        .offer(
                                door.ticket(),
                                batches.memory(),
                                0,
                                length,
                                AppendAs.client(0).forced())) {
            for (int i = 0; i < 3; i++) {
                attempted(() -> door.appender().doWork());
                requireFlusher().doWork();
            }
            require(
                    door.ticket().outcome() == AppendTicket.FAILED,
                    "a log that is off line answers an append: " + door.ticket().outcome());
        }
        attempted(() -> require(Refusal.isRefusal(door.log().flush()), "a log that is off line flushes"));
        require(door.log().flushedOffset() == flushed, "a log that is off line moves on");
    }

    private void refused(final Runnable act) {
        try {
            act.run();
        } catch (final StorageException e) {
            failed(e);
            return;
        }
        throw new AssertionError("a directory that is offline takes a partition");
    }

    private void attempted(final Runnable act) {
        try {
            act.run();
        } catch (final StorageException e) {
            failed(e);
        }
    }

    private void failed(final StorageException failure) {
        failures++;
        PlantedFault.requireTold(failure);
    }

    private void requireNothingOpen() {
        require(faulty.leftOpen().isEmpty(), "left open: " + faulty.leftOpen());
    }

    private void requirePartitions(final LogDirectory open, final boolean isKilled) {
        final Set<PartitionName> names = new HashSet<>(open.names());
        final Set<PartitionName> expected = new HashSet<>(partitions.keySet());
        names.remove(undecided);
        if (!isKilled) {
            partitions.forEach((name, owed) -> {
                if (!owed.isSure) {
                    names.remove(name);
                    expected.remove(name);
                }
            });
        }
        require(names.equals(expected), "there should be " + expected + ", there are " + names);
    }

    /** What a power cut would leave now, before a later step makes it durable by chance. */
    private void checked() {
        check(disk.afterPowerCut(PowerCut.nothing()), false);
    }

    /** The end: what is left on a disk that is sound again, with its power cut and without. */
    @Override
    public void finish(final long seed) {
        final LogDirectory last = directory;
        closeDoors(true);
        doors.clear();
        if (last != null) {
            attempted(last::close);
        }
        requireNothingOpen();
        for (final PowerCut cut : List.of(PowerCut.nothing(), PowerCut.random(new Random(seed)))) {
            check(disk.afterPowerCut(cut), false);
        }
        check(disk.kill(), true);
    }

    private void check(final Storage left, final boolean isKilled) {
        final List<PartitionName> names;
        try (LogDirectory open = LogDirectory.openOwned(left, SCHEDULE, FRESH)) {
            require(open.findings().isEmpty(), "found odd: " + open.findings());
            requirePartitions(open, isKilled);
            names = open.names();
            for (final PartitionName name : names) {
                final Log log = Partitions.open(open, name, CONFIG, isMapped, nowMs);
                check(log, partitions.getOrDefault(name, new Owed()), isKilled);
            }
        }
        final Map<PartitionName, Object> faults = new HashMap<>();
        names.forEach(name -> faults.put(name, Faults.of(left, name.directory())));
        require(faults.values().stream().allMatch(List.of()::equals), "faults after a clean close: " + faults);
    }

    private void check(final Log log, final Owed owed, final boolean isKilled) {
        final LongPredicate told = LogExam.toldGaps(log);
        final NavigableMap<Long, byte[]> found = LogContents.readAndLookUp(log, told);
        final Map<Long, Long> there = new TreeMap<>();
        found.forEach((offset, bytes) -> there.put(offset, crc(new UnsafeBuffer(bytes))));
        require(offered.containsAll(there.values()), "a batch was never offered; found are " + there);
        require(
                log.startOffset() <= owed.startMost,
                "the log starts at " + log.startOffset() + ", above " + owed.startMost);
        final List<Long> missing = new ArrayList<>();
        (isKilled ? owed.published : owed.forced).forEach((offset, crc) -> {
            if (offset >= log.startOffset() && !crc.equals(there.get(offset))) {
                missing.add(offset);
            }
        });
        require(missing.isEmpty(), "acknowledged, and not there: " + missing + " of " + there.keySet());
    }

    private static long crc(final UnsafeBuffer batch) {
        return new RecordBatchFlyweight().wrap(batch, 0).crc();
    }

    private static void require(final boolean holds, final String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
