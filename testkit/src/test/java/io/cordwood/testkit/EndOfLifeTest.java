package io.cordwood.testkit;

import static io.cordwood.testkit.Disk.append;
import static io.cordwood.testkit.Disk.claim;
import static io.cordwood.testkit.Disk.durable;
import static io.cordwood.testkit.Disk.map;
import static io.cordwood.testkit.Disk.text;
import static io.cordwood.testkit.Disk.write;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** What is left of the files and locks of a life that ended, and what the next life finds after a kill. */
final class EndOfLifeTest {
    @Test
    void afterAPowerCutEverythingOfThatLifeIsRefused() {
        assertRefused(disk -> disk.powerCut(PowerCut.everything()), "the power was cut");
    }

    @Test
    void afterAKillEverythingOfThatLifeIsRefused() {
        assertRefused(SimulatedStorage::kill, "the process was killed");
    }

    @Test
    void whatWasPublishedSurvivesTheProcessAndStaysPending() {
        final SimulatedStorage disk = Disk.empty();
        durable(disk, "f", "1");
        final StorageFile file = append(disk, "f");
        write(file, "2");
        claim(file, "3");
        disk.makeDirectory("d");
        durable(disk, "d/gone", "x");
        disk.delete("d/gone");
        final List<Pending> pending = disk.pending();
        final SimulatedStorage next = disk.kill();
        assertEquals("12", text(next, "f"));
        assertEquals(List.of(), next.list("d"));
        assertEquals(pending, next.pending());
        write(append(next, "f"), "4");
        assertEquals("124", text(next, "f"));
        final SimulatedStorage last = next.powerCut(PowerCut.nothing());
        assertEquals("1", text(last, "f"));
        assertEquals("x", text(last, "d/gone"));
    }

    @Test
    void aMappingThatWasKilledLeavesWhatWasClaimedAndTheZerosBehindIt() {
        final SimulatedStorage disk = Disk.empty();
        final StorageFile file = map(disk, "f");
        write(file, "published ");
        claim(file, "claimed");
        final SimulatedStorage next = disk.kill();
        assertTrue(text(next, "f").startsWith("published claimed."));
        assertEquals(64 << 10, append(next, "f").length());
    }

    @Test
    void aNextLifeSharesNothingWithAnother() {
        final SimulatedStorage disk = Disk.empty();
        durable(disk, "f", "1");
        final SimulatedStorage one = disk.afterPowerCut(PowerCut.nothing());
        final SimulatedStorage two = disk.afterPowerCut(PowerCut.nothing());
        write(append(one, "f"), "one").force();
        write(append(disk, "f"), "disk");
        two.delete("f");
        assertEquals("1one", text(one, "f"));
        assertEquals("1disk", text(disk, "f"));
        assertEquals(List.of(), two.list(""));
        assertEquals("1one", text(one.powerCut(PowerCut.nothing()), "f"));
    }

    @Test
    void aLockDoesNotOutliveItsProcess() throws Exception {
        final SimulatedStorage disk = Disk.empty();
        final AutoCloseable lock = disk.lock(".lock");
        final SimulatedStorage next = disk.kill();
        final AutoCloseable second = next.lock(".lock");
        lock.close();
        assertThrows(StorageException.class, () -> next.lock(".lock"));
        second.close();
    }

    @Test
    void aViewOutlivesTheLifeOfItsFile() {
        final SimulatedStorage disk = Disk.empty();
        try (FileView view = new FileView()) {
            write(append(disk, "f"), "abc").view(0, 3, view);
            disk.powerCut(PowerCut.nothing());
            assertEquals("abc", view.buffer().getStringWithoutLengthAscii(0, 3));
        }
    }

    private static void assertRefused(final UnaryOperator<SimulatedStorage> end, final String reason) {
        final SimulatedStorage disk = Disk.empty();
        durable(disk, "f", "1");
        final StorageFile file = map(disk, "f");
        final StorageFile read = disk.open("f", FileUse.READ, 0);
        final SimulatedStorage next = end.apply(disk);
        final long before = next.platterHash();
        final FileView view = new FileView();
        final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
        for (final Executable act : List.<Executable>of(
                () -> disk.list(""),
                () -> disk.status("f"),
                () -> disk.open("f", FileUse.READ, 0),
                () -> disk.rename("f", "g"),
                () -> disk.delete("f"),
                () -> disk.makeDirectory("d"),
                () -> disk.removeDirectory("d"),
                () -> disk.syncDirectory(""),
                () -> disk.lock(".lock"),
                disk::kill,
                () -> disk.powerCut(PowerCut.nothing()),
                () -> file.claim(1, claimed),
                file::publish,
                () -> file.view(0, 1, view),
                () -> file.truncate(0),
                file::force,
                read::length,
                () -> read.view(0, 1, view),
                read::force)) {
            final StorageException refused = assertThrows(StorageException.class, act);
            assertTrue(String.valueOf(refused.getMessage()).contains(reason), refused.getMessage());
        }
        file.close();
        read.close();
        disk.close();
        assertEquals(before, next.platterHash());
        assertEquals("1", text(next, "f").substring(0, 1));
    }

    /** A close gives back what was reserved; but a process that is dead gives nothing back. */
    @Test
    void aFileOfAnEndedLifeIsClosedWithoutAnAct() {
        final List<String> acts = new ArrayList<>();
        final SimulatedStorage disk = new SimulatedStorage(() -> Disk.NOW, new DiskWatcher() {
            @Override
            public void before(final SimulatedStorage on, final String act) {
                acts.add(act);
            }

            @Override
            public void begun(final SimulatedStorage on) {}
        });
        final StorageFile file = write(map(disk, "f"), "1");
        final SimulatedStorage next = disk.kill();
        acts.clear();
        final long length = next.list("").get(0).length();
        file.close();
        assertEquals(List.of(), acts);
        assertEquals(length, next.list("").get(0).length());
    }

    @Test
    void whatTheNextLifeDoesIsNotSeenByTheOneThatWasKilled() {
        final SimulatedStorage disk = Disk.empty();
        durable(disk, "f", "1");
        final SimulatedStorage next = disk.kill();
        final long hash = disk.platterHash();
        durable(next, "g", "2");
        next.delete("f");
        next.syncDirectory("");
        assertEquals(hash, disk.platterHash());
    }
}
