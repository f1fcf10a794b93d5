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
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.io.ByteArrayOutputStream;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FaultyStorageTest {
    private final SimulatedStorage disk = Disk.empty();

    /** A test that asks whether its fault took place must not be told of another one's. */
    @Test
    void aRuleBehindOneThatActsHasNotHappened() {
        final FaultyStorage faulty = new FaultyStorage(disk, "make * 1 eio", "make * 1 enospc", "make x 1+ eio");
        assertThrows(StorageException.class, () -> faulty.makeDirectory("x"));
        assertEquals(List.of("make * 1 enospc", "make x 1+ eio"), faulty.unused());
        assertThrows(StorageException.class, () -> faulty.makeDirectory("x"));
        assertEquals(List.of("make * 1 enospc"), faulty.unused());
        assertEquals(
                "a rule is there twice, and the second would never be hit: 'make * 1 eio'",
                assertThrows(
                                IllegalArgumentException.class,
                                () -> new FaultyStorage(disk, "make * 1 eio", "make * 1 eio"))
                        .getMessage());
    }

    /** One who reads less than a short act does was not hindered. */
    @Test
    void aShortActThatHadNoMoreToDoHasNotHappened() {
        durable(disk, "f", "content");
        final FaultyStorage faulty =
                new FaultyStorage(disk, "view f 1 short=7", "view f 2 short=6", "view f 3 short=6", "send f 1 short=7");
        try (StorageFile file = faulty.open("f", FileUse.READ, 0)) {
            final FileView view = new FileView();
            assertEquals(7, file.view(0, 100, view));
            assertEquals(6, file.view(1, 100, view));
            assertEquals(7, file.transferTo(0, 7, Channels.newChannel(new ByteArrayOutputStream())));
            assertEquals(
                    List.of("view f 1 short=7", "view f 2 short=6", "view f 3 short=6", "send f 1 short=7"),
                    faulty.unused());
            assertEquals(6, file.view(0, 7, view));
        }
        assertEquals(List.of("view f 1 short=7", "view f 2 short=6", "send f 1 short=7"), faulty.unused());
    }

    @ParameterizedTest
    @ValueSource(strings = {"make * 01 eio", "make * +1 eio", "view * 1 short=00", "make * 0 eio"})
    void aNumberIsOneText(final String rule) {
        assertThrows(IllegalArgumentException.class, () -> new FaultyStorage(disk, rule));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list",
                "open",
                "rename",
                "delete",
                "make",
                "remove",
                "sync",
                "lock",
                "publish",
                "view",
                "send",
                "truncate",
                "force",
                "close"
            })
    void eachActCanFailOnceAndIsNotDoneThen(final String act) throws Exception {
        durable(disk, "f", "content");
        disk.makeDirectory("d");
        final FaultyStorage faulty = new FaultyStorage(disk, act + " * 2 eio");
        final long before = disk.platterHash();
        act(faulty, act);
        assertEquals(List.of(act + " * 2 eio"), faulty.unused());
        disk.rename("g", "f");
        final StorageException failure = assertThrows(StorageException.class, () -> act(faulty, act));
        assertEquals(act, failure.operation());
        assertTrue(String.valueOf(failure.getMessage()).endsWith("input/output error"), failure.getMessage());
        assertEquals(List.of(), faulty.unused());
        assertEquals(before, disk.platterHash());
        assertEquals("content", text(disk, "f").substring(0, 7));
        assertEquals(
                1, faulty.trace().stream().filter(line -> line.endsWith(" eio")).count());
        disk.rename("g", "f");
        act(faulty, act);
    }

    @Test
    void aMappedFileSaysSo() {
        for (final boolean mapped : new boolean[] {false, true}) {
            for (final Storage storage : List.of(disk, new FaultyStorage(disk))) {
                try (StorageFile file = mapped ? map(storage, "f") : append(storage, "f")) {
                    assertEquals(mapped, file.isMapped());
                }
            }
        }
    }

    @Test
    void aFullDiskIsFoundByTheClaimThatIsRefusedAndTheFileGoesOn() {
        final FaultyStorage faulty = new FaultyStorage(disk, "claim *.log 2 enospc");
        final StorageFile file = write(append(faulty, "a.log"), "one");
        final StorageException full = assertThrows(StorageException.class, () -> claim(file, "two"));
        assertTrue(String.valueOf(full.getMessage()).contains("no space left"), full.getMessage());
        write(file, "three");
        assertEquals("onethree", text(faulty, "a.log"));
    }

    @Test
    void aRuleCountsWhatItMatchesAndMayHoldForGood() {
        final FaultyStorage faulty = new FaultyStorage(disk, "force t-*/*.log 2+ eio");
        disk.makeDirectory("t-0");
        final StorageFile other = append(faulty, "t-0/a.index");
        final StorageFile file = append(faulty, "t-0/a.log");
        file.force();
        other.force();
        for (int i = 0; i < 3; i++) {
            assertThrows(StorageException.class, file::force);
            other.force();
        }
    }

    @Test
    void aForceThatFailsForcesNothing() {
        durable(disk, "f", "1");
        final StorageFile file = write(append(new FaultyStorage(disk, "force f 1 eio"), "f"), "2");
        assertThrows(StorageException.class, file::force);
        assertEquals("1", text(disk.afterPowerCut(PowerCut.nothing()), "f"));
        file.force();
        assertEquals("12", text(disk.afterPowerCut(PowerCut.nothing()), "f"));
    }

    @Test
    void whatIsDroppedIsNotDoneAndNobodyIsTold() {
        final FaultyStorage faulty = new FaultyStorage(disk, "sync . 1 dropped", "force f 1 dropped");
        final StorageFile file = write(append(faulty, "f"), "1");
        file.force();
        faulty.syncDirectory("");
        assertEquals(List.of(), disk.afterPowerCut(PowerCut.nothing()).list(""));
        faulty.syncDirectory("");
        assertEquals("", text(disk.afterPowerCut(PowerCut.nothing()), "f"));
        assertEquals(
                List.of("open f APPEND", "publish f 1", "force f dropped", "sync . dropped", "sync ."),
                faulty.changes());
    }

    @Test
    void aShortWriteLeavesItsBeginningInTheFileAndOutOfTheContent() {
        final FaultyStorage faulty = new FaultyStorage(disk, "publish f 2 short=3");
        final StorageFile file = write(append(faulty, "f"), "old");
        claim(file, "new one");
        assertThrows(StorageException.class, file::publish);
        assertEquals("oldnew", text(disk, "f"), "what recovery finds");
        assertEquals(3, file.length());
        try (FileView view = new FileView()) {
            assertEquals(2, file.view(1, 100, view));
            assertEquals(2, file.look(1, 100, view));
        }
        assertEquals(3, sent(file).length());
        assertThrows(StorageException.class, () -> claim(file, "x"));
        assertThrows(StorageException.class, file::publish);
        assertThrows(IllegalArgumentException.class, () -> file.truncate(4));
        file.truncate(3);
        write(file, "er");
        assertEquals("older", text(disk, "f"));
    }

    @Test
    void aWriteThatFailsLeavesNothing() {
        final StorageFile file = append(new FaultyStorage(disk, "publish f 1 enospc"), "f");
        claim(file, "bytes");
        assertThrows(StorageException.class, file::publish);
        assertEquals("", text(disk, "f"));
    }

    @Test
    void aShortSendSendsSome() {
        durable(disk, "f", "content");
        try (StorageFile file = new FaultyStorage(disk, "send f 1 short=4").open("f", FileUse.READ, 0)) {
            assertEquals("cont", sent(file));
            assertEquals("content", sent(file));
        }
    }

    @Test
    void aCloseThatFailsHasClosed() {
        final StorageFile file = append(new FaultyStorage(disk, "close f 1 eio"), "f");
        assertThrows(StorageException.class, file::close);
        assertThrows(StorageException.class, () -> claim(file, "x"));
        file.close();
    }

    @Test
    void theTraceTellsWhatWasDone() {
        final FaultyStorage faulty = new FaultyStorage(disk);
        faulty.makeDirectory("d");
        try (StorageFile file = faulty.open("d/f", FileUse.APPEND_MAPPED, 100)) {
            write(file, "12345");
            file.truncate(2);
            file.force();
            sent(file);
        }
        faulty.rename("d/f", "d/g");
        faulty.status("d/g");
        faulty.syncDirectory("d");
        assertEquals("""
                make d
                open d/f APPEND_MAPPED 100
                claim d/f 5
                publish d/f 5
                truncate d/f 2
                force d/f
                send d/f
                close d/f
                rename d/f d/g
                list d/g
                sync d""", String.join("\n", faulty.trace()));
        assertEquals(8, faulty.changes().size());
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "force *.log 2, a rule is",
                "force  *.log 2 eio, a rule is",
                "force *.log 0 eio, a rule is",
                "force *.log -1 eio, a rule is",
                "force *.log two eio, a rule is",
                "publish * 1 short, a rule is",
                "force * 1 eio=3, a rule is",
                "fsync * 1 eio, 'fsync' is none of list",
                "force * 1 late, 'late' is none of eio",
                "force * 1 short=3, force cannot be short=3",
                "publish * 1 dropped, publish cannot be dropped",
                "claim * 1 eio, claim cannot be eio",
                "delete * 1 enospc, delete cannot be enospc",
                "force /x 1 eio, a path begins at the root",
                "force ../x 1 eio, a path has no empty parts",
                "force a//b 1 eio, a path has no empty parts",
                "force t-0/ 1 eio, a path has no empty parts",
                "force */ 1 eio, a path has no empty parts",
                "force ./x 1 eio, a path has no empty parts",
            })
    void aRuleWithoutSenseIsRefused(final String rule, final String message) {
        final IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> new FaultyStorage(disk, rule));
        assertTrue(String.valueOf(refused.getMessage()).startsWith(message), refused.getMessage());
        assertTrue(String.valueOf(refused.getMessage()).endsWith("'" + rule + "'"), refused.getMessage());
    }

    private static void act(final FaultyStorage faulty, final String act) throws Exception {
        switch (act) {
            case "list" -> faulty.list("");
            case "open" -> faulty.open("new", FileUse.APPEND, 0).close();
            case "rename" -> faulty.rename("f", "g");
            case "delete" -> faulty.delete("d/none");
            case "make" -> faulty.makeDirectory("e");
            case "remove" -> faulty.removeDirectory("none");
            case "sync" -> faulty.syncDirectory("d");
            case "lock" -> faulty.lock(".lock").close();
            default -> {
                try (StorageFile file = append(faulty, "f")) {
                    onFile(file, act);
                }
            }
        }
    }

    private static void onFile(final StorageFile file, final String act) {
        switch (act) {
            case "publish" -> write(file, "more");
            case "view" -> {
                try (FileView view = new FileView()) {
                    file.view(0, 3, view);
                }
            }
            case "send" -> sent(file);
            case "truncate" -> file.truncate(7);
            case "force" -> file.force();
            default -> assertEquals("close", act);
        }
    }

    private static String sent(final StorageFile file) {
        final ByteArrayOutputStream out = new ByteArrayOutputStream();
        file.transferTo(0, 100, Channels.newChannel(out));
        return out.toString(StandardCharsets.US_ASCII);
    }

    @Test
    void aSecondCloseIsNoActAndFailsNoMore() {
        durable(disk, "f", "content");
        final FaultyStorage faulty = new FaultyStorage(disk, "close f 1+ eio");
        final StorageFile file = append(faulty, "f");
        assertThrows(StorageException.class, file::close);
        final List<String> trace = List.copyOf(faulty.trace());
        file.close();
        assertEquals(trace, faulty.trace());
        assertEquals(List.of(), faulty.leftOpen());
    }
}
