package io.cordwood.testkit;

import io.cordwood.log.DerivedState;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.agrona.DirectBuffer;

/**
 * What the files of a log say, whoever has opened it: that their structure is sound, that two disks hold the same, and that a derived
 * state knows what a replay of all batches would tell it. Nothing is changed. Memory and time are linear in the files.
 */
public final class DiskExam {
    private static final int BATCH_BYTES_MAX = 1 << 20;
    private static final int SHOWN_BYTES = 96;

    private DiskExam() {}

    /**
     * Checks the structure of a closed log, by {@link LogCheck} and whatever else is passed in.
     *
     * @param storage that holds the log.
     * @param directory of the log.
     * @param companions further checks that walk along, such as those of indexes.
     * @return all faults but missing offsets, which are for the report of the open to tell.
     */
    public static List<Fault> faults(
            final Storage storage, final String directory, final List<? extends LogCheck.Companion> companions) {
        final List<Fault> faults = new ArrayList<>();
        try (LogCheck check = new LogCheck(storage, BATCH_BYTES_MAX, BATCH_BYTES_MAX, faults::add)) {
            check.with(new Companions(companions)).check(directory);
        }
        faults.removeIf(fault -> fault.kind() == Fault.Kind.OFFSETS_MISSING);
        return faults;
    }

    /**
     * Throws if the structure of a log that was closed cleanly has a fault.
     *
     * @param storage that holds the log.
     * @param directory of the log.
     * @param companions as of {@link #faults}.
     * @throws AssertionError with all faults.
     */
    public static void requireSound(
            final Storage storage, final String directory, final List<? extends LogCheck.Companion> companions) {
        final List<Fault> faults = faults(storage, directory, companions);
        if (!faults.isEmpty()) {
            throw new AssertionError("expected no fault after a clean close, found are " + faults);
        }
    }

    /**
     * Throws unless the next process would find the same names and contents on two disks.
     *
     * @param disk one.
     * @param other the other.
     * @param what has made them, for the message, such as {@code "one recovery and two"}.
     * @throws AssertionError with the files that differ.
     */
    public static void requireSameFiles(final SimulatedStorage disk, final SimulatedStorage other, final String what) {
        final SimulatedStorage left = disk.afterPowerCut(PowerCut.everything());
        final SimulatedStorage right = other.afterPowerCut(PowerCut.everything());
        if (left.platterHash() == right.platterHash()) {
            return;
        }
        final Map<String, String> one = new TreeMap<>();
        final Map<String, String> two = new TreeMap<>();
        describe(left, "", one);
        describe(right, "", two);
        two.forEach((path, content) -> {
            if (!one.remove(path, content)) {
                one.merge(path, "other: " + content, (ours, theirs) -> "one: " + ours + ", " + theirs);
            }
        });
        throw new AssertionError(what + " leave different files: " + one);
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
                    path,
                    bytes.length + " bytes " + HexFormat.of().formatHex(bytes, 0, Math.min(SHOWN_BYTES, bytes.length)));
        }
    }

    /**
     * Throws unless a derived state knows what one knows that has no file and has seen every batch of the log's segments, in order. For
     * states that forget what was dropped with its segment.
     *
     * @param <S> the state.
     * @param storage that holds the log.
     * @param directory of the log.
     * @param log open, with the state.
     * @param state of the log.
     * @param factory makes such a state, of a storage and a directory.
     * @param content of a state, to be compared by {@code equals}.
     * @throws AssertionError with both contents.
     */
    public static <S extends DerivedState> void requireReplayed(
            final Storage storage,
            final String directory,
            final Log log,
            final S state,
            final BiFunction<? super Storage, ? super String, ? extends S> factory,
            final Function<? super S, ?> content) {
        final SimulatedStorage empty = new SimulatedStorage(() -> 0);
        empty.makeDirectory(directory);
        final Object expected;
        try (S replayed = factory.apply(empty, directory)) {
            final long[] bases = log.baseOffsets();
            replayed.restore(log.startOffset(), bases, bases[0]);
            for (final long base : bases) {
                replay(storage, LogFiles.path(directory, LogFiles.name(base, LogFiles.LOG)), base, log, replayed);
            }
            expected = content.apply(replayed);
        }
        final Object found = content.apply(state);
        if (!Objects.equals(expected, found)) {
            throw new AssertionError("a replay of all batches makes "
                    + state.getClass().getSimpleName() + " " + expected + ", that of the log is " + found);
        }
    }

    private static void replay(
            final Storage storage, final String path, final long base, final Log log, final DerivedState state) {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final int length = file.view(0, Math.toIntExact(file.length()), view);
            final DirectBuffer bytes = view.buffer();
            // Behind the last batch of a mapped segment there are zeros.
            for (int at = 0; at + RecordBatchDescriptor.HEADER_BYTES <= length; at += batch.sizeInBytes()) {
                batch.wrap(bytes, at);
                if (batch.batchLength() <= 0 || batch.baseOffset() >= log.endOffset()) {
                    return;
                }
                state.apply(batch, base);
            }
        }
    }

    /** Several checks that walk along with one. */
    private static final class Companions implements LogCheck.Companion {
        private final List<LogCheck.Companion> all;

        Companions(final List<? extends LogCheck.Companion> all) {
            this.all = List.copyOf(all);
        }

        @Override
        public void begin(final String directory, final long baseOffset) {
            all.forEach(one -> one.begin(directory, baseOffset));
        }

        @Override
        public void batch(final long lastOffset, final long position, final long maxTimestamp) {
            all.forEach(one -> one.batch(lastOffset, position, maxTimestamp));
        }

        @Override
        public List<Fault> end(final boolean isLast, final boolean isSound) {
            final List<Fault> faults = new ArrayList<>();
            all.forEach(one -> faults.addAll(one.end(isLast, isSound)));
            return faults;
        }
    }
}
