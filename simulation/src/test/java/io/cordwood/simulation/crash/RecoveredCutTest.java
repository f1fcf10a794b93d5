package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogFiles;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.store.Storage;
import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashReport;
import io.cordwood.testkit.CrashScenario;
import io.cordwood.testkit.LogChecker;
import io.cordwood.testkit.LogExam;
import io.cordwood.testkit.LogHistory;
import io.cordwood.testkit.Pending;
import io.cordwood.testkit.SimulatedStorage;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What a recovery has cut must not come back behind what is appended in its place, whatever a second power cut leaves of both. Each batch fills
 * one sector, so that an old one fits behind a new one of the same length.
 */
final class RecoveredCutTest {
    private static final String DIRECTORY = "c-0";
    private static final int SECTOR_BYTES = 512;

    /** What a batch of one record takes beside the value. */
    private static final int RECORD_AND_HEADER_BYTES = 70;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatWasCutStaysCut(final boolean isMapped) {
        final CrashReport report = new CrashExplorer(
                        isMapped ? "a cut, mapped" : "a cut, channel", Batches.NOW, () -> new Scenario(isMapped))
                .nested(1, 0)
                .explore();
        assertTrue(report.points() > 20, report.toString());
    }

    private static final class Scenario implements CrashScenario {
        private final boolean isMapped;
        private final LogHistory history = new LogHistory();
        private final LogChecker checker = new LogChecker(DIRECTORY, history, this::open).companion(Faults::new);

        Scenario(final boolean isMapped) {
            this.isMapped = isMapped;
        }

        private Log open(final Storage disk, final long recoveryPoint, final List<DerivedState> states) {
            final LogBuilder builder = new LogBuilder(disk, DIRECTORY)
                    .config(LogConfig.of(Map.of("segment.bytes", "8192", "segment.index.bytes", "1024")))
                    .indexes(new SparseIndexes())
                    .guard(history)
                    .recoveryPoint(recoveryPoint);
            states.forEach(builder::state);
            return (isMapped ? builder.mapped() : builder).open(Batches.NOW);
        }

        private void append(final Log log, final int number) {
            final UnsafeBuffer memory = new UnsafeBuffer(new byte[2 * SECTOR_BYTES]);
            final byte[] value = new byte[SECTOR_BYTES - RECORD_AND_HEADER_BYTES];
            Arrays.fill(value, (byte) number);
            final BatchBuilder batch = new BatchBuilder(Codecs.standard()).wrap(memory, 0, memory.capacity());
            batch.append(Batches.NOW + number, null, 0, -1, new UnsafeBuffer(value), 0, value.length, null);
            final int length = batch.finish();
            assertEquals(SECTOR_BYTES, length);
            history.appending(memory, 0, length, 0);
            log.append(memory, 0, length, AppendAs.client(0), Batches.NOW);
        }

        @Override
        public void run(final SimulatedStorage disk) {
            final Log log = checker.open(disk, 0);
            append(log, 1);
            history.forced(log.flush());
            for (int i = 2; i < 6; i++) {
                append(log, i);
            }
            final SimulatedStorage next = disk.powerCut(Scenario::isNotTheSecondBatch);
            final Log recovered = checker.open(next, history.recoveryPoint());
            assertEquals(1, recovered.endOffset());
            LogExam.goOn(recovered, history);
            append(recovered, 6);
            append(recovered, 7);
            history.forced(recovered.flush());
        }

        private static boolean isNotTheSecondBatch(final Pending change) {
            return change.kind() != Pending.Kind.SECTOR
                    || !change.path().endsWith(LogFiles.LOG)
                    || change.position() != SECTOR_BYTES;
        }

        @Override
        public long promises() {
            return history.promises();
        }

        @Override
        public void check(final SimulatedStorage disk) {
            checker.check(disk);
        }
    }
}
