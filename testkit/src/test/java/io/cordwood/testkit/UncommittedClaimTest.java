package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.RecoveryReport;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.Storage;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What was encoded in a mapped log is in its file at once, and is no batch of it until it is committed. */
final class UncommittedClaimTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int ROOM = 400;
    private static final int BATCH_BYTES = 170;

    private SimulatedStorage disk = new SimulatedStorage(() -> NOW);

    private static Log open(final Storage disk, final long recoveryPoint) {
        return new LogBuilder(disk, "t-0").mapped().recoveryPoint(recoveryPoint).open(NOW);
    }

    /** As any caller does, up to the commit. */
    private static int encode(final Log log) {
        final UnsafeBuffer view = new UnsafeBuffer(0, 0);
        assertEquals(Refusal.ACCEPTED, log.claim(ROOM, view, NOW));
        final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(view, 0, ROOM);
        batch.append(NOW, null, 0, -1, new UnsafeBuffer(new byte[100]), 0, 100, null);
        final int length = batch.finish();
        assertTrue(length <= BATCH_BYTES, "batch of " + length);
        return length;
    }

    private long logOf(final int batches, final Log log) {
        for (int i = 0; i < batches; i++) {
            assertEquals(i, log.commit(encode(log), AppendAs.client(2), NOW));
        }
        log.publish();
        return log.flush();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void aBatchThatWasEncodedWhenTheProcessDiedIsATornEnd(final int batches) {
        final Log log = open(disk, 0);
        final long end = logOf(batches, log);
        encode(log);
        disk = disk.kill();
        try (Log again = open(disk, end)) {
            assertEquals(end, again.endOffset());
            assertEquals(
                    List.of(RecoveryReport.Kind.TAIL_CUT),
                    again.recovery().entries().stream()
                            .map(RecoveryReport.Entry::kind)
                            .toList());
            assertEquals(end, again.commit(encode(again), AppendAs.client(2), NOW));
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 3})
    void aBatchThatWasGivenBackIsNowhere(final int batches) {
        final Log log = open(disk, 0);
        final long end = logOf(batches, log);
        encode(log);
        log.abort();
        disk = disk.kill();
        try (Log again = open(disk, end)) {
            assertEquals(end, again.endOffset());
            assertTrue(
                    again.recovery().entries().stream().allMatch(e -> e.kind() == RecoveryReport.Kind.TAIL_CUT),
                    again.recovery().entries().toString());
        }
    }
}
