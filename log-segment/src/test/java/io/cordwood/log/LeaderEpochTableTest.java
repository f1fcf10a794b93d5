package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.StorageException;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LeaderEpochTableTest {
    private static final long[] FROM_ZERO = {0};

    private final MemoryStorage storage = new MemoryStorage();
    private final LeaderEpochTable table = new LeaderEpochTable(storage, "");

    @Test
    void anEmptyTableKnowsNothing() {
        assertEquals(0, table.restore(0, FROM_ZERO, 0));
        assertNull(table.damage());
        assertEquals(-1, table.latestEpoch());
        assertEquals(-1, table.epochAt(0));
        assertEquals(List.of(), table.entries());
        assertFalse(table.endOffsetFor(0, 10).isDefined());
    }

    @Test
    void aBatchOfANewEpochBeginsAnEntry() {
        append(table, 0, 5, 2);
        append(table, 5, 5, 2);
        append(table, 10, 1, 4);
        assertEquals(entries(2, 0, 4, 10), table.entries());
    }

    @Test
    void batchesWithoutAnEpochOrWithAFallenOneAreIgnored() {
        append(table, 0, 5, -1);
        append(table, 5, 5, 3);
        append(table, 10, 5, 2);
        append(table, 15, 5, -1);
        assertEquals(entries(3, 5), table.entries());
        assertFalse(table.assign(2, 20));
        assertEquals(3, table.latestEpoch());
    }

    @Test
    void noBatchIsRefused() {
        table.assign(9, 0);
        for (final Origin origin : Origin.values()) {
            assertEquals(Refusal.ACCEPTED, table.check(new ToyLog.Batch(0, 1, 3).flyweight(), origin, 7));
        }
        assertEquals(entries(9, 0), table.entries());
    }

    @Test
    void aNewEpochDropsThoseThatWroteNothing() {
        assign(table, 1, 0, 3, 40, 5, 60, 6, 60);
        assertEquals(entries(1, 0, 3, 40, 6, 60), table.entries());
        assertTrue(table.assign(7, 50));
        assertEquals(entries(1, 0, 3, 40, 7, 50), table.entries());
        assertTrue(table.assign(7, 40));
        assertEquals(entries(1, 0, 7, 40), table.entries());
        assertFalse(table.assign(7, 41));
    }

    @ParameterizedTest
    @CsvSource({"-1,-1,-1", "0,0,10", "1,1,10", "2,2,40", "4,2,40", "5,5,60", "6,5,60", "7,7,99", "8,-1,-1"})
    void anEpochEndsWhereTheNextBegins(final int asked, final int epoch, final long endOffset) {
        // Kafka answers an epoch below all entries with itself and the first start, hence 0,0,10.
        assign(table, 2, 10, 5, 40, 7, 60);
        final EpochEndOffset answer = table.endOffsetFor(asked, 99);
        assertEquals(new EpochEndOffset(epoch, endOffset), answer);
        assertEquals(epoch >= 0, answer.isDefined());
    }

    @Test
    void anOffsetBelongsToTheLastEntryBelowIt() {
        assign(table, 2, 10, 5, 40);
        assertEquals(-1, table.epochAt(9));
        assertEquals(2, table.epochAt(10));
        assertEquals(2, table.epochAt(39));
        assertEquals(5, table.epochAt(40));
        assertEquals(5, table.epochAt(Long.MAX_VALUE));
    }

    @Test
    void theEntryOfTheLogStartIsShownFromThere() {
        assign(table, 2, 10, 5, 40, 7, 60);
        table.retain(39, new long[] {30, 50});
        assertEquals(entries(2, 39, 5, 40, 7, 60), table.entries());
        table.retain(40, new long[] {30, 50});
        assertEquals(entries(5, 40, 7, 60), table.entries());
        table.retain(100, new long[] {100});
        assertEquals(entries(7, 100), table.entries());
        assertEquals(-1, table.epochAt(99));
        assertEquals(new EpochEndOffset(3, 100), table.endOffsetFor(3, 120));
    }

    @Test
    void theFileIsForcedBeforeItTakesItsName() {
        assign(table, 2, 10);
        table.force(20);
        assertEquals(
                List.of(
                        "open leader-epoch-checkpoint.tmp",
                        "publish leader-epoch-checkpoint.tmp",
                        "force leader-epoch-checkpoint.tmp",
                        "rename to leader-epoch-checkpoint leader-epoch-checkpoint.tmp",
                        "sync directory "),
                storage.takeTrace());
        assertEquals("0\n1\n2 10\n", text());
        table.force(30);
        table.apply(new ToyLog.Batch(30, 1, 2).flyweight(), 0);
        table.snapshot(31);
        table.force(31);
        assertEquals(List.of(), storage.takeTrace());
    }

    @Test
    void aMovedStartAloneDoesNotRewriteTheFile() {
        assign(table, 2, 10, 5, 40);
        table.force(50);
        storage.takeTrace();
        table.retain(30, new long[] {20});
        table.force(50);
        assertEquals(List.of(), storage.takeTrace());
        table.retain(40, new long[] {20});
        table.force(50);
        assertEquals("0\n1\n5 40\n", text());
    }

    @Test
    void anEmptyTableHasAFileToo() {
        table.restore(0, FROM_ZERO, 0);
        table.force(0);
        assertEquals("0\n0\n", text());
    }

    @Test
    void whatARestoreDropsIsDurable() {
        put("0\n3\n0 0\n3 40\n7 90\n");
        assertEquals(60, table.restore(0, FROM_ZERO, 60));
        assertEquals(entries(0, 0, 3, 40), table.entries());
        assertEquals("sync directory ", last(storage.takeTrace()));
        assertEquals("0\n2\n0 0\n3 40\n", text());
        assertEquals(90, table.restore(0, FROM_ZERO, 90));
        assertEquals(List.of(), storage.takeTrace());
    }

    /** The leader's answers, by which a follower with other epochs finds where the two logs part. */
    @Test
    void b46AnUnknownEpochIsAnsweredWithTheOneBelowIt() {
        put("0\n4\n0 0\n1 10\n2 11\n4 14\n");
        assertEquals(20, table.restore(0, FROM_ZERO, 20));
        assertEquals(new EpochEndOffset(2, 14), table.endOffsetFor(3, 20));
        assertEquals(new EpochEndOffset(1, 11), table.endOffsetFor(1, 20));
        put("0\n3\n0 0\n1 10\n3 12\n");
        assertEquals(16, table.restore(0, FROM_ZERO, 16));
        // The follower: of epoch 2 it knows nothing, its epoch 1 ends at 12; then the leader's ends at 11.
        assertEquals(new EpochEndOffset(1, 12), table.endOffsetFor(2, 16));
        assertEquals(11, table.restore(0, FROM_ZERO, 11));
        assertEquals(entries(0, 0, 1, 10), table.entries());
    }

    @Test
    void b47AnEpochWithoutDataDoesNotOutliveATruncation() {
        assign(table, 8, 0);
        table.assign(9, 60);
        for (int i = 0; i < 2; i++) {
            table.force(60);
            assertEquals(60, table.restore(0, FROM_ZERO, 60));
            assertEquals(entries(8, 0), table.entries());
            assertEquals(new EpochEndOffset(8, 60), table.endOffsetFor(8, 60));
            assertEquals("0\n1\n8 0\n", text());
        }
    }

    @Test
    void b47AnEpochWithoutDataInAnEmptyLogDoesNotOutliveATruncation() {
        table.restore(60, new long[] {60}, 60);
        table.assign(9, 60);
        table.force(60);
        assertEquals(60, table.restore(60, new long[] {60}, 60));
        assertEquals(List.of(), table.entries());
    }

    @Test
    void b48APowerCutLeavesTheOldTableOrTheNewOne() {
        for (int acts = 0; acts < 12; acts++) {
            for (int seed = 0; seed < 20; seed++) {
                final MemoryStorage disk = new MemoryStorage();
                final LeaderEpochTable before = new LeaderEpochTable(disk, "");
                assign(before, 0, 0, 3, 40, 7, 90);
                before.force(100);
                disk.failAfter(acts);
                boolean isDone = true;
                try {
                    before.restore(0, FROM_ZERO, 60);
                } catch (final StorageException e) {
                    isDone = false;
                }
                final MemoryStorage after = disk.powerCut(new Random(seed));
                final String left = new String(after.content(LogFiles.LEADER_EPOCHS), US_ASCII);
                final boolean isNew = left.equals("0\n2\n0 0\n3 40\n");
                assertTrue(isNew || (!isDone && left.equals("0\n3\n0 0\n3 40\n7 90\n")), acts + " acts: " + left);
                final LeaderEpochTable reopened = new LeaderEpochTable(after, "");
                assertEquals(60, reopened.restore(0, FROM_ZERO, 60));
                assertNull(reopened.damage());
                assertEquals(entries(0, 0, 3, 40), reopened.entries());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "0",
                "0\n",
                "0\n2\n",
                "0\n2\n0 0\n",
                "0\n2\n0 0\n3 4",
                "0\n1\n0 0\n3 40\n",
                "1\n1\n0 0\n",
                "\u0000\u0000",
                "0\n2\n0 0\n3 40",
                "0\n2\n3 0\n3 40\n",
                "0\n2\n3 0\n1 40\n",
                "0\n2\n0 40\n3 40\n",
                "0\n2\n0 40\n3 20\n",
                "0\n2\n-1 0\n3 40\n",
                "0\n2\n0 -1\n3 40\n",
                "0\n2\nx 0\n3 40\n",
                "0\n2\n0 0 0\n3 40\n",
                "0\n2\n00\n3 40\n",
                "0\n2\n0 0\n3 99999999999999999999\n",
                "0\n2\n0 0\n2147483648 40\n",
                "0\n-2\n0 0\n3 40\n",
                "0\n2\n0 0\n\n3 40\n"
            })
    void b48ADamagedFileIsReportedAndBuiltAnewFromTheBatches(final String content) {
        put(content);
        assertEquals(0, table.restore(0, FROM_ZERO, 60));
        final String damage = table.damage();
        assertNotNull(damage);
        assertTrue(damage.contains("memory/leader-epoch-checkpoint"), damage);
        assertEquals(List.of(), table.entries());
        append(table, 0, 40, 0);
        append(table, 40, 20, 3);
        table.force(60);
        assertEquals("0\n2\n0 0\n3 40\n", text());
        assertEquals(60, table.restore(0, FROM_ZERO, 60));
        assertNull(table.damage());
    }

    @Test
    void aMissingFileIsReportedIfItShouldBeThere() {
        assertEquals(10, table.restore(10, new long[] {10, 50}, 60));
        final String damage = table.damage();
        assertNotNull(damage);
        assertTrue(damage.endsWith("is missing"), damage);
        assertEquals(10, table.restore(10, new long[] {10, 50}, 10));
        assertNull(table.damage());
    }

    @Test
    void entriesBelowTheFirstSegmentAreKeptThoughEverythingIsReplayed() {
        put("0\n3\n0 0\n3 40\n7 90\n");
        assertEquals(50, table.restore(50, new long[] {50, 80}, 50));
        assertEquals(entries(3, 50), table.entries());
    }

    @Test
    void nothingIsBelievedOfALogThatBeginsAnew() {
        put("0\n3\n0 0\n3 40\n7 90\n");
        assertEquals(0, table.restore(0, new long[] {0}, 0));
        assertEquals(List.of(), table.entries());
        assertEquals("0\n0\n", text());
        assertEquals(100, table.restore(100, new long[] {100}, 100));
        assertEquals(List.of(), table.entries());
    }

    @Test
    void anIdleLogWhoseRecordsHaveExpiredStillFencesOldLeaders() {
        put("0\n3\n0 0\n3 40\n7 90\n");
        assertEquals(100, table.restore(100, new long[] {100}, 100));
        assertEquals(7, table.latestEpoch());
        assertEquals(entries(7, 100), table.entries());
    }

    @Test
    void negativeValuesAreABrokenInvariant() {
        assertThrows(IllegalArgumentException.class, () -> table.assign(-1, 0));
        assertThrows(IllegalArgumentException.class, () -> table.assign(0, -1));
    }

    @Test
    void aFailedForceLeavesTheFileAndIsTriedAgain() {
        assign(table, 2, 10);
        table.force(20);
        final byte[] before = storage.content(LogFiles.LEADER_EPOCHS);
        table.assign(3, 20);
        storage.failAfter(2);
        assertThrows(StorageException.class, () -> table.force(30));
        assertArrayEquals(before, storage.content(LogFiles.LEADER_EPOCHS));
        storage.failAfter(Integer.MAX_VALUE);
        table.force(30);
        assertEquals("0\n2\n2 10\n3 20\n", text());
    }

    private void put(final String content) {
        storage.put(LogFiles.LEADER_EPOCHS, content.getBytes(US_ASCII));
    }

    private String text() {
        return new String(storage.content(LogFiles.LEADER_EPOCHS), US_ASCII);
    }

    private static String last(final List<String> list) {
        return list.get(list.size() - 1);
    }

    private static void append(final LeaderEpochTable table, final long base, final int records, final int epoch) {
        table.apply(new ToyLog.Batch(base, records, epoch).flyweight(), 0);
    }

    private static void assign(final LeaderEpochTable table, final int... epochsAndStarts) {
        for (int i = 0; i < epochsAndStarts.length; i += 2) {
            assertTrue(table.assign(epochsAndStarts[i], epochsAndStarts[i + 1]), Arrays.toString(epochsAndStarts));
        }
    }

    private static List<LeaderEpoch> entries(final int... epochsAndStarts) {
        final LeaderEpoch[] entries = new LeaderEpoch[epochsAndStarts.length / 2];
        for (int i = 0; i < entries.length; i++) {
            entries[i] = new LeaderEpoch(epochsAndStarts[2 * i], epochsAndStarts[2 * i + 1]);
        }
        return List.of(entries);
    }
}
