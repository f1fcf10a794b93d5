package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which files a {@link DiskStorage} has open, where they are, and which of them it may close to stay within its bounds.
 *
 * <p>The one lock of the store. It is taken when a file is opened, closed, renamed, deleted or cut, and when a reader finds
 * its file evicted, or longer than what is mapped of it; on an append once in several megabytes, to reserve disk; on no other
 * read of a file that is open.
 */
final class OpenFiles {
    private static final Logger LOG = LoggerFactory.getLogger(OpenFiles.class);
    private static final Path LIMITS = Path.of("/proc/self/limits");
    private static final String OPEN_FILES = "Max open files";

    /** The least name, and the character above the slash: between a directory's path with either lies what is in it. */
    private static final String LEAST_NAME = "\u0001";

    private static final String ABOVE_SLASH = "0";

    private final ReentrantLock lock = new ReentrantLock();

    /** In the order of paths, so that what lies in a directory stands together. */
    private final NavigableMap<Path, Place> places = new TreeMap<>();

    private final ChannelSource source;
    private final RecentSet channels;
    private final RecentSet mappings;
    private final FreedLater freedLater = new FreedLater();

    OpenFiles(final int filesMax, final int mappingsMax, final ChannelSource source) {
        Reasons.load();
        this.source = source;
        this.channels = new RecentSet(Math.min(filesMax, Math.max(1, descriptorsMax() / 2)));
        this.mappings = new RecentSet(mappingsMax);
    }

    /** The place of a file for one more handle, to be left when that is closed. */
    Place enter(final Path path) {
        lock.lock();
        try {
            final Place place = places.computeIfAbsent(path, Place::new);
            place.retain();
            return place;
        } finally {
            lock.unlock();
        }
    }

    void leave(final Place place) {
        lock.lock();
        try {
            place.release();
            forgetIfUnused(place);
        } finally {
            lock.unlock();
        }
    }

    /** Opens a channel to the file at a place, wherever that is by now; evicts others if the process has too many files. */
    FileChannel openChannel(final Place place, final OpenOption... options) throws IOException {
        lock.lock();
        try {
            return openLocked(place, options);
        } finally {
            lock.unlock();
        }
    }

    /** Opens the channel of a reader and counts it in; the caller is its first user. False if another thread was faster. */
    boolean admit(final ReadChannel reader, final String operation) {
        lock.lock();
        try {
            if (!reader.isShut()) {
                return false;
            }
            channels.makeRoom();
            reader.open(openLocked(reader.place(), ReadChannel.OPTIONS));
            channels.add(reader);
            return true;
        } catch (final IOException e) {
            throw Reasons.failure(reader.place().path(), operation, e);
        } finally {
            lock.unlock();
        }
    }

    /** Gives a reader a new channel, if nobody did since {@code broken} was closed by an interrupt. */
    void reopen(final ReadChannel reader, final FileChannel broken, final String operation) {
        lock.lock();
        try {
            if (reader.channel() == broken) {
                reader.replace(openLocked(reader.place(), ReadChannel.OPTIONS));
            }
        } catch (final IOException e) {
            throw Reasons.failure(reader.place().path(), operation, e);
        } finally {
            lock.unlock();
        }
    }

    /** Gives a writer a new channel, if nobody did since {@code broken} was closed by an interrupt. */
    void reopen(final WriteChannel writer, final FileChannel broken) throws IOException {
        lock.lock();
        try {
            if (writer.isBroken(broken)) {
                writer.replace(openLocked(writer.place(), WriteChannel.EXISTING));
            }
        } finally {
            lock.unlock();
        }
    }

    /** Maps a file for its readers, unless another thread was faster, it is closed, or the system refuses and it can be copied. */
    void map(final ReadMapping wanted) {
        final Place place = wanted.place();
        lock.lock();
        try {
            if (wanted.mapping() == null && !wanted.isClosed()) {
                mappings.makeRoom();
                refuseGone(place);
                final long length = Files.size(place.path());
                if (length == 0) {
                    throw Reasons.failure(place.path(), "look up", "the file was cut by someone else");
                }
                mapLocked(wanted, wanted.lengthFor(length));
            }
        } catch (final IOException e) {
            throw Reasons.failure(place.path(), "look up", e);
        } finally {
            lock.unlock();
        }
    }

    /** Lets the readers of a file use what others have mapped of it, if that shows all of it. */
    void share(final ReadMapping wanted, final long length) {
        lock.lock();
        try {
            for (final Mapping mapped : wanted.place().mappings()) {
                if (mapped.shows(length) && mapped.retain()) {
                    mappings.makeRoom();
                    wanted.show(mapped);
                    mappings.add(wanted);
                    return;
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private void mapLocked(final ReadMapping wanted, final long length) throws IOException {
        final Mapping mapped;
        try {
            mapped = mapLocked(wanted.place(), length, false);
        } catch (final IOException e) {
            if (!wanted.refuse()) {
                throw e;
            }
            LOG.warn("{} is read by copy: {}", wanted.place().path(), e.getMessage());
            return;
        }
        wanted.show(mapped);
        mappings.add(wanted);
    }

    /** Takes a mapping from the readers of a file, if they still have it; it is unmapped as soon as nobody looks at it. */
    void unmap(final ReadMapping from, final Mapping stale) {
        lock.lock();
        try {
            if (from.mapping() == stale) {
                unmapLocked(from);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Same for whatever they have. */
    void unmap(final ReadMapping from) {
        lock.lock();
        try {
            unmapLocked(from);
        } finally {
            lock.unlock();
        }
    }

    private void unmapLocked(final ReadMapping from) {
        final Mapping mapped = from.mapping();
        if (mapped != null) {
            mappings.remove(from);
            from.drop(mapped);
        }
    }

    /** Maps a file that is appended to. */
    Mapping mapWritable(final Place place, final long length) throws IOException {
        lock.lock();
        try {
            return mapLocked(place, length, true);
        } finally {
            lock.unlock();
        }
    }

    /** Forgets a mapping that nobody looks at any more, and that may be unmapped therefore. */
    void forget(final Mapping mapping) {
        lock.lock();
        try {
            mapping.place().mappings().remove(mapping);
            forgetIfUnused(mapping.place());
        } finally {
            lock.unlock();
        }
    }

    /** A reader may look at a mapping longer than anybody has the file open: whoever cuts the file then must still find it. */
    private void forgetIfUnused(final Place place) {
        if (!place.isHeld() && place.mappings().isEmpty()) {
            places.remove(place.path(), place);
        }
    }

    /** Takes disk for a piece of a file; false if the system refused. */
    boolean reserve(final Place place, final long start, final long end, final boolean keepsLength) throws IOException {
        lock.lock();
        try {
            refuseGone(place);
            return Mapping.reserve(place.path(), start, end, keepsLength);
        } finally {
            lock.unlock();
        }
    }

    /** Gives back the disk that was reserved behind the end of a file; a channel of the JDK does nothing there. */
    void freeBehindEnd(final Place place, final long length) throws IOException {
        lock.lock();
        try {
            // To another length it would be cut or lengthened.
            if (!place.isGone() && Files.size(place.path()) == length) {
                Mapping.freeBehindEnd(place.path(), length);
            }
        } finally {
            lock.unlock();
        }
    }

    /** True if the disk has less room than that, which is why a reservation failed. */
    boolean isFull(final Place place, final long bytes) {
        try {
            return Files.getFileStore(place.path()).getUsableSpace() < bytes;
        } catch (final IOException e) {
            return false;
        }
    }

    /** Cuts a file under the eyes of those who have it mapped. */
    void cut(final Place place, final FileChannel channel, final long length, final @Nullable Mapping ofWriter)
            throws IOException {
        lock.lock();
        try {
            for (final Mapping mapping : place.mappings()) {
                if (mapping != ofWriter) {
                    mapping.hide(length);
                }
            }
            channel.truncate(length);
        } finally {
            lock.unlock();
        }
    }

    /** Closes the channel of a reader, if nobody uses it. */
    void shut(final ReadChannel reader) {
        lock.lock();
        try {
            if (reader.tryShut()) {
                channels.remove(reader);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Length of the file at a place, without opening it. */
    long sizeOf(final Place place, final String operation) {
        lock.lock();
        try {
            refuseGone(place);
            return Files.size(place.path());
        } catch (final IOException e) {
            throw Reasons.failure(place.path(), operation, e);
        } finally {
            lock.unlock();
        }
    }

    /** Renames on disk, and lets all that is open follow. */
    void rename(final Path from, final Path to) throws IOException {
        lock.lock();
        try {
            final Place replaced = places.get(to);
            if (replaced != null && !from.equals(to)) {
                replaced.gone(true);
            }
            try {
                Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
            } catch (final IOException e) {
                if (replaced != null) {
                    replaced.gone(false);
                }
                throw e;
            }
            if (!from.equals(to)) {
                move(from, to);
            }
        } finally {
            lock.unlock();
        }
    }

    /** Deletes on disk; those who have the file open keep its bytes, those who come later do not meet a new file. */
    boolean delete(final Path path) throws IOException {
        final Place place = detach(path);
        boolean isDeleted = false;
        try {
            // Outside the lock: to free the blocks of a large file takes a while.
            final FileChannel held = freedLater.hold(path);
            try {
                final boolean existed = Files.deleteIfExists(path);
                isDeleted = true;
                return existed;
            } finally {
                if (held != null) {
                    freedLater.add(held);
                }
            }
        } finally {
            if (!isDeleted && place != null) {
                attach(place);
            }
        }
    }

    /** What is still to be freed. */
    FreedLater freedLater() {
        return freedLater;
    }

    /** Closes all that is open for reading and not in use. */
    void close() {
        freedLater.serve(false);
        lock.lock();
        try {
            channels.clear();
            mappings.clear();
        } finally {
            lock.unlock();
        }
    }

    /** Files open for reading, for tests. */
    int channelCount() {
        lock.lock();
        try {
            return channels.size();
        } finally {
            lock.unlock();
        }
    }

    /** Files mapped for looking up, for tests. */
    int mappingCount() {
        lock.lock();
        try {
            return mappings.size();
        } finally {
            lock.unlock();
        }
    }

    /** Files that this process may have open; half of them are for others, who fail in worse ways when there are none left. */
    private static int descriptorsMax() {
        try {
            for (final String line : Files.readAllLines(LIMITS, StandardCharsets.US_ASCII)) {
                if (line.startsWith(OPEN_FILES)) {
                    final String soft =
                            line.substring(OPEN_FILES.length()).strip().split(" ", 2)[0];
                    return (int) Math.min(Integer.MAX_VALUE, Long.parseLong(soft));
                }
            }
        } catch (final IOException | NumberFormatException e) {
            // Not Linux, or not limited. What is too many shows when the system refuses.
        }
        return Integer.MAX_VALUE;
    }

    private Mapping mapLocked(final Place place, final long length, final boolean isWritable) throws IOException {
        refuseGone(place);
        Mapping mapped;
        try {
            mapped = Mapping.of(this, place, length, isWritable);
        } catch (final IOException e) {
            // Perhaps there are too many mappings or files in this process. The error code is not to be had: one more
            // try.
            final boolean isSmaller = mappings.shrink();
            if (!channels.shrink() && !isSmaller) {
                throw e;
            }
            mapped = Mapping.of(this, place, length, isWritable);
        }
        place.mappings().add(mapped);
        return mapped;
    }

    private FileChannel openLocked(final Place place, final OpenOption... options) throws IOException {
        refuseGone(place);
        for (; ; ) {
            try {
                return source.open(place.path(), options);
            } catch (final IOException e) {
                if (!Reasons.isTooManyOpen(e) || !channels.shrink()) {
                    throw e;
                }
            }
        }
    }

    private static void refuseGone(final Place place) {
        if (place.isGone()) {
            throw Reasons.failure(place.path(), "open", "the file was deleted or replaced");
        }
    }

    /** Follows the rename of a file, or of a directory with all that is open in it. */
    private void move(final Path from, final Path to) {
        places.remove(to);
        final Place file = places.remove(from);
        if (file != null) {
            file.moveTo(to);
            places.put(to, file);
            return;
        }
        final Map<Path, Place> range = places.subMap(from.resolve(LEAST_NAME), Path.of(from + ABOVE_SLASH));
        final List<Place> moved = new ArrayList<>(range.values());
        range.clear();
        for (final Place place : moved) {
            place.moveTo(to.resolve(from.relativize(place.path())));
            places.put(place.path(), place);
        }
    }

    private @Nullable Place detach(final Path path) {
        lock.lock();
        try {
            final Place place = places.remove(path);
            if (place != null) {
                place.gone(true);
            }
            return place;
        } finally {
            lock.unlock();
        }
    }

    private void attach(final Place place) {
        lock.lock();
        try {
            if ((place.isHeld() || !place.mappings().isEmpty()) && places.putIfAbsent(place.path(), place) == null) {
                place.gone(false);
            }
        } finally {
            lock.unlock();
        }
    }
}
