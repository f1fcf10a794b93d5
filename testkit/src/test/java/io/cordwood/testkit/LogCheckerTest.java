package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DerivedState;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogConfig;
import io.cordwood.log.ScanIndexes;
import io.cordwood.log.SegmentIndexFactory;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Crc32c;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.ToIntBiFunction;
import java.util.stream.LongStream;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

/** What is right passes the checks of a log, and each thing that may be wrong with one is noticed and told. */
final class LogCheckerTest {
    private static final String DIRECTORY = "t-0";
    private static final String FIRST = DIRECTORY + "/00000000000000000000.log";
    private static final LogConfig CONFIG = LogConfig.of(Map.of("segment.bytes", "1024", "file.delete.delay.ms", "0"));

    private final LogHistory history = new LogHistory();
    private SimulatedStorage disk = Disk.empty();

    /** What is done wrong to each log that was opened. */
    private BiConsumer<Log, Long> afterOpen = (log, recoveryPoint) -> {};

    private SegmentIndexFactory indexes = new ScanIndexes();

    private final LogChecker checker = new LogChecker(DIRECTORY, history, this::open);

    private Log open(final Storage storage, final long recoveryPoint, final List<DerivedState> states) {
        final LogBuilder builder = new LogBuilder(storage, DIRECTORY)
                .config(CONFIG)
                .indexes(indexes)
                .guard(history)
                .recoveryPoint(recoveryPoint);
        states.forEach(builder::state);
        final Log log = builder.open(Disk.NOW);
        afterOpen.accept(log, recoveryPoint);
        return log;
    }

    private static byte[] batch(final int number, final int records) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        for (int i = 0; i < records; i++) {
            memory.setMemory(900, 100, (byte) (number + i));
            // Not in order: the answer to a time need not be the record that has it.
            batch.append(Disk.NOW + (number * 7 + i) % 5, null, 0, -1, memory, 900, 100, null);
        }
        final byte[] bytes = new byte[batch.finish()];
        memory.getBytes(0, bytes);
        return bytes;
    }

    private void append(final Log log, final int number) {
        final byte[] batch = batch(number, 2);
        history.appending(new UnsafeBuffer(batch), 0, batch.length, number / 4);
        appendUntold(log, number);
    }

    private static void appendUntold(final Log log, final int number) {
        final byte[] batch = batch(number, 2);
        final long offset = log.append(new UnsafeBuffer(batch), 0, batch.length, AppendAs.client(number / 4), Disk.NOW);
        assertTrue(!Refusal.isRefusal(offset), log.refusalReason());
    }

    /** Twelve batches of two records each in several segments, all of them forced. */
    private Log written() {
        final Log log = checker.open(disk, 0);
        for (int i = 0; i < 12; i++) {
            append(log, i);
        }
        history.forced(log.flush());
        assertTrue(log.segmentCount() >= 3, log.segmentCount() + " segments");
        return log;
    }

    private SimulatedStorage left(final Log log) {
        log.closeUncleanly();
        disk = disk.powerCut(PowerCut.nothing());
        return disk;
    }

    private String wrong(final SimulatedStorage cut) {
        return String.valueOf(
                assertThrows(AssertionError.class, () -> checker.check(cut)).getMessage());
    }

    private static void assertTold(final String part, final String message) {
        assertTrue(message.contains(part), message);
    }

    @Test
    void aLogThatIsRightPassesAfterEachCut() {
        final CrashReport report = new CrashExplorer("orders", Disk.NOW, CheckedLog::new)
                .nested(1, 0)
                .oneIn(1, 10)
                .explore();
        assertTrue(report.acts() >= 60 && report.distinct() > 200, report.toString());
        checker.check(left(written()));
    }

    @Test
    void aBatchThatWasAcknowledgedAndIsLostIsMissed() {
        final Log log = written();
        append(log, 12);
        history.forced(log.endOffset());
        assertTold("forced are the offsets 0 to 26, but the batch at 24 is missing", wrong(left(log)));
    }

    @Test
    void aLogThatEndsBelowWhatWasForcedIsTooShortEvenIfNoBatchIsKnownToBeMissing() {
        final Log log = written();
        // Its end was empty then.
        history.found(LogContents.read(log, offset -> false), 40);
        history.forced(40);
        assertTold("the log ends at 24, below what was forced: 40", wrong(left(log)));
    }

    @Test
    void aBatchThatNobodyAppendedIsInvented() {
        final Log log = written();
        appendUntold(log, 12);
        log.flush();
        assertTold("at offset 24 there is a batch of", wrong(left(log)));
        assertTold("appended was nothing", wrong(disk));
    }

    @Test
    void aBatchThatWasTakenBackMustNotComeBack() {
        final Log log = written();
        history.cuttingTo(20);
        history.cutTo(20);
        assertTold("at offset 20 there is a batch of", wrong(left(log)));
    }

    @Test
    void aByteThatIsNotTheOneThatWasAppendedIsNoticed() {
        final Log log = written();
        final byte[] batch = batch(12, 2);
        batch[batch.length - 1]++;
        history.appending(new UnsafeBuffer(batch), 0, batch.length, 3);
        appendUntold(log, 12);
        history.forced(log.flush());
        final String message = wrong(left(log));
        assertTold("at offset 24 there is a batch of", message);
        assertTold("appended was a batch of", message);
    }

    @Test
    void anEpochThatIsNotTheOneOfTheAppendIsNoticed() {
        final Log log = written();
        final byte[] batch = batch(12, 2);
        history.appending(new UnsafeBuffer(batch), 0, batch.length, 7);
        appendUntold(log, 12);
        history.forced(log.flush());
        assertTold("and epoch 3, hash", wrong(left(log)));
    }

    @Test
    void offsetsThatAreMissingWithinASegmentAreNoticed() {
        rewriteFirst(left(written()), (content, second) -> {
            final int third =
                    second + new RecordBatchFlyweight().wrap(content, second).sizeInBytes();
            content.putBytes(second, content, third, content.capacity() - third);
            return content.capacity() - (third - second);
        });
        assertTold("expected a batch at offset 2, found one at 4", wrongWhenRead());
    }

    @Test
    void offsetsThatFallAreNoticed() {
        rewriteFirst(left(written()), (content, second) -> {
            content.putLong(second, 1, ByteOrder.BIG_ENDIAN);
            return content.capacity();
        });
        assertTold("at offset 2 of a log from 0 to 24", wrongWhenRead());
    }

    @Test
    void anIndexThatDoesNotKnowTheTimesOfItsSegmentIsNoticed() {
        left(written());
        indexes = new LyingIndexes(new ScanIndexes());
        final String message = wrong(disk);
        assertTold("of the time ", message);
        assertTold("or younger the first record is at offset ", message);
    }

    @Test
    void aDerivedStateIsWhatAReplayMakesAndOneThatIsNotIsNoticed() {
        final SimulatedStorage cut = left(written());
        checker.state(SegmentCountState::new, SegmentCountState::sums).check(cut.afterPowerCut(PowerCut.nothing()));
        checker.state(HastyState::new, HastyState::sums);
        final String message = wrong(cut);
        assertTold("a replay of all batches makes HastyState {0=", message);
        assertTold(", that of the log is {}", message);
    }

    @Test
    void aSecondRecoveryThatFindsLessIsNoticed() {
        final Log log = written();
        history.cuttingTo(4);
        afterOpen = (opened, recoveryPoint) -> opened.truncateTo(opened.endOffset() - 1, Disk.NOW);
        assertTold("a second recovery changes the log: batches at [0, 2, ", wrong(left(log)));
    }

    @Test
    void anOpenThatTrustsTheCloseAndFindsLessIsNoticed() {
        final Log log = written();
        afterOpen = (opened, recoveryPoint) -> {
            if (recoveryPoint == Long.MAX_VALUE) {
                opened.truncateTo(opened.endOffset() - 1, Disk.NOW);
            }
        };
        assertTold("a clean close changes the log: batches at [0, 2, ", wrong(left(log)));
    }

    @Test
    void anotherOpenThatFindsAnotherByteIsNoticed() {
        final Log log = written();
        final LogExam exam = new LogExam(log, history);
        exam.requireSame(log, "nothing");
        rewriteFirst(left(log), (content, second) -> {
            // Behind the value there is the number of headers.
            final int last = second - 2;
            content.putByte(last, (byte) (content.getByte(last) + 1));
            final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(content, 0);
            content.putInt(17, (int) batch.computedCrc(new Crc32c()), ByteOrder.BIG_ENDIAN);
            return content.capacity();
        });
        final Log other = checker.open(disk, Long.MAX_VALUE);
        final AssertionError wrong =
                assertThrows(AssertionError.class, () -> exam.requireSame(other, "a change of a byte"));
        assertEquals(
                "a change of a byte changes the log: the batch at 0 differs from its byte 17 on", wrong.getMessage());
        other.closeUncleanly();
    }

    @Test
    void aRecoveryThatLeavesOtherFilesWhenItIsRepeatedIsNoticed() {
        final Log log = written();
        final Map<Log, Integer> opens = new HashMap<>();
        afterOpen = (opened, recoveryPoint) -> {
            opens.put(opened, 0);
            Disk.durable(disk, DIRECTORY + "/opens", "x".repeat(opens.size()));
        };
        assertTold("one and a close leave different files: {t-0/opens=", wrong(left(log)));
    }

    @Test
    void whatTheStructureCheckFindsAfterACleanCloseIsTold() {
        final SimulatedStorage cut = left(written());
        Disk.durable(cut, DIRECTORY + "/5.log", "");
        final String message = wrong(cut);
        assertTold("expected no fault after a clean close, found are ", message);
        assertTold("5.log: position 0: the name of a segment is an offset of 20 digits", message);
    }

    @Test
    void aCheckThatIsPassedInSeesAllAndIsHeard() {
        final SimulatedStorage cut = left(written());
        final List<CountingCheck> made = new ArrayList<>();
        checker.companion(storage -> {
            made.add(new CountingCheck(List.of()));
            return made.get(made.size() - 1);
        });
        checker.check(cut.afterPowerCut(PowerCut.nothing()));
        assertEquals(1, made.size());
        assertEquals(12, made.get(0).batches);
        final Fault fault = new Fault(Fault.Kind.BAD_FILE, "t-0/mine", 7, -1, "a fault of mine");
        checker.companion(storage -> new CountingCheck(List.of(fault)));
        assertTold("a fault of mine", wrong(cut));
    }

    @Test
    void aRecoveryThatTellsOfWhatNoPowerCutExplainsIsNoticed() {
        rewriteFirst(left(written()), (content, second) -> {
            content.putByte(second - 2, (byte) 99);
            return content.capacity();
        });
        assertTold("no power cut explains what is reported", wrong(disk));
    }

    @Test
    void aTableOfEpochsThatIsNotThatOfTheBatchesIsNoticed() {
        left(written());
        disk.delete(DIRECTORY + "/leader-epoch-checkpoint");
        Disk.durable(disk, DIRECTORY + "/leader-epoch-checkpoint", "0\n1\n0 0\n");
        assertTold("is of epoch 1, the table says 0", wrong(disk));
    }

    @Test
    void aHoleIsKnownFromItsFirstOffsetToItsLast() {
        final NavigableMap<Long, byte[]> found = new TreeMap<>();
        final LogHistory other = new LogHistory();
        for (int i = 0; i < 6; i++) {
            final byte[] stored = other.appending(new UnsafeBuffer(batch(i, 2)), 0, batch(i, 2).length, 0);
            if (i < 2 || i == 4) {
                found.put(2L * i, stored);
            }
        }
        other.found(found, 12);
        assertEquals(
                List.of(4L, 5L, 6L, 7L, 10L, 11L),
                LongStream.range(0, 14).filter(other::isGap).boxed().toList());
    }

    /** What is wrong with the log if it is opened without a look at its bytes. */
    private String wrongWhenRead() {
        final Log log = checker.open(disk, Long.MAX_VALUE);
        final AssertionError wrong = assertThrows(AssertionError.class, () -> LogContents.read(log, offset -> false));
        log.closeUncleanly();
        return String.valueOf(wrong.getMessage());
    }

    /** Changes the first segment on the platter; the change is told where its second batch begins, and tells how long it is then. */
    private static void rewriteFirst(final SimulatedStorage disk, final ToIntBiFunction<UnsafeBuffer, Integer> change) {
        final UnsafeBuffer content;
        try (StorageFile file = disk.open(FIRST, FileUse.READ, 0);
                FileView view = new FileView()) {
            content = new UnsafeBuffer(new byte[file.view(0, (int) file.length(), view)]);
            view.buffer().getBytes(0, content, 0, content.capacity());
        }
        final int length = change.applyAsInt(
                content, new RecordBatchFlyweight().wrap(content, 0).sizeInBytes());
        disk.delete(FIRST);
        try (StorageFile file = disk.open(FIRST, FileUse.APPEND, 0)) {
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            file.claim(length, claimed);
            claimed.putBytes(0, content, 0, length);
            file.publish();
            file.force();
        }
        disk.syncDirectory(DIRECTORY);
    }

    /** Counts what it sees, and has found something beforehand. */
    private static final class CountingCheck implements LogCheck.Companion {
        private final List<Fault> faults;
        private int batches;

        CountingCheck(final List<Fault> faults) {
            this.faults = faults;
        }

        @Override
        public void begin(final String directory, final long baseOffset) {
            assertEquals(DIRECTORY, directory);
        }

        @Override
        public void batch(final long lastOffset, final long position, final long maxTimestamp) {
            batches++;
        }

        @Override
        public List<Fault> end(final boolean isLast, final boolean isSound) {
            return isLast ? faults : List.of();
        }
    }
}
