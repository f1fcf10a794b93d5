package io.cordwood.log;

import static io.cordwood.log.TestBatches.batch;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.DiskStorage;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What an open takes away is gone durably, and in an order of which every beginning is a state that the next open mends. */
final class RecoveryDurabilityTest {
    private static final long NOW = 1_700_000_000_000L;
    private static final String LAST = "00000000000000000002.log";
    private static final String CUT = "00000000000000000001.log";

    @TempDir
    Path root;

    private static void append(final Log log) {
        final UnsafeBuffer one = batch(NOW, "value");
        assertTrue(log.append(one, 0, one.capacity(), AppendAs.client(0), NOW) >= 0);
    }

    private Path file(final String name) {
        return root.resolve("t-0").resolve(name);
    }

    /** Three segments of one batch each. */
    private void fill(final DiskStorage disk) {
        try (Log log = new LogBuilder(disk, "t-0").open(NOW)) {
            append(log);
            log.roll(NOW);
            append(log);
            log.roll(NOW);
            append(log);
        }
    }

    private static List<String> openedFrom(final DiskStorage disk, final long recoveryPoint, final long endOffset) {
        final FailingStorage storage = new FailingStorage(disk);
        final List<String> acts = new ArrayList<>();
        storage.watch(acts::add);
        try (Log log =
                new LogBuilder(storage, "t-0").recoveryPoint(recoveryPoint).open(NOW)) {
            storage.watch(act -> {});
            assertEquals(endOffset, log.endOffset());
        }
        return acts;
    }

    private static void assertInOrder(final List<String> acts, final String... wanted) {
        int at = -1;
        for (final String act : wanted) {
            final int found = acts.subList(at + 1, acts.size()).indexOf(act);
            assertTrue(found >= 0, act + " is missing behind act " + at + " of " + acts);
            at += found + 1;
        }
    }

    @Test
    void aCutIsForcedAndWhatLiesBehindItIsGoneBefore() throws IOException {
        try (DiskStorage disk = new DiskStorage(root)) {
            fill(disk);
            final byte[] damaged = Files.readAllBytes(file(CUT));
            damaged[damaged.length - 1] ^= 1;
            Files.write(file(CUT), damaged);
            assertInOrder(openedFrom(disk, 0, 1), "delete " + LAST, "sync t-0", "truncate " + CUT, "force " + CUT);
        }
    }

    @Test
    void whatAnInterruptedActLeftIsGoneDurablyBeforeTheLogIsLookedAt() throws IOException {
        try (DiskStorage disk = new DiskStorage(root)) {
            fill(disk);
            final String left = LAST.replace('2', '7') + LogFiles.DELETED;
            Files.write(file(left), new byte[10]);
            assertInOrder(openedFrom(disk, 3, 3), "delete " + left, "sync t-0", "open " + LAST);
        }
    }

    /** One aborted transaction that ends below the cut, one that ends behind it. */
    @Test
    void theEntriesOfAbortedTransactionsBehindACutAreForcedAway() throws IOException {
        try (DiskStorage disk = new DiskStorage(root)) {
            fill(disk);
            final ByteBuffer entries = ByteBuffer.allocate(68);
            for (final long last : new long[] {0, 2}) {
                entries.putShort((short) 0)
                        .putLong(9)
                        .putLong(last)
                        .putLong(last)
                        .putLong(last);
            }
            final String index = "00000000000000000000.txnindex";
            Files.write(file(index), entries.array());
            final byte[] damaged = Files.readAllBytes(file(CUT));
            damaged[damaged.length - 1] ^= 1;
            Files.write(file(CUT), damaged);
            assertInOrder(openedFrom(disk, 0, 1), "truncate " + index, "force " + index, "truncate " + CUT);
            assertEquals(34, Files.size(file(index)));
        }
    }
}
