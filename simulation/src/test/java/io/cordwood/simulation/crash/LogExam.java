package io.cordwood.simulation.crash;

import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.RecoveryReport.Kind;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.LongPredicate;
import org.agrona.concurrent.UnsafeBuffer;

/** What a log that was opened after a crash holds, held against what it owes; and what later opens must find as well. */
final class LogExam {
    /** What a recovery may report if nothing but the power has failed. */
    private static final Set<Kind> CRASHES = EnumSet.of(
            Kind.LEFTOVER_DELETED,
            Kind.INDEX_REBUILT,
            Kind.STATE_REBUILT,
            Kind.CUT,
            Kind.TAIL_CUT,
            Kind.SEGMENT_DELETED,
            Kind.OFFSETS_MISSING,
            Kind.END_TOO_LOW);

    private final LogModel model;
    private final NavigableMap<Long, byte[]> found;
    private final LongPredicate mayBeGap;

    LogExam(final Log log, final LogModel model) {
        this(log, model, 0);
    }

    /**
     * Examines.
     *
     * @param trustedBelow offset below which the open looks at nothing: a recovery that was cut may have told of a hole there.
     */
    LogExam(final Log log, final LogModel model, final long trustedBelow) {
        this.model = model;
        final LongPredicate told = gaps(log, model);
        this.mayBeGap = offset -> told.test(offset) || (offset >= model.owedEnd() && offset < trustedBelow);
        this.found = LogContents.readAndLookUp(log, mayBeGap);
        model.require(found);
        if (log.endOffset() < model.owedEnd()) {
            throw new AssertionError(
                    "the log ends at " + log.endOffset() + ", below what was forced: " + model.owedEnd());
        }
        requireEpochs(log);
    }

    /** After a crash that is no question: takes what is there for what was left. */
    static void goOn(final Log log, final LogModel model) {
        model.found(LogContents.read(log, gaps(log, model)), log.endOffset());
    }

    /** Throws if another open of the same log finds something else. */
    void requireSame(final Log log, final String what) {
        final NavigableMap<Long, byte[]> now = LogContents.readAndLookUp(log, mayBeGap);
        if (!found.keySet().equals(now.keySet())
                || !found.entrySet().stream().allMatch(e -> Arrays.equals(e.getValue(), now.get(e.getKey())))) {
            throw new AssertionError(
                    what + " changes the log: batches at " + found.keySet() + ", then at " + now.keySet());
        }
    }

    static void requireSound(final Storage disk, final String directory) {
        final List<Fault> faults = Faults.of(disk, directory);
        if (!faults.isEmpty()) {
            throw new AssertionError("after a clean close: " + faults);
        }
    }

    /** Throws unless the next process would find the same names and contents on two disks. */
    static void requireSameFiles(final SimulatedStorage disk, final SimulatedStorage other) {
        final SimulatedStorage left = disk.afterPowerCut(PowerCut.everything());
        final SimulatedStorage right = other.afterPowerCut(PowerCut.everything());
        if (left.platterHash() != right.platterHash()) {
            final Map<String, String> one = new TreeMap<>();
            final Map<String, String> two = new TreeMap<>();
            describe(left, "", one);
            describe(right, "", two);
            two.forEach((path, content) -> {
                if (!one.remove(path, content)) {
                    one.merge(path, "one: " + content, (ours, theirs) -> "two: " + ours + ", " + theirs);
                }
            });
            throw new AssertionError("two recoveries and a close leave other files than one and a close: " + one);
        }
    }

    private static void describe(final Storage disk, final String directory, final Map<String, String> contents) {
        for (final FileStatus file : disk.list(directory)) {
            final String path = directory.isEmpty() ? file.name() : directory + "/" + file.name();
            if (file.isDirectory()) {
                contents.put(path, "a directory");
                describe(disk, path, contents);
                continue;
            }
            final byte[] bytes = new byte[Math.toIntExact(file.length())];
            try (StorageFile open = disk.open(path, FileUse.READ, 0);
                    FileView view = new FileView()) {
                final int shown = open.view(0, bytes.length, view);
                view.buffer().getBytes(0, bytes, 0, shown);
            }
            contents.put(
                    path, bytes.length + " bytes " + HexFormat.of().formatHex(bytes, 0, Math.min(96, bytes.length)));
        }
    }

    /**
     * Where offsets may be missing: below what is owed, where segments were dropped; in what was not forced, if the open tells of it;
     * and where an open has told of it in an earlier life.
     */
    private static LongPredicate gaps(final Log log, final LogModel model) {
        // A start is durable before what lies below it: the end may be lost below it only if nothing above is owed.
        final boolean isTooLow = log.recovery().entries().stream().anyMatch(e -> e.kind() == Kind.END_TOO_LOW);
        if (isTooLow && model.owedEnd() > model.owedFrom()) {
            throw new AssertionError("the log ended below its start " + model.owedFrom()
                    + ", forced are the offsets up to " + model.owedEnd());
        }
        final long gapsFrom = hasGap(log) ? model.owedEnd() : Long.MAX_VALUE;
        return offset -> offset < model.owedFrom() || offset >= gapsFrom || model.isGap(offset);
    }

    /** Whether the open tells of a hole; throws if it tells of what no power cut explains. */
    static boolean hasGap(final Log log) {
        boolean hasGap = false;
        for (final var entry : log.recovery().entries()) {
            if (!CRASHES.contains(entry.kind())) {
                throw new AssertionError("no power cut explains what is reported: " + entry.kind() + ", " + entry);
            }
            hasGap |= entry.kind() == Kind.OFFSETS_MISSING;
        }
        return hasGap;
    }

    private void requireEpochs(final Log log) {
        final UnsafeBuffer header = new UnsafeBuffer(0, 0);
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        found.forEach((offset, bytes) -> {
            header.wrap(bytes);
            final int epoch = batch.wrap(header, 0).partitionLeaderEpoch();
            final int told = log.leaderEpochs().epochAt(Math.max(offset, log.startOffset()));
            // What was dropped may come back without the epoch that went with it.
            if (epoch != told && offset >= model.owedFrom()) {
                throw new AssertionError(
                        "the batch at " + offset + " is of epoch " + epoch + ", the table says " + told);
            }
        });
        if (!found.isEmpty() && found.lastKey() >= model.owedFrom()) {
            header.wrap(found.lastEntry().getValue());
            final int last = batch.wrap(header, 0).partitionLeaderEpoch();
            if (log.leaderEpochs().latestEpoch() != last) {
                throw new AssertionError("the last batch is of epoch " + last + ", the table ends with "
                        + log.leaderEpochs().entries());
            }
        }
    }
}
