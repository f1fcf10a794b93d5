package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashReport;
import io.cordwood.testkit.CrashScenario;
import io.cordwood.testkit.SimulatedStorage;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The open that builds an index of a sealed segment below the recovery point anew, while the power may go at any act: whatever it leaves of
 * the index is built anew again or whole, and not taken for the whole of it. Not so where the time index had lost whole entries before, and the
 * offset index alone is seen to be damaged: docs/FORMAT.md says so.
 */
final class SealedIndexCrashTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final int RECORDS = 40;

    @ParameterizedTest
    @ValueSource(strings = {"timeindex 30", "timeindex 0", "timeindex 11", "index 13"})
    void aHalfIndexIsNotBelieved(final String damage) {
        final CrashReport report = new CrashExplorer("a damaged " + damage, NOW, () -> new Scenario(damage))
                .nested(1, 0)
                .explore();
        assertTrue(report.points() > 20, report.toString());
    }

    private static final class Scenario implements CrashScenario {
        private final String damage;
        private boolean isClosed;

        Scenario(final String damage) {
            this.damage = damage;
        }

        private static Log open(final SimulatedStorage disk, final long recoveryPoint) {
            return new LogBuilder(disk, "a-0")
                    .config(LogConfig.of(Map.of("index.interval.bytes", "100")))
                    .indexes(new SparseIndexes())
                    .recoveryPoint(recoveryPoint)
                    .open(NOW);
        }

        private static void append(final Log log, final long timestampMs) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[1024]);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
            batch.append(timestampMs, null, 0, -1, memory, 900, 20, null);
            log.append(memory, 0, batch.finish(), AppendAs.client(0), NOW);
        }

        @Override
        public void run(final SimulatedStorage disk) {
            final Log log = open(disk, 0);
            for (int i = 0; i < RECORDS; i++) {
                append(log, NOW + i);
            }
            log.roll(NOW);
            // Behind the segment, so that it does not end at the recovery point.
            append(log, NOW - 1);
            log.close();
            final SimulatedStorage next = disk.kill();
            final String[] parts = damage.split(" ", -1);
            for (int i = 0; i < parts.length; i += 2) {
                try (StorageFile file = next.open("a-0/00000000000000000000." + parts[i], FileUse.APPEND, 0)) {
                    file.truncate(Long.parseLong(parts[i + 1]));
                    file.force();
                }
            }
            isClosed = true;
            open(next, RECORDS + 1).closeUncleanly();
        }

        @Override
        public long promises() {
            return isClosed ? 1 : 0;
        }

        @Override
        public void check(final SimulatedStorage disk) {
            if (isClosed) {
                final Log log = open(disk, RECORDS + 1);
                assertEquals(RECORDS - 1, log.newReader().offsetForTimestamp(NOW + RECORDS - 1, RECORDS));
                log.closeUncleanly();
            }
        }
    }
}
