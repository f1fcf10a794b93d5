package io.cordwood.testkit;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.util.function.Predicate;
import org.agrona.concurrent.UnsafeBuffer;

/** What the tests of the kit do to files. */
final class Disk {
    static final long NOW = 1_700_000_000_000L;

    private Disk() {}

    static SimulatedStorage empty() {
        return new SimulatedStorage(() -> NOW);
    }

    /** Text of a file, a dot for each zero. */
    static String text(final Storage disk, final String path) {
        try (StorageFile file = disk.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            final int length = file.view(0, 1 << 20, view);
            return view.buffer().getStringWithoutLengthAscii(0, length).replace('\0', '.');
        }
    }

    static StorageFile append(final Storage disk, final String path) {
        return disk.open(path, FileUse.APPEND, 0);
    }

    static StorageFile map(final Storage disk, final String path) {
        return disk.open(path, FileUse.APPEND_MAPPED, 1 << 20);
    }

    static void claim(final StorageFile file, final String text) {
        if (!text.isEmpty()) {
            final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
            file.claim(text.length(), claimed);
            claimed.putStringWithoutLengthAscii(0, text);
        }
    }

    static StorageFile write(final StorageFile file, final String text) {
        claim(file, text);
        file.publish();
        return file;
    }

    /** Makes a file with that text, durable together with its name. */
    static void durable(final Storage disk, final String path, final String text) {
        try (StorageFile file = append(disk, path)) {
            write(file, text).force();
        }
        for (int slash = path.length(); slash >= 0; slash = path.lastIndexOf('/', slash - 1)) {
            if (slash < path.length()) {
                disk.syncDirectory(path.substring(0, slash));
            }
        }
        disk.syncDirectory("");
    }

    /** A power cut that leaves the kinds that are named, and of sectors those that are picked. */
    static PowerCut leaving(final boolean names, final boolean lengths, final Predicate<Pending> sectors) {
        return change -> switch (change.kind()) {
            case NAME -> names;
            case LENGTH -> lengths;
            case SECTOR -> sectors.test(change);
        };
    }

    static String sector(final char letter) {
        return String.valueOf(letter).repeat(Image.SECTOR_BYTES);
    }

    /** Each sector as one letter. */
    static String letters(final String text) {
        final StringBuilder letters = new StringBuilder();
        for (int at = 0; at < text.length(); at += Image.SECTOR_BYTES) {
            letters.append(text.charAt(at));
        }
        return letters.toString();
    }
}
