package io.cordwood.transactions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.testkit.PowerCut;
import io.cordwood.testkit.SimulatedStorage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What engines like ours got wrong, as their users reported it: idempotence and transactions, the log's side. */
final class ProducerBugsTest {
    private static final int LARGE = 1 << 20;
    private static final ProducerConfig VERIFYING = new ProducerConfig(86_400_000, 1000, true);

    @TempDir
    private Path root;

    private DiskStorage storage;

    @BeforeEach
    void makeStorage() {
        storage = new DiskStorage(root);
    }

    @AfterEach
    void closeStorage() {
        storage.close();
    }

    private ProducerLog open() {
        return ProducerLog.open(storage, ProducerConfig.defaults(), LARGE);
    }

    private Path file(final String name) {
        return root.resolve(ProducerLog.DIRECTORY).resolve(name);
    }

    @Test
    void retriesOfBatchesInFlightAnswerTheirOffsets() {
        try (ProducerLog log = open()) {
            for (int sequence = 0; sequence < 5; sequence++) {
                assertEquals(sequence, log.idempotent(1, 0, sequence, 1));
            }
            assertEquals(0, log.idempotent(1, 0, 0, 1));
            assertEquals(2, log.idempotent(1, 0, 2, 1));
            assertEquals(5, log.idempotent(1, 0, 5, 1));
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.idempotent(1, 0, 0, 1));
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.idempotent(1, 0, 7, 1));
            assertEquals(6, log.log().endOffset());
        }
    }

    @Test
    void aSnapshotAtARollKnowsNothingOfTheBatchThatRolled() {
        try (ProducerLog log = ProducerLog.open(storage, ProducerConfig.defaults(), 2048)) {
            final UnsafeBuffer first = log.batch(8, 0, 0, false, 1, 1500);
            assertEquals(0, log.append(first, AppendAs.client(0)));
            final UnsafeBuffer damaged = log.batch(8, 0, 1, false, 1, 1500);
            damaged.putByte(damaged.capacity() - 1, (byte) 1);
            assertEquals(Refusal.CORRUPT_BATCH, log.append(damaged, AppendAs.client(0)));
            final List<ProducerEntry> before = log.state().producers();
            assertEquals(
                    Refusal.BATCH_LARGER_THAN_SEGMENT,
                    log.append(log.batch(8, 0, 1, false, 1, 3000), AppendAs.client(0)));
            assertEquals(before, log.state().producers());
            assertEquals(1, log.append(log.batch(8, 0, 1, false, 1, 1500), AppendAs.client(0)));
            log.log().flush();
            assertTrue(Files.exists(file("00000000000000000001.snapshot")));
            assertEquals(1, log.log().truncateTo(1, ProducerLog.NOW));
            assertEquals(0, log.state().producers().get(0).batches().get(0).lastSequence());
            assertEquals(1, log.append(log.batch(8, 0, 1, false, 1, 1500), AppendAs.client(0)));
        }
    }

    @Test
    void aDamagedSnapshotIsReplacedByAnOlderOneAndAReplay() throws IOException {
        for (final boolean isEmptied : new boolean[] {true, false}) {
            final Path own = Files.createDirectories(root.resolve(isEmptied ? "emptied" : "flipped"));
            try (DiskStorage disk = new DiskStorage(own)) {
                try (ProducerLog log = ProducerLog.open(disk, ProducerConfig.defaults(), LARGE)) {
                    for (int i = 0; i < 230; i++) {
                        if (i == 100 || i == 200) {
                            log.log().roll(ProducerLog.NOW);
                        }
                        assertEquals(i, log.idempotent(i % 7, 0, i / 7, 1));
                    }
                }
                final List<ProducerEntry> expected;
                try (ProducerLog log = ProducerLog.open(disk, ProducerConfig.defaults(), LARGE)) {
                    expected = log.state().producers();
                }
                final Path directory = own.resolve(ProducerLog.DIRECTORY);
                final Path last = directory.resolve(name(230));
                final byte[] spoiled = isEmptied ? new byte[0] : Files.readAllBytes(last);
                Files.write(directory.resolve(name(235)), Files.readAllBytes(last));
                if (!isEmptied) {
                    spoiled[20] ^= 4;
                }
                Files.write(last, spoiled);
                Files.write(directory.resolve(name(200)), spoiled);
                try (ProducerLog log = ProducerLog.open(disk, ProducerConfig.defaults(), LARGE, Long.MAX_VALUE)) {
                    assertEquals(lastBatches(expected), lastBatches(log.state().producers()));
                    assertTrue(log.log().recovery().scannedBytes() > 0, "from the snapshot at 100 on");
                    assertFalse(Files.exists(directory.resolve(name(235))), "a snapshot of a later end");
                }
                assertArrayEquals(new byte[] {0, 1}, head(last), "the close has written another");
            }
        }
    }

    private static byte[] head(final Path file) throws IOException {
        final byte[] content = Files.readAllBytes(file);
        return new byte[] {content[0], content[1]};
    }

    private static String name(final long offset) {
        return String.format("%020d.snapshot", offset);
    }

    private static List<ProducerEntry.Batch> lastBatches(final List<ProducerEntry> producers) {
        return producers.stream()
                .map(entry -> entry.batches().get(entry.batches().size() - 1))
                .toList();
    }

    @Test
    void anIdleProducerGoesOnWhereItStopped() {
        final ProducerConfig config = new ProducerConfig(600_000, 1000, false);
        try (ProducerLog log = ProducerLog.open(storage, config, LARGE)) {
            assertEquals(0, log.idempotent(4, 0, 0, 1));
            assertEquals(1, log.idempotent(4, 0, 1, 1));
            log.nowMs(ProducerLog.NOW + 601_000);
            assertEquals(1, log.state().expire(ProducerLog.NOW + 601_000, 100));
            assertEquals(2, log.idempotent(4, 0, 2, 1));
            assertEquals(3, log.idempotent(5, 0, 0, 1));
            log.log().roll(ProducerLog.NOW);
            log.log().flush();
            assertTrue(log.log().deletePrefix(4, 4, ProducerLog.NOW) >= 0);
            assertEquals(4, log.idempotent(5, 0, 1, 1));
            assertEquals(3, log.idempotent(5, 0, 0, 1), "the duplicate of one whose record is gone");
        }
    }

    @Test
    void aProducerIdForEachBatchDoesNotFillTheHeap() {
        final ProducerConfig config = new ProducerConfig(3_600, 6_000, false);
        try (ProducerLog log = ProducerLog.open(storage, config, LARGE)) {
            for (int i = 0; i < 20_000; i++) {
                log.nowMs(ProducerLog.NOW + i);
                assertEquals(i, log.idempotent(i, 0, 0, 1));
                log.state().expire(ProducerLog.NOW + i, 4);
                assertTrue(log.state().producerCount() <= 5_000, "producers after " + i);
            }
            log.state().expire(ProducerLog.NOW + 7_200_000, Integer.MAX_VALUE);
            assertEquals(0, log.state().producerCount());
        }
        try (ProducerLog log = ProducerLog.open(storage, new ProducerConfig(1_000_000_000, 3, false), LARGE)) {
            log.state().expire(Long.MAX_VALUE, Integer.MAX_VALUE);
            for (int i = 0; i < 3; i++) {
                assertTrue(log.idempotent(i, 0, 7, 1) >= 0);
            }
            final long refused = log.idempotent(3, 0, 0, 1);
            assertEquals(Refusal.TOO_MANY_PRODUCERS, refused);
            assertEquals("too many producers", Refusal.name(refused));
            assertTrue(log.idempotent(2, 0, 8, 1) >= 0, "those that are known go on");
        }
    }

    @Test
    void aBatchThatComesAfterItsTransactionOpensNone() {
        try (ProducerLog log = ProducerLog.open(storage, VERIFYING, LARGE)) {
            final long guard = log.state().beginVerification(6, (short) 0, 0, false, ProducerLog.NOW);
            assertEquals(Refusal.INVALID_TRANSACTION_STATE, log.transactional(6, 0, 0, 1), "without a guard");
            assertEquals(0, log.transactional(6, 0, 0, 1, guard));
            assertEquals(
                    ProducerState.NO_GUARD, log.state().beginVerification(6, (short) 0, 1, false, ProducerLog.NOW));
            assertEquals(1, log.abort(6, 0, 0));
            assertEquals(Refusal.INVALID_TRANSACTION_STATE, log.transactional(6, 0, 1, 1), "without a guard");
            assertEquals(Refusal.INVALID_TRANSACTION_STATE, log.transactional(6, 0, 1, 1, guard), "with an old one");
            log.replicated();
            assertEquals(2, log.log().endOffset());
            assertEquals(2, log.stable());
        }
    }

    @Test
    void noBatchOvertakesOneThatWaitedToBeVerified() {
        try (ProducerLog log = ProducerLog.open(storage, VERIFYING, LARGE)) {
            final long guard = log.state().beginVerification(7, (short) 3, 5, true, ProducerLog.NOW);
            assertEquals(guard, log.state().beginVerification(7, (short) 3, 0, true, ProducerLog.NOW));
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.transactional(7, 3, 5, 1, guard));
            assertEquals(0, log.transactional(7, 3, 0, 5, guard));
            assertEquals(5, log.transactional(7, 3, 5, 1), "an open transaction needs no guard");
        }
    }

    @Test
    void noBatchOvertakesOneOfTheFirstProtocolEither() {
        try (ProducerLog log = ProducerLog.open(storage, VERIFYING, LARGE)) {
            final long guard = log.state().beginVerification(7, (short) 3, 5, false, ProducerLog.NOW);
            assertEquals(guard, log.state().beginVerification(7, (short) 3, 2, false, ProducerLog.NOW));
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.transactional(7, 3, 5, 1, guard));
            assertEquals(0, log.transactional(7, 3, 2, 3, guard));
        }
    }

    @Test
    void aProducerOfTheSecondProtocolBeginsWithSequenceZero() {
        try (ProducerLog log = ProducerLog.open(storage, VERIFYING, LARGE)) {
            final long second = log.state().beginVerification(8, (short) 1, 4, true, ProducerLog.NOW);
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.transactional(8, 1, 4, 1, second));
            final long first = log.state().beginVerification(9, (short) 1, 4, false, ProducerLog.NOW);
            assertEquals(0, log.transactional(9, 1, 4, 1, first));
        }
    }

    @Test
    void aMarkerThatIsRepeatedSucceeds() {
        for (int round = 0; round < 2; round++) {
            final long protocol = ProducerState.MARKER_OF_SECOND_PROTOCOL;
            try (ProducerLog log = open()) {
                final long first = log.log().endOffset();
                if (round == 0) {
                    assertEquals(first, log.transactional(6, 4, 0, 1));
                    assertEquals(
                            Refusal.INVALID_PRODUCER_EPOCH,
                            log.marker(6, 4, 0, true, protocol),
                            "not above the batches'");
                    assertTrue(log.marker(6, 5, 0, true, protocol) >= 0);
                }
                assertTrue(log.marker(6, 5, 0, true, protocol) >= 0, "the same again, round " + round);
                assertEquals(Refusal.FENCED_COORDINATOR_EPOCH, log.marker(6, 5, -1, true, protocol));
                log.replicated();
                assertEquals(-1, log.state().firstUndecidedOffset());
                assertEquals(log.log().endOffset(), log.stable());
                assertEquals(List.of(0L), log.committed(0));
            }
        }
    }

    @Test
    void theLastEpochCanBeFenced() {
        try (ProducerLog log = open()) {
            assertEquals(0, log.transactional(3, 32_766, 0, 1));
            assertEquals(1, log.marker(3, 32_767, 0, false, ProducerState.MARKER_OF_SECOND_PROTOCOL));
            assertEquals(Refusal.INVALID_PRODUCER_EPOCH, log.transactional(3, 32_766, 1, 1));
            log.replicated();
            assertEquals(2, log.stable());
        }
    }

    @Test
    void abortedTransactionsAreListedAlsoOfLaterSegments() {
        try (ProducerLog log = open()) {
            for (int i = 0; i < 1000; i++) {
                log.plain(1);
            }
            log.log().roll(ProducerLog.NOW);
            assertEquals(1000, log.transactional(1, 0, 0, 1));
            assertEquals(1001, log.abort(1, 0, 0));
            assertEquals(1002, log.transactional(2, 0, 0, 1));
            assertEquals(1003, log.abort(2, 0, 0));
            assertEquals(1004, log.plain(1));
            log.log().roll(ProducerLog.NOW);
            log.replicated();
            assertEquals(List.of(List.of(1L, 1000L), List.of(2L, 1002L)), log.aborted(1000, 1005));
            assertEquals(List.of(List.of(2L, 1002L)), log.aborted(1002, 1005));
            assertEquals(List.of(1004L), log.committed(1000));
        }
    }

    @Test
    void eachTransactionOfAProducerIsJudgedByItself() {
        try (ProducerLog log = open()) {
            log.plain(1);
            assertEquals(1, log.transactional(1, 0, 0, 1));
            log.commit(1, 0, 0);
            assertEquals(3, log.transactional(1, 0, 1, 1));
            log.abort(1, 0, 0);
            assertEquals(5, log.transactional(1, 0, 2, 1));
            log.commit(1, 0, 0);
            log.replicated();
            assertEquals(List.of(0L, 1L, 5L), log.committed(0));
            assertEquals(List.of(List.of(1L, 3L)), log.aborted(0, 7));
        }
    }

    @Test
    void aMarkerOfOneProducerShowsNothingOfAnother() {
        try (ProducerLog log = open()) {
            assertEquals(0, log.transactional(1, 0, 0, 1));
            assertEquals(1, log.transactional(2, 0, 0, 1));
            log.abort(1, 0, 0);
            assertEquals(3, log.transactional(2, 0, 1, 1));
            log.abort(2, 0, 0);
            assertEquals(5, log.plain(1));
            log.replicated();
            assertEquals(List.of(5L), log.committed(0));
        }
    }

    @Test
    void aSpoiledIndexOfAbortedTransactionsIsBuiltAnew() throws IOException {
        try (ProducerLog log = open()) {
            log.transactional(1, 0, 0, 1);
            log.abort(1, 0, 0);
            log.log().roll(ProducerLog.NOW);
            log.transactional(2, 0, 0, 1);
            log.abort(2, 0, 0);
        }
        final byte[] sound = Files.readAllBytes(file("00000000000000000000.txnindex"));
        final byte[] spoiled = sound.clone();
        spoiled[1] = 1;
        Files.write(file("00000000000000000000.txnindex"), spoiled);
        try (ProducerLog log = ProducerLog.open(storage, ProducerConfig.defaults(), LARGE, Long.MAX_VALUE)) {
            assertEquals(List.of(List.of(1L, 0L), List.of(2L, 2L)), log.aborted(0, 4));
        }
        assertArrayEquals(sound, Files.readAllBytes(file("00000000000000000000.txnindex")));
    }

    @Test
    void whatWasForcedSurvivesAPowerCutAndWhatWasVoidedDoesNotComeBack() {
        SimulatedStorage disk = new SimulatedStorage(() -> ProducerLog.NOW);
        final ProducerLog log = ProducerLog.open(disk, ProducerConfig.defaults(), LARGE);
        log.transactional(1, 0, 0, 1);
        log.abort(1, 0, 0);
        log.log().roll(ProducerLog.NOW);
        log.transactional(2, 0, 0, 1);
        log.abort(2, 0, 0);
        log.log().flush();
        disk = disk.powerCut(PowerCut.nothing());
        // The recovery point is at the end: nothing is replayed that the files should tell.
        final ProducerState state = new ProducerState(disk, ProducerLog.DIRECTORY, ProducerConfig.defaults());
        assertEquals(2, state.restore(0, new long[] {0, 2}, 4), "the snapshot at the roll");
        assertEquals(List.of(List.of(1L, 0L), List.of(2L, 2L)), listed(state, 4));
        assertEquals(0, state.restore(0, new long[] {0}, 1));
        disk = disk.powerCut(PowerCut.nothing());
        final ProducerState later = new ProducerState(disk, ProducerLog.DIRECTORY, ProducerConfig.defaults());
        assertEquals(0, later.restore(0, new long[] {0, 2}, 4), "the snapshot was of a history that is gone");
        assertEquals(List.of(), listed(later, 4));
    }

    private static List<List<Long>> listed(final ProducerState state, final long upTo) {
        final List<List<Long>> listed = new ArrayList<>();
        try (AbortedReader reader = state.newAbortedReader()) {
            final int count = reader.list(0, upTo);
            for (int i = 0; i < count; i++) {
                listed.add(List.of(reader.producerId(i), reader.firstOffset(i)));
            }
        }
        return listed;
    }

    @Test
    void aDecisionThatIsNotReplicatedDecidesNothing() {
        try (ProducerLog log = open()) {
            log.transactional(1, 0, 0, 5);
            log.commit(1, 0, 0);
            log.state().highWatermark(5);
            assertEquals(0, log.state().lastStableOffset(5));
            log.state().highWatermark(6);
            assertEquals(6, log.state().lastStableOffset(6));
        }
    }

    @Test
    void sequencesWrap() {
        try (ProducerLog log = open()) {
            assertEquals(0, log.idempotent(1, 0, Integer.MAX_VALUE - 1, 4));
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.idempotent(1, 0, 3, 1));
            assertEquals(4, log.idempotent(1, 0, 2, 1));
            assertEquals(0, log.idempotent(1, 0, Integer.MAX_VALUE - 1, 4), "a duplicate across the end");
            assertEquals(5, log.idempotent(2, 0, Integer.MAX_VALUE, 1));
            assertEquals(6, log.idempotent(2, 0, 0, 1));
            assertEquals(
                    new ProducerEntry.Batch(Integer.MAX_VALUE - 1, 1, 0, 3, ProducerLog.NOW),
                    log.state().producers().get(0).batches().get(0));
        }
    }

    @Test
    void epochsFence() {
        try (ProducerLog log = open()) {
            assertEquals(0, log.idempotent(1, 2, 0, 1));
            assertEquals(Refusal.INVALID_PRODUCER_EPOCH, log.idempotent(1, 1, 1, 1));
            assertEquals(Refusal.OUT_OF_ORDER_SEQUENCE, log.idempotent(1, 3, 1, 1), "a new epoch begins with 0");
            assertEquals(1, log.idempotent(1, 3, 0, 1));
            assertEquals(2, log.transactional(1, 3, 1, 1));
            assertEquals(Refusal.INVALID_TRANSACTION_STATE, log.idempotent(1, 3, 2, 1), "outside of the open one");
            assertEquals(Refusal.INVALID_PRODUCER_EPOCH, log.commit(1, 2, 0));
            assertEquals(3, log.commit(1, 3, 5));
            assertEquals(Refusal.FENCED_COORDINATOR_EPOCH, log.commit(1, 3, 4));
            assertEquals(4, log.log().endOffset());
        }
    }
}
