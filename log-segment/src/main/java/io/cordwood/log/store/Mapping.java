package io.cordwood.log.store;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.file.Files;
import java.nio.file.Path;
import net.openhft.posix.PosixAPI;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * A file in memory, as one piece. Counts those who look at it and is unmapped by the last one to let go.
 *
 * <p>The one class that calls the system through Chronicle's posix library. Of each call it trusts the result alone: the
 * library does not keep the system's error code.
 */
final class Mapping implements FileView.Hold {
    /** Page of this machine. */
    static final int PAGE_BYTES = UnsafeApi.pageSize();

    private static final boolean IS_MAC = System.getProperty("os.name", "").startsWith("Mac");
    private static final boolean IS_LINUX = "Linux".equals(System.getProperty("os.name", ""));
    private static final int OPEN_READ = IS_MAC ? 0x1000000 : 0x80000;
    private static final int OPEN_READ_WRITE = OPEN_READ | 2;
    private static final int PROTECTION_READ = 1;
    private static final int PROTECTION_READ_WRITE = 3;
    private static final int MAP_SHARED = 1;
    private static final int MAP_PRIVATE = 0x2;
    private static final int MAP_FIXED = 0x10;
    private static final int MAP_ZEROS = MAP_PRIVATE | (IS_MAC ? 0x1000 : 0x20);
    private static final int MAP_PRIVATE_FIXED = MAP_PRIVATE | MAP_FIXED;
    private static final int MAP_ZEROS_FIXED = MAP_ZEROS | MAP_FIXED;
    private static final int MADV_POPULATE_READ = 22;
    private static final int MADV_POPULATE_WRITE = 23;
    private static final int FALLOC_FL_KEEP_SIZE = 1;
    private static final int NO_FILE = -1;
    private static final byte UNKNOWN = 0;
    private static final byte TOLD = 1;
    private static final byte NOT_TOLD = 2;
    private static final VarHandle HOLDS;

    static {
        try {
            HOLDS = MethodHandles.lookup().findVarHandle(Mapping.class, "holds", int.class);
        } catch (final ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final OpenFiles files;
    private final Place place;
    private final long address;
    private final long length;
    private final boolean isWritable;
    private volatile int holds = 1;

    // A hint: pages below were most likely asked for before, and to look whether they still are there is cheaper than
    // to ask again.
    private volatile long broughtTo;

    // Found out at the first request, by whichever thread.
    private volatile byte told = UNKNOWN;

    // Of the writer, while it has the right to reserve.
    private int file;

    // Under the lock of OpenFiles: where the bytes of the file end and those that hide a truncation begin.
    private long hiddenFrom = Long.MAX_VALUE;

    private Mapping(final OpenFiles files, final Place place, final long address, final long length, final int file) {
        this.files = files;
        this.place = place;
        this.address = address;
        this.length = length;
        this.isWritable = file != NO_FILE;
        this.file = file;
    }

    /** True if this system can map at all; whether a file system can reserve shows at the first file. */
    static boolean isAvailable() {
        return (IS_LINUX || IS_MAC) && Posix.IS_LOADED;
    }

    /**
     * Maps a file, under the lock of {@link OpenFiles}, so that it is the right file. One to write to may be mapped up to a
     * length that it does not have yet: only what {@link #reserve} or the file itself backs may be touched then.
     */
    static Mapping of(final OpenFiles files, final Place place, final long length, final boolean isWritable)
            throws IOException {
        final int file = openFile(place.path(), isWritable ? OPEN_READ_WRITE : OPEN_READ);
        boolean isKept = false;
        try {
            final int protection = isWritable ? PROTECTION_READ_WRITE : PROTECTION_READ;
            final long address = map(0, length, protection, MAP_SHARED, file, 0);
            isKept = isWritable;
            return new Mapping(files, place, address, length, isWritable ? file : NO_FILE);
        } finally {
            if (!isKept) {
                Posix.API.close(file);
            }
        }
    }

    long address() {
        return address;
    }

    long length() {
        return length;
    }

    Place place() {
        return place;
    }

    /**
     * Takes disk for a piece of the file, then lets the system make its pages writable, so that a store to them can no longer
     * fail for want of disk.
     *
     * @return false if the system refused; the pages must not be touched then.
     */
    boolean reserve(final long start, final long end) {
        try {
            return Posix.API.fallocate(file, 0, start, end - start) == 0
                    && Posix.API.madvise(address + start, end - start, MADV_POPULATE_WRITE) == 0;
        } catch (final RuntimeException e) {
            return false;
        }
    }

    /**
     * Brings a piece that is held into memory, so that a look at it does not meet a disk that fails: outside the accesses that
     * the JVM guards, as in a checksum, that would be the end of the process.
     *
     * @param look of the thread that asks.
     * @return false if the system refused; then a plain read tells why.
     */
    boolean load(final long position, final int bytes, final PageLook look) {
        final long first = address + position;
        final long end = position + bytes;
        if (end <= broughtTo && isTold() && look.isInMemory(first, bytes)) {
            return true;
        }
        final long from = first & -PAGE_BYTES;
        if (Posix.API.madvise(from, first + bytes - from, MADV_POPULATE_READ) != 0) {
            return false;
        }
        if (end > broughtTo) {
            broughtTo = end;
        }
        return true;
    }

    /** Whether the system says which pages are in memory: who may not write to the file is told that all are. */
    private boolean isTold() {
        byte known = told;
        if (known == UNKNOWN) {
            known = Files.isWritable(place.path()) ? TOLD : NOT_TOLD;
            told = known;
        }
        return known == TOLD;
    }

    /** True if disk can be reserved behind the end of a file here. */
    static boolean isReservableBehindEnd() {
        return IS_LINUX && Posix.IS_LOADED;
    }

    /** True if {@link #load} works on this system: Linux 5.14 and later. */
    static boolean isLoadable() {
        return IS_LINUX && Posix.IS_LOADED && Posix.CAN_POPULATE;
    }

    /** Closes the descriptor that {@link #reserve} needs. */
    void endReserving() {
        if (file != NO_FILE) {
            Posix.API.close(file);
            file = NO_FILE;
        }
    }

    /**
     * Takes disk for a piece of a file that is not mapped; false if the system refused. Either the piece becomes zeros of the
     * file, or the file stays as long as it is.
     */
    static boolean reserve(final Path path, final long start, final long end, final boolean keepsLength)
            throws IOException {
        final int file = openFile(path, OPEN_READ_WRITE);
        try {
            return Posix.API.fallocate(file, keepsLength ? FALLOC_FL_KEEP_SIZE : 0, start, end - start) == 0;
        } catch (final RuntimeException e) {
            return false;
        } finally {
            Posix.API.close(file);
        }
    }

    /** Gives back the disk that was reserved behind the end of a file of that length. */
    static void freeBehindEnd(final Path path, final long length) throws IOException {
        final int file = openFile(path, OPEN_READ_WRITE);
        try {
            if (Posix.API.ftruncate(file, length) != 0) {
                throw new IOException("the system refuses to give back what was reserved behind position " + length);
            }
        } finally {
            Posix.API.close(file);
        }
    }

    /** Counts one more who looks at it; false if it is unmapped already. */
    boolean retain() {
        for (; ; ) {
            final int seen = holds;
            if (seen == 0) {
                return false;
            }
            if (HOLDS.compareAndSet(this, seen, seen + 1)) {
                return true;
            }
        }
    }

    /** Under the lock of {@link OpenFiles}: true if it is a reader's, shows so much of the file, and hides nothing. */
    boolean shows(final long bytes) {
        return !isWritable && length >= bytes && hiddenFrom == Long.MAX_VALUE;
    }

    /** True if somebody besides an owner looks at it, or it has two owners: recovery and the log that goes on with its mapping. */
    boolean isLookedAt() {
        return holds > 1;
    }

    @Override
    public void release() {
        if ((int) HOLDS.getAndAdd(this, -1) == 1) {
            files.forget(this);
            files.freedLater().add(length, this::unmap);
        }
    }

    private void unmap() {
        Posix.API.munmap(address, length);
    }

    /**
     * Takes the pages of a file that is about to be cut out of its hands, under the lock of {@link OpenFiles}. A page behind
     * the end of its file kills the process that touches it, and the page at the end would show what is written there
     * next. So behind the cut come zeros that belong to no file, and the page with the cut in it becomes a private copy;
     * both in one step each, at the same addresses, under the eyes of readers.
     */
    void hide(final long from) throws IOException {
        final long firstPage = from & -PAGE_BYTES;
        // The page at an earlier cut is a private copy already; another would show what was written since.
        if (from >= Math.min(length, hiddenFrom) || (from != firstPage && firstPage == (hiddenFrom & -PAGE_BYTES))) {
            return;
        }
        // The copy first: if the file cannot be opened nothing is cut, and nothing may be hidden.
        if (from > firstPage) {
            final int own = openFile(place.path(), OPEN_READ);
            try {
                map(address + firstPage, PAGE_BYTES, PROTECTION_READ_WRITE, MAP_PRIVATE_FIXED, own, firstPage);
                // A store of what is there already makes the copy.
                final UnsafeBuffer page = new UnsafeBuffer(address + firstPage, PAGE_BYTES);
                page.putByteVolatile(0, page.getByteVolatile(0));
            } finally {
                Posix.API.close(own);
            }
        }
        final long zeros = from == firstPage ? from : firstPage + PAGE_BYTES;
        if (zeros < length) {
            map(address + zeros, length - zeros, PROTECTION_READ, MAP_ZEROS_FIXED, NO_FILE, 0);
        }
        hiddenFrom = from;
    }

    private static int openFile(final Path path, final int flags) throws IOException {
        final int file = Posix.API.open(path.toString(), flags, 0);
        if (file < 0) {
            throw new IOException("the file cannot be opened to be mapped");
        }
        return file;
    }

    private static long map(
            final long at, final long length, final int protection, final int flags, final int file, final long start)
            throws IOException {
        final long mapped;
        try {
            mapped = Posix.API.mmap(at, length, protection, flags, file, start);
        } catch (final RuntimeException e) {
            throw new IOException("the system refuses to map " + length + " bytes: " + e.getMessage(), e);
        }
        if (mapped == 0 || mapped == -1) {
            throw new IOException("the system refuses to map " + length + " bytes");
        }
        return mapped;
    }

    /** Loaded at the first use, so that a process without the native library only goes without mappings. */
    private static final class Posix {
        static final PosixAPI API = PosixAPI.posix();
        static final boolean IS_LOADED = isLoaded();
        static final boolean CAN_POPULATE = IS_LOADED && canPopulate();

        private static boolean canPopulate() {
            try {
                final long page = map(0, PAGE_BYTES, PROTECTION_READ, MAP_ZEROS, NO_FILE, 0);
                try {
                    return API.madvise(page, PAGE_BYTES, MADV_POPULATE_READ) == 0;
                } finally {
                    API.munmap(page, PAGE_BYTES);
                }
            } catch (final IOException | RuntimeException e) {
                return false;
            }
        }

        private static boolean isLoaded() {
            try {
                // The stand-in for a missing library throws here; the real one fails.
                return API.open("", 0, 0) < 0;
            } catch (final RuntimeException e) {
                return false;
            }
        }
    }
}
