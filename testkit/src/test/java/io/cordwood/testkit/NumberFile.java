package io.cordwood.testkit;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.StorageFile;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * The example of an integrator's scenario: a file that holds a number and is replaced as a whole, by way of a second file. What
 * was stored is owed; what is being stored may be there already.
 */
final class NumberFile implements CrashScenario {
    private static final int RECORD_BYTES = 600;
    private static final int LAST = 5;

    private final String leftOut;
    private int stored;
    private int promises;

    /** With one of the acts left out: {@code force}, {@code sync} or none of them; or {@code tidy}, that a recovery puts right. */
    NumberFile(final String leftOut) {
        this.leftOut = leftOut;
    }

    @Override
    public void run(final SimulatedStorage disk) {
        for (int number = 1; number <= LAST; number++) {
            try (StorageFile file = disk.open("number.new", FileUse.APPEND, 0)) {
                file.truncate(0);
                final UnsafeBuffer claimed = new UnsafeBuffer(0, 0);
                file.claim(RECORD_BYTES, claimed);
                claimed.setMemory(0, RECORD_BYTES, (byte) ('0' + number));
                file.publish();
                if (!leftOut.equals("force")) {
                    file.force();
                }
            }
            disk.rename("number.new", "number");
            if (!leftOut.equals("sync")) {
                disk.syncDirectory("");
            }
            stored = number;
            promises++;
        }
    }

    @Override
    public long promises() {
        return promises;
    }

    @Override
    public void check(final SimulatedStorage disk) {
        if (leftOut.equals("tidy")) {
            // A recovery that cannot be repeated: it takes the file away and puts it back.
            final int found = read(disk);
            disk.delete("number");
            disk.syncDirectory("");
            if (found != stored && found != stored + 1) {
                throw new AssertionError("stored was " + stored + ", found is " + found);
            }
            return;
        }
        disk.delete("number.new");
        final int found = read(disk);
        if (found != stored && found != stored + 1) {
            throw new AssertionError("stored was " + stored + ", found is " + found);
        }
    }

    private static int read(final SimulatedStorage disk) {
        if (disk.status("number") == null) {
            return 0;
        }
        try (StorageFile file = disk.open("number", FileUse.READ, 0);
                FileView view = new FileView()) {
            final int length = file.view(0, RECORD_BYTES, view);
            for (int i = 0; i < length; i++) {
                if (view.buffer().getByte(i) != view.buffer().getByte(0)) {
                    return -1;
                }
            }
            return length < RECORD_BYTES ? -1 : view.buffer().getByte(0) - '0';
        }
    }
}
