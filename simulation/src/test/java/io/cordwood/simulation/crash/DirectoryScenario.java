package io.cordwood.simulation.crash;

import io.cordwood.log.Log;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.Storage;
import io.cordwood.testkit.CrashScenario;
import io.cordwood.testkit.DiskExam;
import io.cordwood.testkit.LogExam;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SegmentCountState;
import io.cordwood.testkit.SimulatedStorage;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A data directory with its partitions: what a script does to it, and what is owed after each power cut. */
final class DirectoryScenario implements CrashScenario {
    private static final int SEGMENTS_LEAST = 3;
    private static final String CLEAN_SHUTDOWN = ".kafka_cleanshutdown";

    private final boolean isMapped;
    private final long seed;
    private final Consumer<DirectoryLife> script;
    private final DirectoryModel model = new DirectoryModel();

    /** What the recoveries have left that are being checked now. */
    private Map<PartitionName, LogExam> recovered = Map.of();

    DirectoryScenario(final boolean isMapped, final long seed, final Consumer<DirectoryLife> script) {
        this.isMapped = isMapped;
        this.seed = seed;
        this.script = script;
    }

    @Override
    public void run(final SimulatedStorage disk) {
        final DirectoryLife life = new DirectoryLife(isMapped, model, disk, seed);
        script.accept(life);
        if (life.segmentsMost() < SEGMENTS_LEAST) {
            throw new IllegalStateException("the script makes " + life.segmentsMost() + " segments");
        }
    }

    @Override
    public long promises() {
        return model.promises();
    }

    @Override
    public void check(final SimulatedStorage disk) {
        check(disk, false);
    }

    @Override
    public void checkKilled(final SimulatedStorage disk) {
        check(disk, true);
    }

    private void check(final SimulatedStorage disk, final boolean isKilled) {
        final SimulatedStorage other = disk.afterPowerCut(PowerCut.everything());
        try (LogDirectory once = DirectoryLife.open(other)) {
            once.names().forEach(name -> open(other, once, name));
        }
        final Map<PartitionName, LogExam> exams = new TreeMap<>();
        final LogDirectory first = DirectoryLife.open(disk);
        requireFiles(disk, first);
        if (model.isClosed() && !first.wasClean()) {
            throw new AssertionError("the marker of a clean close is missing");
        }
        final Map<PartitionName, Long> points = recoveryPoints(disk);
        for (final PartitionName name : first.names()) {
            final long trusted = first.wasClean() ? Long.MAX_VALUE : points.getOrDefault(name, 0L);
            exams.put(name, new LogExam(open(disk, first, name), model.log(name), trusted));
        }
        final Map<PartitionName, LogExam> outer = recovered;
        exams.forEach((name, exam) -> {
            if (isKilled) {
                exam.requirePublished();
            }
            final LogExam before = outer.get(name);
            if (before != null) {
                exam.requireNothingBut(before);
            }
        });
        recovered = exams;
        try {
            checkOthers(disk, exams, other);
        } finally {
            recovered = outer;
        }
    }

    /** Later opens, and a clean close between them. */
    private void checkOthers(
            final SimulatedStorage disk, final Map<PartitionName, LogExam> exams, final SimulatedStorage other) {
        final SimulatedStorage next = disk.kill();
        try (LogDirectory again = DirectoryLife.open(next)) {
            exams.forEach((name, exam) -> exam.requireSame(open(next, again, name), "a second recovery"));
        }
        DiskExam.requireSameFiles(next, other, "two recoveries and a close, and one and a close");
        exams.keySet().forEach(name -> Faults.requireNone(next, name.directory()));
        try (LogDirectory last = DirectoryLife.open(next)) {
            requireFiles(next, last);
            // Where nothing was opened nothing is vouched for.
            if (!exams.isEmpty() && !last.wasClean()) {
                throw new AssertionError("a clean close is not seen");
            }
            exams.forEach((name, exam) -> exam.requireSame(open(next, last, name), "a clean close"));
        }
    }

    /** The partitions are the right ones, and the checkpoints promise no more than what was forced. */
    private void requireFiles(final SimulatedStorage disk, final LogDirectory directory) {
        model.require(directory.names());
        if (!directory.findings().equals(List.of())) {
            throw new AssertionError("no power cut explains what is found: " + directory.findings());
        }
        if (directory.wasClean()) {
            if (!model.isClosed()) {
                requireTrueMarker(disk, directory);
            }
            return;
        }
        final Map<PartitionName, Long> points = recoveryPoints(disk);
        for (final PartitionName name : directory.names()) {
            final long point = points.getOrDefault(name, 0L);
            final long most = model.log(name).pointMost();
            if (point > most) {
                requireBytesBelow(disk, name, point, most);
            }
        }
    }

    /** Who finds the marker looks at nothing: all that the files say must be found by looking at everything, too. */
    private void requireTrueMarker(final SimulatedStorage disk, final LogDirectory trusting) {
        final SimulatedStorage believed = disk.afterPowerCut(PowerCut.everything());
        final SimulatedStorage looked = disk.afterPowerCut(PowerCut.everything());
        looked.delete(CLEAN_SHUTDOWN);
        if (looked.status(OffsetCheckpoint.RECOVERY_POINTS) != null) {
            looked.delete(OffsetCheckpoint.RECOVERY_POINTS);
        }
        try (LogDirectory one = DirectoryLife.open(believed);
                LogDirectory two = DirectoryLife.open(looked)) {
            for (final PartitionName name : trusting.names()) {
                final long end = open(believed, one, name).endOffset();
                final long found = open(looked, two, name).endOffset();
                if (end != found) {
                    throw new AssertionError("the marker of a clean close is there, and " + name + " ends at " + end
                            + ", but by a look at its bytes at " + found);
                }
            }
        }
    }

    /** With its derived state, which must be what a replay makes. */
    private Log open(final Storage disk, final LogDirectory directory, final PartitionName name) {
        final SegmentCountState state = new SegmentCountState(disk, name.directory());
        final Log log = DirectoryLife.open(directory, name, isMapped, state);
        DiskExam.requireReplayed(disk, name.directory(), log, state, SegmentCountState::new, SegmentCountState::sums);
        return log;
    }

    private static Map<PartitionName, Long> recoveryPoints(final SimulatedStorage disk) {
        final Map<PartitionName, Long> points = OffsetCheckpoint.read(disk, "", OffsetCheckpoint.RECOVERY_POINTS);
        return points == null ? Map.of() : points;
    }

    /** A recovery that was cut has forced more than the script did: then the bytes must be there without trust in the point. */
    private void requireBytesBelow(
            final SimulatedStorage disk, final PartitionName name, final long point, final long forced) {
        final SimulatedStorage copy = disk.afterPowerCut(PowerCut.everything());
        copy.delete(OffsetCheckpoint.RECOVERY_POINTS);
        try (LogDirectory directory = DirectoryLife.open(copy)) {
            final long end = open(copy, directory, name).endOffset();
            if (end < point) {
                throw new AssertionError("the recovery point of " + name + " is " + point
                        + ", but the script has forced " + forced + ", and without the point the log ends at " + end);
            }
        }
    }
}
