package io.cordwood.transactions;

import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.ControlRecord;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** A log with the state of its producers, for tests: appends what a producer or a coordinator would. */
final class ProducerLog implements AutoCloseable {
    static final String DIRECTORY = "t-0";
    static final long NOW = 1_700_000_000_000L;
    private static final int ROOM = 1 << 16;
    private static final int DECOMPRESSED_MAX = 1 << 20;

    private final Log log;
    private final ProducerState state;
    private long nowMs = NOW;

    private ProducerLog(final Log log, final ProducerState state) {
        this.log = log;
        this.state = state;
    }

    static ProducerLog open(final Storage storage, final ProducerConfig config, final int segmentBytes) {
        return open(storage, config, segmentBytes, 0);
    }

    static ProducerLog open(
            final Storage storage, final ProducerConfig config, final int segmentBytes, final long recoveryPoint) {
        final ProducerState state = new ProducerState(storage, DIRECTORY, config);
        final Log log = new LogBuilder(storage, DIRECTORY)
                .config(LogConfig.of(
                        Map.of("internal.segment.bytes", Integer.toString(segmentBytes), "file.delete.delay.ms", "0")))
                .state(state)
                .recoveryPoint(recoveryPoint)
                .open(NOW);
        return new ProducerLog(log, state);
    }

    Log log() {
        return log;
    }

    ProducerState state() {
        return state;
    }

    void nowMs(final long time) {
        nowMs = time;
    }

    /** Records without a producer. */
    long plain(final int records) {
        return append(batch(-1, (short) -1, -1, false, records, 10), AppendAs.client(0));
    }

    /** Records of an idempotent producer. */
    long idempotent(final long producer, final int epoch, final int sequence, final int records) {
        return append(batch(producer, epoch, sequence, false, records, 10), AppendAs.client(0));
    }

    /** Records of a transaction. */
    long transactional(final long producer, final int epoch, final int sequence, final int records) {
        return transactional(producer, epoch, sequence, records, 0);
    }

    long transactional(final long producer, final int epoch, final int sequence, final int records, final long guard) {
        return append(
                batch(producer, epoch, sequence, true, records, 10),
                AppendAs.client(0).guardedBy(guard));
    }

    long commit(final long producer, final int epoch, final int coordinatorEpoch) {
        return marker(producer, epoch, coordinatorEpoch, true, 1);
    }

    long abort(final long producer, final int epoch, final int coordinatorEpoch) {
        return marker(producer, epoch, coordinatorEpoch, false, 1);
    }

    long marker(
            final long producer,
            final int epoch,
            final int coordinatorEpoch,
            final boolean isCommit,
            final long protocol) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[ROOM]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard())
                .wrap(memory, 0, ROOM)
                .producer(producer, (short) epoch, -1)
                .transactional(true)
                .control(true);
        new ControlRecord().appendMarker(batch, nowMs, isCommit, coordinatorEpoch);
        return append(
                new UnsafeBuffer(memory, 0, batch.finish()),
                AppendAs.coordinator(0).guardedBy(protocol));
    }

    /** A batch, as a client would send it. */
    UnsafeBuffer batch(
            final long producer,
            final int epoch,
            final int sequence,
            final boolean isTransactional,
            final int records,
            final int valueBytes) {
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[ROOM]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, ROOM);
        if (producer >= 0) {
            batch.producer(producer, (short) epoch, sequence).transactional(isTransactional);
        }
        final UnsafeBuffer value = new UnsafeBuffer(new byte[valueBytes]);
        for (int i = 0; i < records; i++) {
            batch.append(nowMs, null, 0, -1, value, 0, valueBytes, null);
        }
        return new UnsafeBuffer(memory, 0, batch.finish());
    }

    long append(final UnsafeBuffer batch, final AppendAs as) {
        return log.append(batch, 0, batch.capacity(), as, nowMs);
    }

    long stable() {
        return state.lastStableOffset(log.endOffset());
    }

    /** Says that everything is replicated. */
    void replicated() {
        state.highWatermark(log.endOffset());
    }

    /** Offsets of the committed records from one on. */
    List<Long> committed(final long from) {
        final List<Long> offsets = new ArrayList<>();
        try (CommittedReader reader = new CommittedReader(log, state, Codecs.standard(), DECOMPRESSED_MAX)) {
            long offset = from;
            while (reader.read(offset, log.endOffset(), 1 << 20) > 0) {
                while (reader.next()) {
                    offsets.add(reader.record().offset());
                }
                offset = reader.nextOffset();
            }
        }
        return offsets;
    }

    /** Aborted transactions in a range: producer and first offset of each. */
    List<List<Long>> aborted(final long from, final long upTo) {
        final List<List<Long>> listed = new ArrayList<>();
        try (AbortedReader reader = state.newAbortedReader()) {
            final int count = reader.list(from, upTo);
            for (int i = 0; i < count; i++) {
                listed.add(Arrays.asList(reader.producerId(i), reader.firstOffset(i)));
            }
        }
        return listed;
    }

    @Override
    public void close() {
        log.close();
    }
}
