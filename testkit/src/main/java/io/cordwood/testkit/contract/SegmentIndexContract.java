package io.cordwood.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.IndexLookUps;
import io.cordwood.log.LogFiles;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.SegmentIndexFactory;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.Pending;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * What every {@link SegmentIndex} is held to, in the order of calls in which a log makes them, on a {@link SimulatedStorage}: each
 * look-up leads to a batch at or before the one that is asked for, whatever the files say.
 *
 * <pre>
 *   class MyIndexesTest extends SegmentIndexContract {
 *       MyIndexesTest() {
 *           super(new MyIndexes());
 *       }
 *   }
 * </pre>
 */
public abstract class SegmentIndexContract {
    private static final String DIRECTORY = "t-0";
    private static final long NOW = 1_700_000_000_000L;
    private static final long BASE = 1000;
    private static final IndexLimits LIMITS = new IndexLimits(1200, 400);

    /** An entry for each batch, so that many are written while the index grows. */
    private static final IndexLimits DENSE = new IndexLimits(1 << 14, 1);

    /** So many batches of so many records and bytes each. */
    private static final int BATCHES = 120;

    private static final int RECORDS = 3;
    private static final int BATCH_BYTES = 130;

    private final SegmentIndexFactory factory;
    private final FileView view = new FileView();
    private SimulatedStorage storage = new SimulatedStorage(() -> NOW);
    private long[] timestamps = timestamps(1);

    /**
     * Names what is tested.
     *
     * @param factory makes indexes.
     */
    protected SegmentIndexContract(final SegmentIndexFactory factory) {
        this.factory = factory;
        storage.makeDirectory(DIRECTORY);
        storage.syncDirectory("");
        writeSegment(BATCHES);
    }

    @Test
    final void lookUpsLeadToABatchAtOrBeforeTheOneThatIsAskedFor() {
        try (SegmentIndex index = factory.create(storage, DIRECTORY, BASE, LIMITS)) {
            requireTrue(index, 0);
            for (int i = 0; i < BATCHES; i++) {
                append(index, i);
                requireTrue(index, i + 1);
            }
            index.seal();
            requireTrue(index, BATCHES);
        }
    }

    @Test
    final void whatWasSealedAndForcedIsTrueAfterAPowerCut() {
        fill(BATCHES).close();
        storage.syncDirectory(DIRECTORY);
        storage = storage.powerCut(PowerCut.nothing());
        try (SegmentIndex index = opened(BATCHES)) {
            requireTrue(index, BATCHES);
        }
    }

    /** Not only what a later open happens to ask for; while it grows, grows again after a restore, and when it is sealed. */
    @Test
    final void aForceLeavesNothingOfItsFilesPending() {
        try (SegmentIndex index = factory.create(storage, DIRECTORY, BASE, DENSE)) {
            growForced(index, 0);
            index.seal();
            requireForced(index, "sealed");
        }
        factory.suffixes().forEach(suffix -> storage.delete(path(suffix)));
        try (SegmentIndex index = factory.open(storage, DIRECTORY, BASE, DENSE)) {
            restore(index, 20);
            requireForced(index, "restored without its files");
            growForced(index, 20);
            index.seal();
            requireForced(index, "sealed once more");
        }
    }

    private void growForced(final SegmentIndex index, final int from) {
        for (int i = from; i < BATCHES; i++) {
            append(index, i);
            if (i % 10 == 9) {
                requireForced(index, "at batch " + i);
            }
        }
    }

    private void requireForced(final SegmentIndex index, final String when) {
        index.force();
        assertEquals(List.of(), pending(), "after a force, " + when);
    }

    @Test
    final void whatARestoreCutsOffIsGoneDurably() {
        for (int cut = BATCHES; cut >= 0; cut -= 15) {
            try (SegmentIndex index = fill(BATCHES)) {
                storage.syncDirectory(DIRECTORY);
                writeSegment(cut);
                index.restore(BASE + (long) cut * RECORDS, (long) cut * BATCH_BYTES);
                assertEquals(List.of(), pending(), "cut to batch " + cut);
            }
            factory.suffixes().forEach(suffix -> storage.delete(path(suffix)));
        }
    }

    /** What a power cut could take from the index's files; their names are for the log to sync. */
    private List<Pending> pending() {
        return storage.pending().stream()
                .filter(p -> p.kind() != Pending.Kind.NAME && !p.path().equals(path(LogFiles.LOG)))
                .toList();
    }

    @Test
    final void whatWasNotSealedIsBuiltAnew() {
        try (SegmentIndex index = factory.create(storage, DIRECTORY, BASE, LIMITS)) {
            for (int i = 0; i < BATCHES; i++) {
                append(index, i);
            }
        }
        for (final PowerCut cut : List.of(PowerCut.everything(), PowerCut.random(new Random(3)), PowerCut.nothing())) {
            storage = storage.powerCut(cut);
            writeSegment(BATCHES);
            try (SegmentIndex index = factory.open(storage, DIRECTORY, BASE, LIMITS)) {
                restore(index, BATCHES);
                requireTrue(index, BATCHES);
            }
        }
    }

    @Test
    final void whatIsCutOffDoesNotMisleadAmongOtherBatches() {
        for (int cut = 0; cut <= BATCHES; cut += 7) {
            timestamps = timestamps(1);
            final SegmentIndex index = fill(BATCHES);
            writeSegment(cut);
            restore(index, cut);
            requireTrue(index, cut);
            timestamps = timestamps(2 + cut, cut);
            for (int i = cut; i < BATCHES; i++) {
                append(index, i);
            }
            writeSegment(BATCHES);
            requireTrue(index, BATCHES);
            index.seal();
            index.force();
            index.close();
            try (SegmentIndex again = opened(BATCHES)) {
                requireTrue(again, BATCHES);
            }
            factory.suffixes().forEach(suffix -> storage.delete(path(suffix)));
        }
    }

    @Test
    final void whatIsCutOffDoesNotComeBackWithThePower() {
        final int cut = 40;
        try (SegmentIndex index = fill(BATCHES)) {
            storage.syncDirectory(DIRECTORY);
            writeSegment(cut);
            restore(index, cut);
        }
        storage = storage.powerCut(PowerCut.nothing());
        timestamps = timestamps(9, cut);
        writeSegment(BATCHES);
        try (SegmentIndex index = factory.open(storage, DIRECTORY, BASE, LIMITS)) {
            restore(index, BATCHES);
            requireTrue(index, BATCHES);
        }
    }

    @Test
    final void filesThatAreMissingEmptyOrSpoiledCostTimeAndNoTruth() {
        for (final String suffix : factory.suffixes()) {
            for (int kind = 0; kind < 5; kind++) {
                fill(BATCHES).close();
                storage.delete(path(suffix));
                if (kind > 0) {
                    final byte[] spoiled = new byte[kind < 3 ? 120 * (kind - 1) : 100 * kind + kind % 4];
                    if (kind > 2) {
                        new Random(kind).nextBytes(spoiled);
                    }
                    write(path(suffix), spoiled);
                }
                try (SegmentIndex index = factory.open(storage, DIRECTORY, BASE, LIMITS)) {
                    requireFloors(index, BATCHES, "before it is restored, " + suffix + " spoiled as by " + kind);
                    restore(index, BATCHES);
                    requireTrue(index, BATCHES);
                }
            }
        }
    }

    /** A file stays as it is until all is known, or goes; in the end all is right, with its name. */
    @Test
    final void whatIsMendedChangesNoFileBeforeItIsSealed() {
        for (int kind = 0; kind < 3; kind++) {
            fill(BATCHES).close();
            for (final String suffix : factory.suffixes()) {
                write(path(suffix), new byte[kind == 0 ? 0 : 60 * kind + 1]);
            }
            storage.syncDirectory(DIRECTORY);
            final List<FileStatus> before = storage.list(DIRECTORY);
            try (SegmentIndex index = factory.open(storage, DIRECTORY, BASE, LIMITS)) {
                mend(index);
                assertTrue(before.containsAll(storage.list(DIRECTORY)), "before it is sealed");
                // The mending is given up.
                restore(index, BATCHES);
                requireTrue(index, BATCHES);
            }
            for (final String suffix : factory.suffixes()) {
                storage.delete(path(suffix));
            }
            try (SegmentIndex index = factory.open(storage, DIRECTORY, BASE, LIMITS)) {
                mend(index);
                requireTrue(index, BATCHES);
                index.seal();
                index.force();
                requireTrue(index, BATCHES);
            }
            storage = storage.powerCut(PowerCut.nothing());
            try (SegmentIndex index = opened(BATCHES)) {
                requireTrue(index, BATCHES);
            }
        }
    }

    private void mend(final SegmentIndex index) {
        final long end = (long) BATCHES * BATCH_BYTES;
        final long from = index.mend(BASE + (long) BATCHES * RECORDS, end);
        for (int i = (int) (from / BATCH_BYTES); i < BATCHES; i++) {
            append(index, i);
        }
    }

    @Test
    final void anIndexThatIsNotToBeTrustedIsHeldAgainstEachBatch() {
        try (SegmentIndex index = fill(BATCHES)) {
            timestamps = timestamps(5);
            index.restore(Long.MAX_VALUE, (long) BATCHES * BATCH_BYTES);
            index.distrust();
            feed(index, 0, BATCHES);
            requireTrue(index, BATCHES);
        }
    }

    @Test
    final void itsFilesAreThoseThatItNames() {
        fill(BATCHES).close();
        for (final FileStatus file : storage.list(DIRECTORY)) {
            assertTrue(
                    LogFiles.offset(file.name(), LogFiles.LOG) == BASE
                            || factory.suffixes().stream().anyMatch(s -> LogFiles.offset(file.name(), s) == BASE),
                    file.name());
        }
        assertFalse(
                factory.isPlausible(List.of(), BASE, (long) BATCHES * BATCH_BYTES, LIMITS)
                        && !factory.suffixes().isEmpty(),
                "an index without its files is plausible");
    }

    @Test
    final void aSecondCloseDoesNothing() {
        final SegmentIndex index = fill(3);
        index.close();
        index.close();
    }

    private SegmentIndex fill(final int count) {
        writeSegment(count);
        final SegmentIndex index = factory.create(storage, DIRECTORY, BASE, LIMITS);
        for (int i = 0; i < count; i++) {
            append(index, i);
        }
        index.seal();
        index.force();
        return index;
    }

    /** As an open of a sealed segment does: believed as it is if it looks so, and restored if not. */
    private SegmentIndex opened(final int count) {
        final SegmentIndex index = factory.open(storage, DIRECTORY, BASE, LIMITS);
        if (!factory.isPlausible(storage.list(DIRECTORY), BASE, (long) count * BATCH_BYTES, LIMITS)) {
            restore(index, count);
        }
        return index;
    }

    private void restore(final SegmentIndex index, final int count) {
        final long end = (long) count * BATCH_BYTES;
        final long from = index.restore(BASE + (long) count * RECORDS, end);
        assertTrue(from >= 0 && from <= end, "the index goes on at " + from + " of " + end);
        if (from % BATCH_BYTES != 0) {
            // As a log does that finds no batch there.
            index.distrust();
        }
        feed(index, from % BATCH_BYTES == 0 ? (int) (from / BATCH_BYTES) : 0, count);
    }

    private void feed(final SegmentIndex index, final int from, final int to) {
        for (int i = from; i < to; i++) {
            append(index, i);
        }
        index.restored();
    }

    private void append(final SegmentIndex index, final int batch) {
        assertFalse(index.isFull(), "full at batch " + batch + ", which the limits allow");
        index.append(last(batch), (long) batch * BATCH_BYTES, timestamps[batch]);
    }

    private void requireTrue(final SegmentIndex index, final int count) {
        requireFloors(index, count, count + " batches");
        long largest = -1;
        for (int i = 0; i < count; i++) {
            largest = Math.max(largest, timestamps[i]);
        }
        assertEquals(largest, index.lookUps().largestTimestamp(view));
        view.release();
    }

    private void requireFloors(final SegmentIndex index, final int count, final String when) {
        final IndexLookUps lookUps = index.lookUps();
        for (int i = 0; i < count; i++) {
            for (long offset = last(i) - RECORDS + 1; offset <= last(i); offset++) {
                requireFloor(lookUps.positionOf(offset, view), i, "offset " + offset + ", " + when);
            }
            for (final long timestamp : new long[] {timestamps[i] - 1, timestamps[i], timestamps[i] + 1}) {
                requireFloor(
                        lookUps.positionOfTimestamp(timestamp, view),
                        firstAtLeast(timestamp, count),
                        "time " + timestamp + ", " + when);
            }
        }
        requireFloor(lookUps.positionOf(0, view), 0, "an offset in front, " + when);
        view.release();
    }

    /** The first batch with a record as young as that; the end of all if there is none. */
    private int firstAtLeast(final long timestamp, final int count) {
        int batch = 0;
        while (batch < count && timestamps[batch] < timestamp) {
            batch++;
        }
        return batch;
    }

    private static void requireFloor(final long position, final int batch, final String what) {
        assertTrue(
                position >= 0 && position % BATCH_BYTES == 0 && position <= (long) batch * BATCH_BYTES,
                () -> what + ": is in batch " + batch + " or behind, a look-up leads to " + position);
    }

    private static long last(final int batch) {
        return BASE + (long) batch * RECORDS + RECORDS - 1;
    }

    private static String path(final String suffix) {
        return LogFiles.path(DIRECTORY, LogFiles.name(BASE, suffix));
    }

    /** The segment's file, as long as it has to be. */
    private void writeSegment(final int count) {
        storage.delete(path(LogFiles.LOG));
        write(path(LogFiles.LOG), new byte[count * BATCH_BYTES]);
    }

    private void write(final String path, final byte[] bytes) {
        try (StorageFile file = storage.open(path, FileUse.APPEND, 0)) {
            if (bytes.length > 0) {
                final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
                file.claim(bytes.length, claimed);
                claimed.putBytes(0, bytes);
                file.publish();
            }
            file.force();
        }
    }

    /** They rise, on the whole, and some batches have none. */
    private static long[] timestamps(final int seed) {
        final Random random = new Random(seed);
        final long[] made = new long[BATCHES];
        for (int i = 0; i < BATCHES; i++) {
            made[i] = random.nextInt(10) == 0 ? -1 : NOW + 10L * i + random.nextInt(60);
        }
        return made;
    }

    /** The present ones up to a batch, and others from there on. */
    private long[] timestamps(final int seed, final int from) {
        final long[] made = timestamps(seed);
        System.arraycopy(timestamps, 0, made, 0, from);
        return made;
    }
}
