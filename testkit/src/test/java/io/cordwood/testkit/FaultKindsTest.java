package io.cordwood.testkit;

import static io.cordwood.testkit.Disk.append;
import static io.cordwood.testkit.Disk.claim;
import static io.cordwood.testkit.Disk.durable;
import static io.cordwood.testkit.Disk.letters;
import static io.cordwood.testkit.Disk.map;
import static io.cordwood.testkit.Disk.sector;
import static io.cordwood.testkit.Disk.text;
import static io.cordwood.testkit.Disk.write;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Faults that are more than an act that is not done. */
final class FaultKindsTest {
    private final SimulatedStorage disk = Disk.empty();

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aForceThatLostItsDataSucceedsTheSecondTimeAndTheDataIsNotThere(final boolean mapped) {
        durable(disk, "f", sector('a'));
        final FaultyStorage faulty = new FaultyStorage(disk, "force f 1 lost");
        final StorageFile file = write(open(faulty, mapped), sector('b') + sector('c'));
        assertThrows(StorageException.class, file::force);
        file.force();
        assertEquals("abc", letters(text(disk, "f").substring(0, 1536)), "readable as long as the machine runs");
        for (final PowerCut cut : List.of(PowerCut.nothing(), PowerCut.everything())) {
            assertEquals("a..", letters(text(disk.afterPowerCut(cut), "f").substring(0, 1536)));
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void withoutASecondForceALengthMaySurviveAndTheBytesMayNot(final boolean mapped) {
        durable(disk, "f", sector('a'));
        final StorageFile file =
                write(open(new FaultyStorage(disk, "force f 1 lost"), mapped), sector('b') + sector('c'));
        assertThrows(StorageException.class, file::force);
        assertEquals("a", letters(text(disk.afterPowerCut(PowerCut.nothing()), "f")));
        assertEquals(
                "a..",
                letters(text(disk.afterPowerCut(PowerCut.everything()), "f").substring(0, 1536)));
        assertEquals("abc", letters(text(disk.kill(), "f").substring(0, 1536)));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsWrittenAfterwardsReachesTheDiskAndTakesItsSectorAlong(final boolean mapped) {
        final StorageFile file =
                write(open(new FaultyStorage(disk, "force f 1 lost"), mapped), sector('b') + sector('c') + "tail");
        disk.syncDirectory("");
        assertThrows(StorageException.class, file::force);
        write(file, " and more").force();
        final String left = text(disk.afterPowerCut(PowerCut.nothing()), "f");
        assertEquals("..", letters(left.substring(0, 1024)));
        assertEquals("tail and more", left.substring(1024, 1037));
    }

    @Test
    void whatIsStoredInAMappingAfterwardsIsNotLost() {
        final StorageFile file = map(new FaultyStorage(disk, "force f 1 lost"), "f");
        claim(file, "lost?");
        disk.syncDirectory("");
        assertThrows(StorageException.class, file::force);
        file.unclaim(5);
        claim(file, "kept!");
        file.force();
        assertEquals("kept!", text(disk.afterPowerCut(PowerCut.nothing()), "f").substring(0, 5));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsCutAndWrittenAnewAfterALossIsForced(final boolean mapped) {
        final StorageFile file =
                write(open(new FaultyStorage(disk, "force f 1 lost"), mapped), sector('b') + sector('c'));
        disk.syncDirectory("");
        assertThrows(StorageException.class, file::force);
        file.truncate(512);
        write(file, sector('c')).force();
        assertEquals(
                ".c", letters(text(disk.afterPowerCut(PowerCut.nothing()), "f").substring(0, 1024)));
    }

    @Test
    void aForceThroughAReaderLosesTheSame() {
        write(append(disk, "f"), "bytes");
        disk.syncDirectory("");
        final StorageFile reader = new FaultyStorage(disk, "force f 1 lost").open("f", FileUse.READ, 0);
        assertThrows(StorageException.class, reader::force);
        reader.force();
        assertEquals(".....", text(disk.afterPowerCut(PowerCut.everything()), "f"));
    }

    @Test
    void aShortLookShowsTheBeginning() {
        durable(disk, "f", "content");
        final Storage faulty = new FaultyStorage(disk, "view f 1 short=4", "view f 3 short=0");
        try (StorageFile file = faulty.open("f", FileUse.READ, 0);
                FileView view = new FileView()) {
            assertEquals(4, file.view(0, 100, view));
            assertEquals(7, file.look(0, 100, view));
            assertEquals(0, file.look(0, 100, view));
            assertEquals(0, view.buffer().capacity());
        }
    }

    @Test
    void aSlowActLetsTheTimePassAndIsDone() {
        final List<Long> delays = new ArrayList<>();
        final FaultyStorage faulty =
                new FaultyStorage(disk, delays::add, "force f 2 slow=3000", "make * 1+ slow=1", "force f 3 eio");
        final StorageFile file = write(append(faulty, "f"), "1");
        disk.syncDirectory("");
        file.force();
        write(file, "2").force();
        faulty.makeDirectory("d");
        assertEquals(List.of(3000L, 1L), delays);
        assertEquals("12", text(disk.afterPowerCut(PowerCut.nothing()), "f"));
        assertThrows(StorageException.class, file::force);
        assertTrue(faulty.changes().containsAll(List.of("force f slow", "make d slow")), faulty::toString);
    }

    @Test
    void aStarStandsForEachActThatCanEndSo() {
        final FaultyStorage full = new FaultyStorage(disk, "* * 2+ enospc");
        final StorageFile file = append(full, "f");
        assertThrows(StorageException.class, () -> claim(file, "x"));
        assertThrows(StorageException.class, () -> full.makeDirectory("d"));
        file.force();
        assertTrue(full.delete("f"));
        final FaultyStorage broken = new FaultyStorage(disk, "* d/* 2 eio");
        broken.makeDirectory("d");
        broken.makeDirectory("d/1");
        assertThrows(StorageException.class, () -> broken.list("d/1"));
        broken.list("d/1");
    }

    @Test
    void whatIsOpenIsTold() throws Exception {
        final FaultyStorage faulty = new FaultyStorage(disk, "close f 1 eio", "open g 1 eio");
        final StorageFile file = append(faulty, "f");
        final AutoCloseable lock = faulty.lock(".lock");
        assertThrows(StorageException.class, () -> append(faulty, "g"));
        try (StorageFile second = map(faulty, "f")) {
            assertEquals(List.of("lock .lock", "open f APPEND", "open f APPEND_MAPPED 1048576"), faulty.leftOpen());
            assertThrows(StorageException.class, second::close);
        }
        assertEquals(List.of("lock .lock", "open f APPEND"), faulty.leftOpen());
        lock.close();
        file.close();
        assertEquals(List.of(), faulty.leftOpen());
    }

    @Test
    void aSeedMakesRulesThatMakeSense() {
        final TreeSet<String> acts = new TreeSet<>();
        final TreeSet<String> outcomes = new TreeSet<>();
        for (int seed = 0; seed < 300; seed++) {
            final String[] rules = FaultyStorage.rules(seed, 3, 50);
            assertArrayEquals(rules, FaultyStorage.rules(seed, 3, 50));
            assertEquals(List.of(rules), new FaultyStorage(disk, rules).unused());
            for (final String rule : rules) {
                acts.add(rule.substring(0, rule.indexOf(' ')));
                outcomes.add(rule.substring(rule.lastIndexOf(' ') + 1).replaceAll("=.*", ""));
            }
        }
        assertEquals(Act.values().length, acts.size());
        assertEquals(new TreeSet<>(List.of("eio", "enospc", "short")), outcomes);
        assertEquals(
                "[open * 16+ enospc, view * 29 eio]",
                Arrays.toString(FaultyStorage.rules(7, 2, 30)),
                "the same in each JVM and version");
        assertThrows(IllegalArgumentException.class, () -> FaultyStorage.rules(0, 0, 1));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "force * 1 lost, only a SimulatedStorage can lose",
                "force * 1 slow=5, nobody was given",
                "force * 1 slow, a rule is",
                "force /f 1 eio, a path begins",
                "sync . 1 lost, sync cannot be lost",
                "view * 1 enospc, view cannot be enospc",
                "any * 1 eio, 'any' is none of list",
            })
    void aPlanWithoutSenseIsRefused(final String rule, final String message) {
        final Storage indirect = new FaultyStorage(disk);
        final IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new FaultyStorage(indirect, rule));
        assertTrue(String.valueOf(refused.getMessage()).startsWith(message), refused.getMessage());
        assertTrue(String.valueOf(refused.getMessage()).endsWith("'" + rule + "'"), refused.getMessage());
    }

    private static StorageFile open(final Storage storage, final boolean mapped) {
        return mapped ? map(storage, "f") : append(storage, "f");
    }
}
