package io.cordwood.transactions;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.LogFiles;
import io.cordwood.log.Origin;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileStatus;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import org.agrona.concurrent.UnsafeBuffer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTxnStateException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.TransactionCoordinatorFencedException;
import org.apache.kafka.common.message.AbortedTxn;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.storage.internals.log.AppendOrigin;
import org.apache.kafka.storage.internals.log.BatchMetadata;
import org.apache.kafka.storage.internals.log.CompletedTxn;
import org.apache.kafka.storage.internals.log.LogOffsetMetadata;
import org.apache.kafka.storage.internals.log.ProducerAppendInfo;
import org.apache.kafka.storage.internals.log.ProducerStateEntry;
import org.apache.kafka.storage.internals.log.ProducerStateManager;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.TransactionIndex;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Ours beside Kafka's {@code ProducerStateManager} and {@code TransactionIndex}, over histories of ten thousand random acts: both accept and refuse the
 * same, know the same, and read each other's files.
 */
@Tag("oracle")
final class ProducerOracleTest {
    private static final int ACTS = 10_000;
    private static final int SEEDS = 4;
    private static final int EXPIRATION_MS = 250;
    private static final int BATCH_BYTES = 4096;
    private static final String DIRECTORY = "t-0";

    @TempDir
    private Path root;

    @Test
    void weAgreeWithKafka() throws IOException {
        for (int seed = 1; seed <= SEEDS; seed++) {
            try (History history = new History(root.resolve("seed" + seed), seed)) {
                for (int act = 0; act < ACTS; act++) {
                    history.act();
                }
                assertTrue(history.appended > ACTS / 4, "appended " + history.appended);
                assertTrue(history.refused > ACTS / 50, "refused " + history.refused);
                assertTrue(history.duplicates > ACTS / 100, "duplicates " + history.duplicates);
                assertTrue(history.truncations > 30, "truncations " + history.truncations);
                assertTrue(history.expired > 5, "expired " + history.expired);
                assertTrue(history.abortedAtMost > 5, "aborted " + history.abortedAtMost);
            }
        }
    }

    /** A batch that is in the log, and the segment that has it. */
    private record Placed(UnsafeBuffer batch, long segmentBase, int protocol) {
        long base() {
            return new RecordBatchFlyweight().wrap(batch, 0).baseOffset();
        }

        long next() {
            return new RecordBatchFlyweight().wrap(batch, 0).nextOffset();
        }
    }

    private static final class History implements AutoCloseable {
        private final Random random;
        private final String told;
        private final Path ours;
        private final Path kafkas;
        private final DiskStorage storage;
        private ProducerState state;
        private ProducerStateManager manager;
        private final Map<Long, TransactionIndex> indexes = new TreeMap<>();
        private final RecordBatchFlyweight flyweight = new RecordBatchFlyweight();
        private final List<Placed> log = new ArrayList<>();
        private final TreeSet<Long> bases = new TreeSet<>(List.of(0L));
        private long end;
        private long highWatermark;
        private long nowMs = 1_700_000_000_000L;

        private int appended;
        private int refused;
        private int duplicates;
        private int truncations;
        private int expired;
        private int abortedAtMost;

        History(final Path directory, final int seed) throws IOException {
            random = new Random(seed);
            told = "seed " + seed + ", end ";
            ours = Files.createDirectories(directory.resolve("ours"));
            kafkas = Files.createDirectories(directory.resolve("kafkas").resolve(DIRECTORY));
            storage = new DiskStorage(ours);
            storage.makeDirectory(DIRECTORY);
            state = newState();
            state.restore(0, bases(), 0);
            manager = newManager();
        }

        private ProducerState newState() {
            return new ProducerState(storage, DIRECTORY, new ProducerConfig(EXPIRATION_MS, 1000, false));
        }

        private ProducerStateManager newManager() throws IOException {
            return new ProducerStateManager(
                    new TopicPartition("t", 0),
                    kafkas.toFile(),
                    900_000,
                    new ProducerStateManagerConfig(EXPIRATION_MS, false),
                    Time.SYSTEM);
        }

        private long[] bases() {
            return bases.stream().mapToLong(Long::longValue).toArray();
        }

        void act() throws IOException {
            nowMs += random.nextInt(20);
            final int chance = random.nextInt(1000);
            if (chance < 700) {
                append(data());
            } else if (chance < 900) {
                append(marker());
            } else if (chance < 940) {
                roll();
            } else if (chance < 970) {
                highWatermark += random.nextLong(end - highWatermark + 1);
                state.highWatermark(highWatermark);
                manager.onHighWatermarkUpdated(highWatermark);
            } else if (chance < 975) {
                expired += state.expire(nowMs, Integer.MAX_VALUE);
                manager.removeExpiredProducers(nowMs);
            } else if (chance < 985) {
                truncate(highWatermark + random.nextLong(end - highWatermark + 1));
            } else if (chance < 990) {
                reopen();
            } else {
                dropFront();
            }
            assertSame();
        }

        private Placed data() {
            final long producer = random.nextInt(10);
            final ProducerStateEntry entry = manager.activeProducers().get(producer);
            final int records = 1 + random.nextInt(3);
            int epoch = entry == null ? random.nextInt(3) : entry.producerEpoch();
            int sequence = entry == null ? random.nextInt(3) : lastSequence(entry) + 1;
            final boolean isOpen =
                    entry != null && entry.currentTxnFirstOffset().isPresent();
            boolean isTransactional = isOpen ? random.nextInt(30) > 0 : random.nextInt(3) == 0;
            int count = records;
            switch (random.nextInt(20)) {
                case 0 -> sequence += random.nextInt(5) - 2;
                case 1 -> {
                    epoch++;
                    sequence = random.nextInt(2);
                }
                case 2 -> epoch--;
                case 3, 4, 5 -> {
                    if (entry != null && !entry.batchMetadata().isEmpty()) {
                        final List<BatchMetadata> known = new ArrayList<>(entry.batchMetadata());
                        final BatchMetadata again = known.get(random.nextInt(known.size()));
                        sequence = again.firstSeq();
                        count = again.offsetDelta() + 1;
                    }
                }
                default -> isTransactional &= true;
            }
            final BatchBuilder batch = builder()
                    .producer(producer, (short) Math.max(0, epoch), Math.max(0, sequence))
                    .transactional(isTransactional);
            for (int i = 0; i < count; i++) {
                batch.append(nowMs, null, 0, -1, new UnsafeBuffer(new byte[1]), 0, 1, null);
            }
            return placed(batch, 1);
        }

        private static int lastSequence(final ProducerStateEntry entry) {
            int last = -1;
            for (final BatchMetadata batch : entry.batchMetadata()) {
                last = batch.lastSeq();
            }
            return last;
        }

        private final UnsafeBuffer memory = new UnsafeBuffer(new byte[BATCH_BYTES]);

        private BatchBuilder builder() {
            return new BatchBuilder(Codecs.standard()).wrap(memory, 0, BATCH_BYTES);
        }

        private Placed placed(final BatchBuilder batch, final int protocol) {
            final int length = batch.finish();
            final UnsafeBuffer copy = new UnsafeBuffer(new byte[length]);
            copy.putBytes(0, memory, 0, length);
            RecordBatchDescriptor.putBaseOffset(copy, 0, end);
            return new Placed(copy, bases.last(), protocol);
        }

        private Placed marker() {
            final long producer = random.nextInt(10);
            final ProducerStateEntry entry = manager.activeProducers().get(producer);
            final int protocol = 1 + random.nextInt(2);
            int epoch = entry == null ? 0 : entry.producerEpoch();
            epoch += protocol == 2 ? 1 : 0;
            epoch += random.nextInt(8) == 0 ? random.nextInt(3) - 1 : 0;
            final int coordinatorEpoch = Math.max(
                    0,
                    (entry == null ? 0 : entry.coordinatorEpoch()) + random.nextInt(20) / 18 - random.nextInt(20) / 19);
            final BatchBuilder batch = builder()
                    .producer(producer, (short) Math.max(0, epoch), -1)
                    .transactional(true)
                    .control(true);
            new ControlRecord().appendMarker(batch, nowMs, random.nextInt(3) > 0, coordinatorEpoch);
            return placed(batch, protocol);
        }

        private static RecordBatch kafkas(final Placed placed) {
            final ByteBuffer bytes = ByteBuffer.wrap(placed.batch().byteArray().clone());
            return MemoryRecords.readableRecords(bytes).batches().iterator().next();
        }

        private void append(final Placed placed) throws IOException {
            flyweight.wrap(placed.batch(), 0);
            final Origin origin = flyweight.isControl() ? Origin.COORDINATOR : Origin.CLIENT;
            final long verdict = state.check(flyweight, origin, placed.protocol());
            final RecordBatch batch = kafkas(placed);
            final ProducerStateEntry entry = manager.activeProducers().get(batch.producerId());
            final long duplicate = batch.isControlBatch() || entry == null ? -1 : duplicate(entry, batch);
            if (duplicate >= 0) {
                assertEquals(duplicate, verdict, () -> told + end);
                duplicates++;
                return;
            }
            final AppendOrigin by = batch.isControlBatch() ? AppendOrigin.COORDINATOR : AppendOrigin.CLIENT;
            final long kafkasVerdict = kafkaAppend(placed, by);
            assertEquals(kafkasVerdict, verdict, () -> told + end + ": " + batch + " to " + entry);
            if (verdict == Refusal.ACCEPTED) {
                state.apply(flyweight, placed.segmentBase());
                log.add(placed);
                end = placed.next();
                appended++;
            } else {
                refused++;
            }
        }

        private static long duplicate(final ProducerStateEntry entry, final RecordBatch batch) {
            for (final BatchMetadata known : entry.batchMetadata()) {
                if (entry.producerEpoch() == batch.producerEpoch()
                        && known.firstSeq() == batch.baseSequence()
                        && known.lastSeq() == batch.lastSequence()) {
                    return known.firstOffset();
                }
            }
            return -1;
        }

        private long kafkaAppend(final Placed placed, final AppendOrigin origin) throws IOException {
            final RecordBatch batch = kafkas(placed);
            final ProducerAppendInfo info = manager.prepareUpdate(batch.producerId(), origin);
            final Optional<CompletedTxn> completed;
            try {
                completed = info.append(
                        batch, Optional.of(new LogOffsetMetadata(batch.baseOffset())), (short) placed.protocol());
            } catch (final OutOfOrderSequenceException e) {
                return Refusal.OUT_OF_ORDER_SEQUENCE;
            } catch (final InvalidProducerEpochException e) {
                return Refusal.INVALID_PRODUCER_EPOCH;
            } catch (final InvalidTxnStateException e) {
                return Refusal.INVALID_TRANSACTION_STATE;
            } catch (final TransactionCoordinatorFencedException e) {
                return Refusal.FENCED_COORDINATOR_EPOCH;
            }
            manager.update(info);
            if (completed.isPresent()) {
                final CompletedTxn done = completed.get();
                if (done.isAborted()) {
                    index(placed.segmentBase())
                            .append(new AbortedTxn()
                                    .setProducerId(done.producerId())
                                    .setFirstOffset(done.firstOffset())
                                    .setLastOffset(done.lastOffset())
                                    .setLastStableOffset(manager.lastStableOffset(done)));
                }
                manager.completeTxn(done);
            }
            manager.updateMapEndOffset(batch.nextOffset());
            return Refusal.ACCEPTED;
        }

        private TransactionIndex index(final long base) throws IOException {
            TransactionIndex index = indexes.get(base);
            if (index == null) {
                index = new TransactionIndex(
                        base,
                        kafkas.resolve(LogFiles.name(base, LogFiles.TXN_INDEX)).toFile());
                indexes.put(base, index);
            }
            return index;
        }

        private void roll() throws IOException {
            if (end > bases.last()) {
                bases.add(end);
                state.snapshot(end);
                manager.takeSnapshot();
                state.force(end);
                assertSameSnapshot(end);
            }
        }

        private void assertSameSnapshot(final long offset) throws IOException {
            final String name = LogFiles.name(offset, LogFiles.SNAPSHOT);
            assertArrayEquals(
                    Files.readAllBytes(kafkas.resolve(name)),
                    Files.readAllBytes(ours.resolve(DIRECTORY).resolve(name)),
                    () -> told + end + ", " + name);
        }

        /** Both replay what their snapshots do not have. */
        private void truncate(final long offset) throws IOException {
            sweep();
            log.removeIf(placed -> placed.next() > offset);
            end = log.isEmpty() ? bases.first() : log.get(log.size() - 1).next();
            end = Math.max(end, Math.min(offset, bases.first()));
            bases.removeIf(base -> base > 0 && base >= end && base > bases.first());
            highWatermark = Math.min(highWatermark, end);
            truncations++;
            state.force(end);
            manager = newManager();
            sweep();
            restore();
        }

        private void reopen() throws IOException {
            state.snapshot(end);
            manager.takeSnapshot();
            state.force(end);
            state.close();
            state = newState();
            manager = newManager();
            sweep();
            restore();
        }

        /** Snapshots of clean closes go at other times with Kafka than with us; each of them spares a replay, and hides what that would show. */
        private void sweep() throws IOException {
            manager.removeStraySnapshots(new ArrayList<>(bases));
            final TreeSet<String> left =
                    new TreeSet<>(List.of(Objects.requireNonNull(kafkas.toFile().list())));
            for (final FileStatus file : storage.list(DIRECTORY)) {
                if (file.name().endsWith(LogFiles.SNAPSHOT) && !left.contains(file.name())) {
                    storage.delete(DIRECTORY + "/" + file.name());
                }
            }
        }

        private void restore() throws IOException {
            final long from = state.restore(bases.first(), bases(), end);
            for (final long base : indexes.keySet().stream()
                    .filter(base -> !bases.contains(base))
                    .toList()) {
                final TransactionIndex gone = indexes.remove(base);
                Objects.requireNonNull(gone).deleteIfExists();
            }
            // Who is expired is asked behind the replay, which may show that he is not.
            // And of a log that begins at a segment's base Kafka throws away the snapshot that it has there, and with
            // it who was in front.
            manager.truncateAndReload(bases.first() - 1, end, 0);
            final long kafkasFrom = Math.max(bases.first(), manager.mapEndOffset());
            for (final TransactionIndex index : indexes.values()) {
                index.truncateTo(Math.min(kafkasFrom, end));
            }
            for (final Placed placed : log) {
                if (placed.base() >= from) {
                    if (placed.segmentBase() == placed.base() && placed.base() > from) {
                        state.snapshot(placed.base());
                    }
                    state.apply(flyweight.wrap(placed.batch(), 0), placed.segmentBase());
                }
                if (placed.base() >= kafkasFrom) {
                    assertEquals(Refusal.ACCEPTED, kafkaAppend(placed, AppendOrigin.REPLICATION));
                }
            }
            manager.updateMapEndOffset(end);
            state.highWatermark(highWatermark);
            manager.onHighWatermarkUpdated(highWatermark);
            state.expire(nowMs, Integer.MAX_VALUE);
            manager.removeExpiredProducers(nowMs);
        }

        /** Retention takes a segment; the producers stay. */
        private void dropFront() throws IOException {
            if (bases.size() > 3 && bases.higher(bases.first()) <= highWatermark) {
                final long gone = bases.pollFirst();
                log.removeIf(placed -> placed.segmentBase() == gone);
                for (final String suffix : List.of(LogFiles.TXN_INDEX, LogFiles.SNAPSHOT)) {
                    storage.delete(LogFiles.path(DIRECTORY, gone, suffix));
                }
                final TransactionIndex index = indexes.remove(gone);
                if (index != null) {
                    index.deleteIfExists();
                }
                manager.onLogStartOffsetIncremented(bases.first());
                manager.deleteSnapshotsBefore(bases.first());
                state.retain(bases.first(), bases());
            }
        }

        private void assertSame() throws IOException {
            final List<ProducerEntry> expected = new ArrayList<>();
            manager.activeProducers().values().forEach(entry -> expected.add(entryOf(entry)));
            expected.sort(Comparator.comparingLong(ProducerEntry::producerId));
            assertEquals(expected, state.producers(), () -> told + end);
            assertEquals(manager.firstUndecidedOffset().orElse(-1), state.firstUndecidedOffset(), () -> told + end);
            final long stable = manager.firstUnstableOffset()
                    .map(first -> Math.min(first.messageOffset, highWatermark))
                    .orElse(highWatermark);
            assertEquals(stable, state.lastStableOffset(highWatermark), () -> told + end);
            assertSameAborted();
        }

        private void assertSameAborted() throws IOException {
            final long from = bases.first() + random.nextLong(end - bases.first() + 1);
            final long upTo = from + random.nextLong(end - from + 1);
            final List<List<Long>> expected = new ArrayList<>();
            final Long segment = bases.floor(from);
            boolean isComplete = from >= upTo;
            for (final long base : bases.tailSet(segment == null ? bases.first() : segment)) {
                if (!isComplete && indexes.containsKey(base)) {
                    final var found = indexes.get(base).collectAbortedTxns(from, upTo);
                    found.abortedTransactions()
                            .forEach(txn -> expected.add(List.of(txn.producerId(), txn.firstOffset())));
                    isComplete = found.isComplete();
                }
            }
            expected.sort(Comparator.comparing(txn -> txn.get(1)));
            final List<List<Long>> listed = new ArrayList<>();
            try (AbortedReader reader = state.newAbortedReader()) {
                final int count = reader.list(from, upTo);
                for (int i = 0; i < count; i++) {
                    listed.add(List.of(reader.producerId(i), reader.firstOffset(i)));
                }
            }
            assertEquals(expected, listed, () -> told + end + ", aborted from " + from + " to " + upTo);
            abortedAtMost = Math.max(abortedAtMost, listed.size());
        }

        private static ProducerEntry entryOf(final ProducerStateEntry entry) {
            final Collection<BatchMetadata> batches = entry.batchMetadata();
            return new ProducerEntry(
                    entry.producerId(),
                    entry.producerEpoch(),
                    entry.coordinatorEpoch(),
                    entry.lastTimestamp(),
                    entry.currentTxnFirstOffset().orElse(-1),
                    batches.stream()
                            .map(batch -> new ProducerEntry.Batch(
                                    batch.firstSeq(),
                                    batch.lastSeq(),
                                    batch.firstOffset(),
                                    batch.lastOffset(),
                                    batch.timestamp()))
                            .toList());
        }

        @Override
        public void close() throws IOException {
            state.close();
            for (final TransactionIndex index : indexes.values()) {
                index.close();
            }
            storage.close();
        }
    }
}
