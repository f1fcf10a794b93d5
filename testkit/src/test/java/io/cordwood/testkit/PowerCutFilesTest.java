package io.cordwood.testkit;

import static io.cordwood.testkit.Disk.append;
import static io.cordwood.testkit.Disk.claim;
import static io.cordwood.testkit.Disk.durable;
import static io.cordwood.testkit.Disk.leaving;
import static io.cordwood.testkit.Disk.letters;
import static io.cordwood.testkit.Disk.map;
import static io.cordwood.testkit.Disk.sector;
import static io.cordwood.testkit.Disk.text;
import static io.cordwood.testkit.Disk.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.StorageFile;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a power cut may do to the bytes of a file. */
final class PowerCutFilesTest {
    private final SimulatedStorage disk = Disk.empty();

    @Test
    void whatIsForcedStaysAndWhatIsNotMayGo() {
        durable(disk, "f", "forced");
        write(append(disk, "f"), " and not");
        assertEquals("forced", text(disk.afterPowerCut(PowerCut.nothing()), "f"));
        assertEquals("forced and not", text(disk.afterPowerCut(PowerCut.everything()), "f"));
        assertEquals("forced and not", text(disk, "f"));
    }

    @Test
    void aForceCoversWhatOtherHandlesWrote() {
        durable(disk, "f", "");
        write(append(disk, "f"), "written");
        disk.open("f", FileUse.READ, 0).force();
        assertEquals("written", text(disk.powerCut(PowerCut.nothing()), "f"));
    }

    @Test
    void aWriteIsTornAtItsSectors() {
        durable(disk, "f", "");
        write(append(disk, "f"), sector('a') + sector('b') + sector('c') + "d");
        assertEquals(
                "a.c.", letters(text(disk.afterPowerCut(leaving(true, true, p -> p.position() % 1024 == 0)), "f")));
        assertEquals("...d", letters(text(disk.afterPowerCut(leaving(true, true, p -> p.position() == 1536)), "f")));
        assertEquals("", text(disk.afterPowerCut(leaving(true, false, p -> true)), "f"));
    }

    @Test
    void aSectorIsAnyOfItsVersions() {
        durable(disk, "f", "0");
        final StorageFile file = append(disk, "f");
        write(file, "1");
        final int first = disk.actCount();
        write(file, "2");
        write(file, "3");
        assertEquals("0...", text(disk.afterPowerCut(leaving(true, true, p -> false)), "f"));
        assertEquals("01..", text(disk.afterPowerCut(leaving(true, true, p -> p.act() == first)), "f"));
        assertEquals("012.", text(disk.afterPowerCut(leaving(true, true, p -> p.act() == first + 1)), "f"));
        assertEquals("012", text(disk.afterPowerCut(PowerCut.prefix(first + 1)), "f"));
        assertEquals("0123", text(disk.afterPowerCut(p -> p.act() == first + 2), "f"));
    }

    @Test
    void theTimeOfAFileIsThatOfItsLength() {
        final long[] nowMs = {1000};
        final SimulatedStorage ticking = new SimulatedStorage(() -> nowMs[0]);
        durable(ticking, "f", "a");
        nowMs[0] = 2000;
        write(append(ticking, "f"), "b");
        assertEquals(2000, status(ticking).modifiedMs());
        assertEquals(1000, status(ticking.afterPowerCut(PowerCut.nothing())).modifiedMs());
        assertEquals(2000, status(ticking.afterPowerCut(PowerCut.everything())).modifiedMs());
    }

    @Test
    void whatIsCutComesBackUnlessTheCutIsForced() {
        durable(disk, "f", sector('a').repeat(10));
        final StorageFile file = append(disk, "f");
        file.truncate(700);
        final SimulatedStorage before = disk.afterPowerCut(PowerCut.nothing());
        assertEquals(5120, status(before).length());
        final SimulatedStorage zeroed = disk.afterPowerCut(leaving(true, false, p -> true));
        assertEquals(
                "aa......aa", letters(text(zeroed, "f")), "the rest of the block was zeroed before the length changed");
        assertEquals("a".repeat(188) + ".".repeat(324), text(zeroed, "f").substring(512, 1024));
        assertEquals(
                700, status(disk.afterPowerCut(leaving(true, true, p -> false))).length());
        file.force();
        assertEquals("a".repeat(700), text(disk.powerCut(PowerCut.nothing()), "f"));
    }

    /** The length of a cut survives by itself: without the zeros of the rest of its last block the old bytes are still there. */
    @Test
    void aLaterLengthShowsWhatACutHasNotZeroed() {
        durable(disk, "f", "A".repeat(5000));
        final StorageFile file = append(disk, "f");
        file.truncate(4500);
        final int cut = disk.actCount();
        write(file, "B".repeat(500));
        assertEquals("A".repeat(5000), text(disk.afterPowerCut(leaving(true, true, p -> false)), "f"));
        assertEquals(
                "A".repeat(4500) + ".".repeat(500),
                text(disk.afterPowerCut(leaving(true, true, p -> p.act() == cut)), "f"));
        assertEquals(
                "A".repeat(4608) + ".".repeat(392),
                text(disk.afterPowerCut(leaving(true, true, p -> p.act() == cut && p.position() == 4608)), "f"));
        assertEquals("A".repeat(4500), text(disk.afterPowerCut(PowerCut.prefix(cut)), "f"));
        file.force();
        assertEquals("A".repeat(4500) + "B".repeat(500), text(disk.powerCut(PowerCut.nothing()), "f"));
    }

    /** What lay in the blocks that a cut gives back is not seen again. */
    @Test
    void aLaterLengthShowsNothingOfTheBlocksThatACutGaveBack() {
        durable(disk, "f", sector('a').repeat(20));
        final StorageFile file = append(disk, "f");
        file.truncate(700);
        write(file, "b".repeat(9540));
        assertEquals(
                "a".repeat(8) + ".".repeat(12),
                letters(text(disk.afterPowerCut(leaving(true, true, p -> false)), "f")));
    }

    @Test
    void whatIsWrittenBehindACutThatIsLostLiesInOtherBlocks() {
        durable(disk, "f", sector('a').repeat(20));
        final StorageFile file = append(disk, "f");
        file.truncate(512);
        write(file, sector('b').repeat(15));
        assertEquals("a".repeat(20), letters(text(disk.afterPowerCut(PowerCut.nothing()), "f")));
        assertEquals(
                "abbbbbbb" + "a".repeat(12),
                letters(text(disk.afterPowerCut(leaving(true, false, p -> true)), "f")),
                "only the block that the cut went through is written in place");
        assertEquals(
                "a".repeat(8) + ".".repeat(8), letters(text(disk.afterPowerCut(leaving(true, true, p -> false)), "f")));
        assertEquals("a" + "b".repeat(15), letters(text(disk.afterPowerCut(PowerCut.everything()), "f")));
    }

    @Test
    void aLengthImpliesTheOnesBeforeIt() {
        durable(disk, "f", sector('a').repeat(20));
        final StorageFile file = append(disk, "f");
        file.truncate(0);
        final int cut = disk.actCount();
        write(file, "new");
        assertEquals("new", text(disk.afterPowerCut(p -> p.act() > cut), "f"));
    }

    @Test
    void bytesClaimedInAMappingMayBeThereAndStagedOnesAreNot() {
        durable(disk, "mapped", "");
        durable(disk, "staged", "");
        final StorageFile mapped = map(disk, "mapped");
        claim(mapped, "claimed");
        claim(append(disk, "staged"), "claimed");
        final SimulatedStorage after = disk.afterPowerCut(PowerCut.everything());
        assertTrue(text(after, "mapped").startsWith("claimed."), "and the zeros that were reserved");
        assertEquals(64 << 10, after.open("mapped", FileUse.READ, 0).length());
        assertEquals("", text(after, "staged"));
        mapped.publish();
        mapped.force();
        assertTrue(text(disk.afterPowerCut(PowerCut.nothing()), "mapped").startsWith("claimed."));
    }

    @Test
    void eachSectorOfAMappingThatDiffersIsPending() {
        durable(disk, "f", "");
        final StorageFile file = map(disk, "f");
        write(file, sector('a') + sector('b'));
        file.force();
        assertEquals(List.of(), disk.pending());
        claim(file, sector('c') + "d");
        final int next = disk.actCount() + 1;
        assertEquals(
                List.of(
                        new Pending(next, Pending.Kind.SECTOR, "f", 1024),
                        new Pending(next, Pending.Kind.SECTOR, "f", 1536)),
                disk.pending());
        assertEquals(
                "ab.d",
                letters(text(disk.afterPowerCut(p -> p.position() == 1536), "f"))
                        .substring(0, 4));
        file.publish();
        assertEquals(
                List.of(next, next), disk.pending().stream().map(Pending::act).toList());
    }

    @Test
    void aForceOfAMappingTakesAlongWhatIsClaimed() {
        durable(disk, "f", "");
        final StorageFile file = map(disk, "f");
        write(file, "a").force();
        claim(file, "b");
        file.force();
        assertTrue(text(disk.afterPowerCut(PowerCut.nothing()), "f").startsWith("ab."));
    }

    @Test
    void whatIsWrittenInOneLifeIsNotOnThePlatterOfAnother() {
        durable(disk, "f", "abcdef");
        final SimulatedStorage next = disk.afterPowerCut(PowerCut.nothing());
        final StorageFile file = append(next, "f");
        file.truncate(3);
        write(file, "xyz");
        assertEquals("abcdef", text(disk, "f"));
        assertEquals("abcdef", text(next.powerCut(PowerCut.nothing()), "f"));
    }

    @Test
    void reservedDiskIsGivenBackAtTheCloseAndItsZerosStayIfThatIsLost() {
        durable(disk, "f", "");
        final StorageFile file = disk.open("f", FileUse.APPEND, 1000);
        write(file, "abc").force();
        file.close();
        assertEquals(3, status(disk).length());
        assertEquals("abc" + ".".repeat(997), text(disk.afterPowerCut(PowerCut.nothing()), "f"));
        assertEquals("abc", text(disk.afterPowerCut(PowerCut.everything()), "f"));
    }

    @Test
    void oneSeedGivesOneState() {
        durable(disk, "f", "");
        final StorageFile file = append(disk, "f");
        for (int i = 0; i < 20; i++) {
            write(file, sector((char) ('a' + i)));
        }
        final TreeSet<Long> states = new TreeSet<>();
        for (int seed = 0; seed < 50; seed++) {
            final long hash =
                    disk.afterPowerCut(PowerCut.random(new Random(seed))).platterHash();
            assertEquals(
                    hash, disk.afterPowerCut(PowerCut.random(new Random(seed))).platterHash());
            states.add(hash);
        }
        assertEquals(50, states.size());
    }

    @Test
    void theHashIsThatOfTheStateHoweverItCameAbout() {
        durable(disk, "f", sector('a') + sector('b'));
        final SimulatedStorage other = Disk.empty();
        durable(other, "g", sector('a'));
        write(append(other, "g"), sector('b')).force();
        assertTrue(disk.platterHash() != other.platterHash(), "another name");
        other.rename("g", "f");
        other.syncDirectory("");
        assertEquals(disk.platterHash(), other.platterHash());
        assertEquals(-4039664820572727456L, other.platterHash(), "in each JVM");
        write(append(other, "f"), "c");
        assertEquals(disk.platterHash(), other.platterHash(), "nothing was forced");
        final StorageFile longer = other.open("f", FileUse.APPEND, 2000);
        longer.force();
        assertTrue(disk.platterHash() != other.platterHash(), "another length");
    }

    private static FileStatus status(final SimulatedStorage disk) {
        return Objects.requireNonNull(disk.status("f"));
    }
}
