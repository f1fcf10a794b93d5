package io.cordwood.testkit;

import static io.cordwood.testkit.Disk.append;
import static io.cordwood.testkit.Disk.durable;
import static io.cordwood.testkit.Disk.text;
import static io.cordwood.testkit.Disk.write;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What a power cut may do to names. */
final class PowerCutNamesTest {
    private final SimulatedStorage disk = Disk.empty();

    @Test
    void aNameStaysOnceItsDirectoryIsSynced() {
        write(append(disk, "f"), "forced").force();
        assertEquals(List.of("", "f=forced"), states(), "a force makes no name");
        disk.syncDirectory("");
        assertEquals(List.of("f=forced"), states());
    }

    @Test
    void aNameWithoutAForceIsThatOfAnEmptyFile() {
        write(append(disk, "f"), "x");
        disk.syncDirectory("");
        assertEquals("f=", tree(disk.afterPowerCut(PowerCut.nothing())));
    }

    @Test
    void namesOfOneDirectoryComeInAnyOrder() {
        write(append(disk, "a"), "1").force();
        write(append(disk, "b"), "2").force();
        assertEquals(List.of("", "a=1", "a=1 b=2", "b=2"), states());
    }

    @Test
    void aRenameIsDoneOrNot() {
        durable(disk, "a", "1");
        disk.rename("a", "b");
        assertEquals(List.of("a=1", "b=1"), states());
        durable(disk, "c", "2");
        disk.rename("c", "b");
        assertEquals(List.of("b=1 c=2", "b=2"), states());
    }

    @Test
    void aRenameBetweenDirectoriesIsSyncedByEither() {
        for (final String synced : List.of("d", "e")) {
            final SimulatedStorage fresh = Disk.empty();
            fresh.makeDirectory("d");
            fresh.makeDirectory("e");
            durable(fresh, "d/a", "1");
            fresh.rename("d/a", "e/a");
            fresh.syncDirectory(synced);
            assertEquals("d/ e/a=1 e/", tree(fresh.powerCut(PowerCut.nothing())));
        }
    }

    @Test
    void whatIsAboutOneFileOrNameKeepsItsOrder() {
        durable(disk, "a", "1");
        disk.rename("a", "b");
        disk.rename("b", "c");
        assertEquals(List.of("a=1", "b=1", "c=1"), states());
        disk.delete("c");
        write(append(disk, "c"), "2").force();
        assertEquals(List.of("", "a=1", "b=1", "c=1", "c=2"), states());
    }

    @Test
    void aSyncTakesAlongWhatCameBefore() {
        disk.makeDirectory("d");
        disk.makeDirectory("e");
        disk.syncDirectory("");
        write(append(disk, "d/a"), "1").force();
        disk.rename("d/a", "e/b");
        disk.syncDirectory("e");
        assertEquals("d/ e/b=1 e/", tree(disk.afterPowerCut(PowerCut.everything())));
        assertEquals("d/ e/b=1 e/", tree(disk.powerCut(PowerCut.nothing())));
    }

    @Test
    void aDeletedFileMayComeBackWithWhatWasForced() {
        durable(disk, "a", "1");
        write(append(disk, "a"), "2");
        disk.delete("a");
        assertEquals(List.of("", "a=1", "a=1.", "a=12"), states());
        disk.syncDirectory("");
        assertEquals(List.of(""), states());
    }

    @Test
    void aDirectoryIsGoneOnlyAfterWhatWasInIt() {
        disk.makeDirectory("d");
        durable(disk, "d/a", "1");
        disk.rename("d/a", "b");
        disk.removeDirectory("d");
        assertEquals(List.of("b=1", "b=1 d/", "d/a=1 d/"), states());
    }

    @Test
    void aDirectoryIsReplacedOnlyAfterWhatWasInIt() {
        disk.makeDirectory("a");
        disk.makeDirectory("b");
        disk.makeDirectory("c");
        disk.syncDirectory("");
        durable(disk, "b/f", "1");
        disk.rename("b/f", "c/f");
        disk.rename("a", "b");
        assertEquals(List.of("a/ b/ c/f=1 c/", "a/ b/f=1 b/ c/", "b/ c/f=1 c/"), states());
    }

    @Test
    void whatIsMovedIsNotLostWithADirectoryThatIsNotThere() {
        disk.makeDirectory("old");
        disk.syncDirectory("");
        durable(disk, "old/f", "1");
        disk.makeDirectory("new");
        disk.rename("old/f", "new/f");
        assertEquals(List.of("new/ old/f=1 old/", "new/f=1 new/ old/", "old/f=1 old/"), states());
        disk.syncDirectory("old");
        assertEquals("new/f=1 new/ old/", tree(disk.powerCut(PowerCut.nothing())));
    }

    @Test
    void whatIsMovedIsNotLostWithTheWayToItsDirectory() {
        disk.makeDirectory("old");
        disk.makeDirectory("other");
        disk.syncDirectory("");
        durable(disk, "old/f", "1");
        disk.makeDirectory("new");
        disk.makeDirectory("new/a");
        disk.rename("new/a", "other/a");
        disk.rename("old/f", "other/a/f");
        assertEquals(
                List.of(
                        "new/ old/ other/a/f=1 other/a/ other/",
                        "new/ old/f=1 old/ other/",
                        "new/ old/f=1 old/ other/a/ other/",
                        "new/a/ new/ old/f=1 old/ other/",
                        "new/a/f=1 new/a/ new/ old/ other/",
                        "old/ other/a/f=1 other/a/ other/",
                        "old/f=1 old/ other/",
                        "old/f=1 old/ other/a/ other/"),
                states());
        disk.syncDirectory("old");
        assertEquals("new/a/f=1 new/a/ new/ old/ other/", tree(disk.afterPowerCut(PowerCut.nothing())));
    }

    @Test
    void whatIsInADirectoryIsReachedThroughItsNameAlone() {
        disk.makeDirectory("d");
        write(append(disk, "d/a"), "1").force();
        disk.syncDirectory("d");
        assertEquals(List.of("", "d/a=1 d/"), states());
        disk.syncDirectory("");
        disk.rename("d", "e");
        write(append(disk, "e/b"), "2").force();
        disk.syncDirectory("e");
        assertEquals(List.of("d/a=1 d/b=2 d/", "e/a=1 e/b=2 e/"), states());
    }

    @Test
    void directoriesMoveOneAtATime() {
        disk.makeDirectory("x");
        disk.makeDirectory("y");
        disk.syncDirectory("");
        disk.rename("x", "y/x");
        disk.rename("y/x", "x");
        disk.rename("y", "x/y");
        assertEquals(List.of("x/ y/", "x/y/ x/", "y/x/ y/"), states());
    }

    @Test
    void whatIsPendingIsToldInOrder() {
        disk.makeDirectory("d");
        write(append(disk, "d/a"), "1");
        disk.rename("d/a", "d/b");
        assertEquals(
                """
                1 NAME d 0
                2 NAME d/b 0
                4 NAME d/b 0
                3 LENGTH d/b 1
                3 SECTOR d/b 0""",
                String.join(
                        "\n",
                        disk.pending().stream()
                                .map(p -> p.act() + " " + p.kind() + " " + p.path() + " " + p.position())
                                .toList()));
    }

    /** Every state that a power cut may leave, sorted. */
    private List<String> states() {
        final int count = disk.pending().size();
        final TreeSet<String> found = new TreeSet<>();
        for (int mask = 0; mask < 1 << count; mask++) {
            final int chosen = mask;
            final int[] asked = {0};
            found.add(tree(disk.afterPowerCut(change -> (chosen >> asked[0]++ & 1) == 1)));
        }
        return new ArrayList<>(found);
    }

    private static String tree(final Storage disk) {
        final List<String> entries = new ArrayList<>();
        collect(disk, "", entries);
        return String.join(" ", entries);
    }

    private static void collect(final Storage disk, final String directory, final List<String> entries) {
        for (final FileStatus status : disk.list(directory)) {
            final String path = directory.isEmpty() ? status.name() : directory + "/" + status.name();
            if (status.isDirectory()) {
                collect(disk, path, entries);
                entries.add(path + "/");
            } else {
                entries.add(path + "=" + text(disk, path));
            }
        }
    }
}
