package io.cordwood.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.DerivedState;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.function.Function;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/**
 * What every {@link DerivedState} is held to, in the order of calls in which a log makes them, on a {@link SimulatedStorage}: whatever
 * its files say, after a restore and the replay that this asks for it knows what follows from the batches.
 *
 * <pre>
 *   class MyTableTest extends DerivedStateContract&lt;MyTable&gt; {
 *       MyTableTest() {
 *           super(MyTable::new, MyTable::entries);
 *       }
 *   }
 * </pre>
 *
 * @param <S> the state.
 */
public abstract class DerivedStateContract<S extends DerivedState> {
    private static final String DIRECTORY = "t-0";
    private static final long NOW = 1_700_000_000_000L;
    private static final int BATCH_BYTES = 1024;
    private static final int LEADER_EPOCH_AT = 12;

    /** Batches of three records each; the segments begin at every fourth. */
    private static final int RECORDS = 3;

    private static final int BATCHES = 14;
    private static final int SEGMENT_BATCHES = 4;
    private static final long END = (long) RECORDS * BATCHES;

    private final DerivedStateFactory<S> factory;
    private final Function<S, ?> content;
    private SimulatedStorage storage = new SimulatedStorage(() -> NOW);
    private List<UnsafeBuffer> batches = batches(0, BATCHES, 0);

    /** Up to where a state was forced, which is the recovery point of a log; and where it was cut. */
    private long forcedEnd;

    /**
     * Names what is tested.
     *
     * @param factory makes a state.
     * @param content of a state, to be compared by {@code equals}: all that follows from the batches, and nothing else.
     */
    protected DerivedStateContract(final DerivedStateFactory<S> factory, final Function<S, ?> content) {
        this.factory = factory;
        this.content = content;
        storage.makeDirectory(DIRECTORY);
        storage.syncDirectory("");
    }

    @Test
    final void aRestoreAndAReplayKnowWhatTheBatchesSay() {
        final Object expected = naive(END);
        try (S state = applied(END)) {
            assertEquals(expected, content.apply(state));
            close(state, END);
        }
        assertEquals(expected, restored(END));
        assertEquals(expected, restored(END), "a second restore");
    }

    @Test
    final void aStateThatWasNotClosedIsReplayed() {
        try (S state = applied(END)) {
            assertEquals(naive(END), content.apply(state));
        }
        storage = storage.kill();
        assertEquals(naive(END), restored(END));
    }

    @Test
    final void aPowerCutCostsNothingThatAReplayDoesNotBringBack() {
        try (S state = applied(END)) {
            close(state, END);
            state.snapshot(END);
        }
        for (final PowerCut cut : List.of(PowerCut.nothing(), PowerCut.everything())) {
            storage = storage.powerCut(cut);
            assertEquals(naive(END), restored(END));
        }
    }

    @Test
    final void whatAForceCoversNeedsNoReplayAfterAPowerCutEither() {
        try (S state = applied(END)) {
            close(state, END);
        }
        final List<Long> from = new ArrayList<>();
        for (final PowerCut cut : List.of(PowerCut.nothing(), PowerCut.everything())) {
            try (S state = factory.create(storage.afterPowerCut(cut), DIRECTORY)) {
                from.add(state.restore(0, bases(END), END));
            }
        }
        assertEquals(from.get(1), from.get(0), "without what was not forced the replay begins earlier");
    }

    @Test
    final void oneStateRestoresItselfAsOftenAsItIsAsked() {
        try (S state = applied(END)) {
            close(state, END);
            for (int i = 0; i < 2; i++) {
                replay(state, bases(END), END);
                assertEquals(naive(END), content.apply(state));
            }
        }
    }

    @Test
    final void whatIsCutOffIsForgottenAndDoesNotComeBack() {
        for (long cut = END; cut >= 0; cut -= RECORDS) {
            try (S state = applied(END)) {
                close(state, END);
                replay(state, bases(cut), cut);
                assertEquals(naive(cut), content.apply(state), "cut to " + cut);
            }
            // Nothing that was said of later offsets may be believed by who finds others there.
            storage = storage.powerCut(PowerCut.nothing());
            final List<UnsafeBuffer> before = batches;
            final int kept = (int) cut / RECORDS;
            batches = new ArrayList<>(before.subList(0, kept));
            batches.addAll(batches(kept, BATCHES - kept, 50));
            assertEquals(naive(END), restored(END), "others behind " + cut);
            batches = before;
            clear();
        }
    }

    @Test
    final void aLogThatBeginsAnewHasNoPast() {
        final long start = 1000;
        try (S state = applied(END)) {
            close(state, END);
            state.restore(0, new long[] {0}, 0);
            state.restore(start, new long[] {start}, start);
            assertEquals(naive(0), content.apply(state));
        }
        storage = storage.powerCut(PowerCut.nothing());
        try (S state = factory.create(storage, DIRECTORY)) {
            assertTrue(state.restore(start, new long[] {start}, start) >= start);
            assertEquals(naive(0), content.apply(state));
        }
    }

    @Test
    final void whatTheFrontHeldIsForgotten() {
        final long[] bases = bases(END);
        for (int dropped = 1; dropped < bases.length; dropped++) {
            final long[] left = Arrays.copyOfRange(bases, dropped, bases.length);
            final Object expected = retained(naive(END), naive(left));
            try (S state = applied(END)) {
                state.retain(left[0], left);
                assertEquals(expected, content.apply(state), "retained from " + left[0]);
                close(state, END);
            }
            try (S state = factory.create(storage, DIRECTORY)) {
                final long from = state.restore(left[0], left, END);
                assertTrue(from >= left[0] && from <= END, "from " + from);
                feed(state, left, from, END);
                assertEquals(expected, content.apply(state), "restored from " + left[0]);
            }
            clear();
        }
    }

    /**
     * What a state knows once the segments in front are dropped: what follows from the batches that are left. A state that may know more,
     * since it speaks of clients and not of batches, overrides this.
     *
     * @param ofAll what it knew before.
     * @param ofThoseLeft what it knows that has seen the batches of the segments that are left, and no others.
     * @return what {@link DerivedState#retain} and a later restore are to leave.
     */
    protected Object retained(final Object ofAll, final Object ofThoseLeft) {
        return ofThoseLeft;
    }

    @Test
    final void aFileThatIsMissingEmptyOrSpoiledCostsTimeAndNoTruth() {
        for (final String name : filesAfterClose()) {
            for (final byte[] spoiled : List.of(new byte[0], garbage(40), garbage(4000), new byte[40])) {
                replace(name, spoiled);
                assertEquals(naive(END), restored(END), name + " of " + spoiled.length + " bytes");
                clear();
                filesAfterClose();
            }
            storage.delete(DIRECTORY + "/" + name);
            assertEquals(naive(END), restored(END), name + " is missing");
        }
    }

    @Test
    final void aSecondCloseDoesNothing() {
        final S state = applied(END);
        state.close();
        state.close();
    }

    private List<String> filesAfterClose() {
        try (S state = applied(END)) {
            close(state, END);
        }
        return storage.list(DIRECTORY).stream().map(FileStatus::name).toList();
    }

    private void replace(final String name, final byte[] bytes) {
        final Storage disk = storage;
        disk.delete(DIRECTORY + "/" + name);
        try (StorageFile file = disk.open(DIRECTORY + "/" + name, FileUse.APPEND, 0)) {
            if (bytes.length > 0) {
                final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
                file.claim(bytes.length, claimed);
                claimed.putBytes(0, bytes);
                file.publish();
            }
        }
    }

    private void clear() {
        for (final FileStatus file : storage.list(DIRECTORY)) {
            storage.delete(DIRECTORY + "/" + file.name());
        }
    }

    /** What a state knows that has seen all batches below an offset, and no file. */
    private Object naive(final long end) {
        final SimulatedStorage empty = new SimulatedStorage(() -> NOW);
        empty.makeDirectory(DIRECTORY);
        try (S state = factory.create(empty, DIRECTORY)) {
            feed(state, bases(END), 0, end);
            return Objects.requireNonNull(content.apply(state));
        }
    }

    /** What a state knows that has seen the batches of these segments alone, and no file. */
    private Object naive(final long[] left) {
        final SimulatedStorage empty = new SimulatedStorage(() -> NOW);
        empty.makeDirectory(DIRECTORY);
        try (S state = factory.create(empty, DIRECTORY)) {
            assertEquals(left[0], state.restore(left[0], left, left[0]), "without files a replay begins in front");
            feed(state, left, left[0], END);
            return Objects.requireNonNull(content.apply(state));
        }
    }

    /** As a log goes on: with a snapshot at each roll, and a force now and then. */
    private S applied(final long end) {
        final S state = factory.create(storage, DIRECTORY);
        state.restore(0, new long[] {0}, 0);
        forcedEnd = 0;
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        for (int i = 0; i < end / RECORDS; i++) {
            final long base = (long) i * RECORDS;
            if (i > 0 && i % SEGMENT_BATCHES == 0) {
                state.snapshot(base);
                if (i % (2 * SEGMENT_BATCHES) == 0) {
                    force(state, base);
                }
            }
            state.apply(batch.wrap(batches.get(i), 0), base(i));
        }
        return state;
    }

    private void force(final S state, final long end) {
        state.force(end);
        forcedEnd = end;
    }

    private void close(final S state, final long end) {
        state.snapshot(end);
        force(state, end);
    }

    private Object restored(final long end) {
        try (S state = factory.create(storage, DIRECTORY)) {
            replay(state, bases(end), end);
            return Objects.requireNonNull(content.apply(state));
        }
    }

    /** As an open does, or a truncation: files are asked up to the recovery point. */
    private void replay(final S state, final long[] bases, final long end) {
        forcedEnd = Math.min(forcedEnd, end);
        final long from = state.restore(0, bases, forcedEnd);
        assertTrue(from >= bases[0] && from <= forcedEnd, "a replay from " + from + " to " + end);
        feed(state, bases, from, end);
    }

    private void feed(final S state, final long[] bases, final long from, final long end) {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight();
        for (int i = (int) (from / RECORDS); i < end / RECORDS; i++) {
            if (base(i) == (long) i * RECORDS && base(i) > Math.max(from, bases[0])) {
                state.snapshot(base(i));
            }
            state.apply(batch.wrap(batches.get(i), 0), base(i));
        }
    }

    private static long base(final int batch) {
        return (long) batch / SEGMENT_BATCHES * SEGMENT_BATCHES * RECORDS;
    }

    private static long[] bases(final long end) {
        final int last = (int) Math.max(0, end / RECORDS - 1);
        final long[] bases = new long[last / SEGMENT_BATCHES + 1];
        for (int i = 0; i < bases.length; i++) {
            bases[i] = base(i * SEGMENT_BATCHES);
        }
        return bases;
    }

    /** The epoch rises with every fifth; others of the same offsets are of later epochs. */
    private static List<UnsafeBuffer> batches(final int first, final int count, final int epochs) {
        final List<UnsafeBuffer> made = new ArrayList<>();
        for (int i = first; i < first + count; i++) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[BATCH_BYTES]);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
            produce(batch, i + epochs);
            for (int r = 0; r < RECORDS; r++) {
                batch.append(NOW + i, null, 0, -1, new UnsafeBuffer(new byte[] {(byte) (i + epochs)}), 0, 1, null);
            }
            final int length = batch.finish();
            memory.putLong(0, (long) i * RECORDS, ByteOrder.BIG_ENDIAN);
            memory.putInt(LEADER_EPOCH_AT, i / 5 + epochs, ByteOrder.BIG_ENDIAN);
            made.add(new UnsafeBuffer(memory, 0, length));
        }
        return made;
    }

    /** Some have no producer, some an idempotent one, some are of transactions that nobody ends; the sequences follow each other. */
    private static void produce(final BatchBuilder batch, final int number) {
        final int turn = number / 3 * RECORDS;
        switch (number % 3) {
            case 1 -> batch.producer(7, (short) 0, turn);
            case 2 -> batch.producer(8, (short) (number / 50), turn).transactional(true);
            default -> batch.transactional(false);
        }
    }

    private static byte[] garbage(final int length) {
        final byte[] garbage = new byte[length];
        new Random(length).nextBytes(garbage);
        return garbage;
    }
}
