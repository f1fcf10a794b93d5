package io.cordwood.testkit;

import io.cordwood.log.AppendAs;
import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;

/** The example of a scenario over a log: each act tells the history, and the checker does all the checking. */
final class CheckedLog implements CrashScenario {
    private static final String DIRECTORY = "orders-0";
    private static final LogConfig CONFIG = LogConfig.of(Map.of("segment.bytes", "4096", "file.delete.delay.ms", "0"));

    private final LogHistory history = new LogHistory();
    private final LogChecker checker =
            new LogChecker(DIRECTORY, history, this::open).state(SegmentCountState::new, SegmentCountState::sums);

    private Log open(final Storage disk, final long recoveryPoint, final List<DerivedState> states) {
        final LogBuilder builder =
                new LogBuilder(disk, DIRECTORY).config(CONFIG).guard(history).recoveryPoint(recoveryPoint);
        states.forEach(builder::state);
        return builder.open(Disk.NOW);
    }

    @Override
    public void run(final SimulatedStorage disk) {
        final Log log = checker.open(disk, 0);
        for (int i = 0; i < 24; i++) {
            append(log, i, i / 10);
            if (i % 4 == 3) {
                history.forced(log.flush());
            }
        }
        final long start = log.baseOffsets()[1];
        history.droppingBelow(start);
        history.keptFrom(log.deletePrefix(start, log.endOffset(), Disk.NOW));
        log.doWork(Disk.NOW);
        final long cut = log.endOffset() - 3;
        history.cuttingTo(cut);
        history.cutTo(log.truncateTo(cut, Disk.NOW));
        append(log, 24, 3);
        log.close();
        history.forced(history.nextOffset());
    }

    private void append(final Log log, final int number, final int epoch) {
        final byte[] value = new byte[300 + 10 * number];
        Arrays.fill(value, (byte) number);
        final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
        batch.append(Disk.NOW + number % 7, null, 0, -1, new UnsafeBuffer(value), 0, value.length, null);
        final int length = batch.finish();
        history.appending(memory, 0, length, epoch);
        final long offset = log.append(memory, 0, length, AppendAs.client(epoch), Disk.NOW);
        if (Refusal.isRefusal(offset)) {
            throw new IllegalStateException(log.refusalReason());
        }
        history.published(log.endOffset());
    }

    @Override
    public long promises() {
        return history.promises();
    }

    @Override
    public void check(final SimulatedStorage disk) {
        checker.check(disk);
    }

    @Override
    public void checkKilled(final SimulatedStorage disk) {
        checker.checkKilled(disk);
    }
}
