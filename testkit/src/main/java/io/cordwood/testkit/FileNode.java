package io.cordwood.testkit;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.TreeMap;

/**
 * A file: its bytes as every process sees them, its bytes on the disk, and the changes between the two in their order. Guarded
 * by the lock of its {@link SimulatedStorage}.
 *
 * <pre>
 *   cache    what claims in a mapping and publications touch   |  the changes lead from
 *   platter  what a force copied last                          |  the lower to the upper
 * </pre>
 */
final class FileNode extends Node {
    private static final int CACHE_BYTES_MAX = 1 << 30;

    private Image platter;
    private long platterModifiedMs;
    private final List<FileChange> changes = new ArrayList<>();

    /** Sectors that the cache takes for clean though the platter has not got them: as they were when a force lost them. */
    private final TreeMap<Long, byte[]> lost = new TreeMap<>();

    /** Bytes behind the array are zeros, and so are those behind the size. */
    private byte[] cache;

    private boolean isCacheShared = true;
    private long size;

    /** Whether bytes may have been stored in a mapping that no change tells of. */
    private boolean isMapped;

    FileNode(final int id, final long modifiedMs, final Image platter) {
        super(id, modifiedMs);
        this.platter = platter;
        this.platterModifiedMs = modifiedMs;
        this.cache = platter.bytes();
        this.size = platter.size();
    }

    /** The same file in another life, with all that is pending. */
    FileNode copy() {
        final FileNode copy = new FileNode(id(), modifiedMs(), platter);
        copy.platterModifiedMs = platterModifiedMs;
        copy.changes.addAll(changes);
        copy.lost.putAll(lost);
        copy.cache = cache.clone();
        copy.isCacheShared = false;
        copy.size = size;
        copy.isMapped = isMapped;
        return copy;
    }

    long size() {
        return size;
    }

    Image platter() {
        return platter;
    }

    void read(final long position, final ByteBuffer target) {
        final int known = (int) Math.max(0, Math.min(target.remaining(), cache.length - position));
        if (known > 0) {
            target.put(cache, (int) position, known);
        }
        while (target.hasRemaining()) {
            target.put((byte) 0);
        }
    }

    /** Memory that a mapping shows, valid until the next call. */
    byte[] mapped(final long end) {
        isMapped = true;
        return writable(end);
    }

    void write(final int act, final long position, final byte[] bytes, final int length, final long nowMs) {
        System.arraycopy(bytes, 0, writable(position + length), (int) position, length);
        written(act, position, length, nowMs);
    }

    /** Bytes are in the cache, stored there through a mapping or just now. */
    void written(final int act, final long position, final long length, final long nowMs) {
        change(act, position, position + length, Math.max(size, position + length), nowMs);
    }

    void lengthen(final int act, final long newSize, final long nowMs) {
        if (newSize > size) {
            change(act, 0, 0, newSize, nowMs);
        }
    }

    /** The rest of the block in which the file now ends turns to zeros; what is behind it is gone. */
    void cut(final int act, final long newSize, final long nowMs) {
        if (newSize < cache.length) {
            Arrays.fill(writable(0), (int) newSize, cache.length, (byte) 0);
        }
        change(act, newSize, Math.max(newSize, Math.min(size, FileChange.blockEnd(newSize))), newSize, nowMs);
    }

    void force() {
        if (!changes.isEmpty() || isMapped) {
            final byte[] forced = Arrays.copyOf(cache, (int) Math.min(cache.length, size));
            if (!lost.isEmpty()) {
                leaveOutLost(forced);
            }
            platter = new Image(forced, size);
            platterModifiedMs = modifiedMs();
            changes.clear();
        }
    }

    /** See {@link Forgetful}. */
    void forget() {
        for (final FileChange change : changesAndMapping(1)) {
            for (int s = 0; s < change.sectorCount(); s++) {
                final long at = change.positionOf(s);
                lost.put(at, sectors(at, at + 1));
            }
        }
        changes.removeIf(change -> !change.isResize());
        changes.replaceAll(FileChange::lengthAlone);
    }

    /** What was lost and stored to again through a mapping is lost no more. */
    private void leaveOutLost(final byte[] forced) {
        lost.entrySet().removeIf(sector -> !isAsLost(sector.getKey(), sectors(sector.getKey(), sector.getKey() + 1)));
        final byte[] old = applied(
                        changes, changes.stream().map(FileNode::none).toList(), changes.size() - 1, Long.MAX_VALUE)
                .bytes();
        for (final long at : lost.keySet()) {
            final int length = (int) Math.min(Image.SECTOR_BYTES, forced.length - at);
            if (length > 0) {
                System.arraycopy(sectorOf(old, (int) at), 0, forced, (int) at, length);
            }
        }
    }

    private boolean isAsLost(final long position, final byte[] now) {
        return Arrays.equals(now, lost.get(position));
    }

    /** What the disk holds if some of the changes have reached it. */
    FileNode survivor(final int nextAct, final PowerCut cut) {
        final List<FileChange> asked = changesAndMapping(nextAct);
        if (asked.isEmpty()) {
            return new FileNode(id(), platterModifiedMs, platter);
        }
        final String path = path();
        final List<int[]> sectors = new ArrayList<>();
        int lastResize = -1;
        long lengthMax = Long.MAX_VALUE;
        for (int i = 0; i < asked.size(); i++) {
            final FileChange change = asked.get(i);
            if (change.isResize()) {
                final Pending length = pending(change, path, Pending.Kind.LENGTH, change.sizeAfter());
                if (cut.survives(length)) {
                    lastResize = i;
                    lengthMax = change.isCut() ? Long.MAX_VALUE : Math.max(change.sizeBefore(), cut.upTo(length));
                }
            }
            final int[] kept = new int[change.sectorCount()];
            for (int s = 0; s < kept.length; s++) {
                kept[s] = bytesKept(cut, pending(change, path, Pending.Kind.SECTOR, change.positionOf(s)));
            }
            sectors.add(kept);
        }
        final long timeMs =
                lastResize < 0 ? platterModifiedMs : asked.get(lastResize).modifiedMs();
        return new FileNode(id(), timeMs, applied(asked, sectors, lastResize, lengthMax));
    }

    /** What a power cut is asked about, in that order. */
    void addPending(final int nextAct, final List<Pending> all) {
        final List<FileChange> asked = changesAndMapping(nextAct);
        final String path = asked.isEmpty() ? "" : path();
        for (final FileChange change : asked) {
            if (change.isResize()) {
                all.add(pending(change, path, Pending.Kind.LENGTH, change.sizeAfter()));
            }
            for (int s = 0; s < change.sectorCount(); s++) {
                all.add(pending(change, path, Pending.Kind.SECTOR, change.positionOf(s)));
            }
        }
    }

    private static Pending pending(
            final FileChange change, final String path, final Pending.Kind kind, final long position) {
        return new Pending(change.act(), kind, path, position);
    }

    private static int bytesKept(final PowerCut cut, final Pending sector) {
        return cut.survives(sector)
                ? (int) Math.max(0, Math.min(Image.SECTOR_BYTES, cut.upTo(sector) - sector.position()))
                : 0;
    }

    /**
     * A length on the disk implies the lengths before it. Behind a cut that is not there, its blocks are the old ones; behind one that is,
     * what is written later may be lost and show what lay there before.
     */
    private Image applied(
            final List<FileChange> asked, final List<int[]> sectors, final int lastResize, final long lengthMax) {
        byte[] bytes = platter.bytes().clone();
        long length = platter.size();
        long writtenBelow = Long.MAX_VALUE;
        for (int i = 0; i < asked.size(); i++) {
            final FileChange change = asked.get(i);
            if (i <= lastResize) {
                length = i < lastResize ? change.sizeAfter() : Math.min(change.sizeAfter(), lengthMax);
            }
            if (change.isCut() && i > lastResize) {
                writtenBelow = Math.min(writtenBelow, change.freedFrom());
            } else if (change.isCut() && bytes.length > change.freedFrom()) {
                // The rest of the last block holds what it held, unless its zeros survive as well.
                bytes = Arrays.copyOf(bytes, (int) change.freedFrom());
            }
            final int[] kept = sectors.get(i);
            for (int s = 0; s < kept.length; s++) {
                if (kept[s] > 0 && change.positionOf(s) < writtenBelow) {
                    bytes = roomy(bytes, (int) change.positionOf(s + 1));
                    change.copySector(s, kept[s], bytes);
                }
            }
        }
        return new Image(bytes, length);
    }

    /** Stores through a mapping are no acts, so the sectors that they made differ are found by comparison. */
    private List<FileChange> changesAndMapping(final int nextAct) {
        if (!isMapped) {
            return changes;
        }
        final Image told =
                applied(changes, changes.stream().map(FileNode::all).toList(), changes.size() - 1, Long.MAX_VALUE);
        final List<FileChange> all = new ArrayList<>(changes);
        for (int at = 0; at < cache.length && at < size; at += Image.SECTOR_BYTES) {
            final byte[] now = sectors(at, at + 1);
            if (!Arrays.equals(now, sectorOf(told.bytes(), at)) && !isAsLost(at, now)) {
                all.add(new FileChange(nextAct, at, now, size, size, modifiedMs()));
            }
        }
        return all;
    }

    private static int[] none(final FileChange change) {
        return new int[change.sectorCount()];
    }

    private static int[] all(final FileChange change) {
        final int[] all = new int[change.sectorCount()];
        Arrays.fill(all, Image.SECTOR_BYTES);
        return all;
    }

    private void change(final int act, final long start, final long end, final long newSize, final long nowMs) {
        final long first = start & -Image.SECTOR_BYTES;
        changes.add(new FileChange(act, first, sectors(start, end), size, newSize, nowMs));
        lost.subMap(first, Math.max(first, end)).clear();
        size = newSize;
        modified(nowMs);
    }

    /** Copies the whole sectors that a piece lies in. */
    private byte[] sectors(final long start, final long end) {
        if (start == end) {
            return new byte[0];
        }
        final long from = start & -Image.SECTOR_BYTES;
        final byte[] copied = new byte[(int) (((end + Image.SECTOR_BYTES - 1) & -Image.SECTOR_BYTES) - from)];
        final int known = (int) Math.min(copied.length, cache.length - from);
        if (known > 0) {
            System.arraycopy(cache, (int) from, copied, 0, known);
        }
        return copied;
    }

    private static byte[] sectorOf(final byte[] bytes, final int at) {
        return at >= bytes.length
                ? new byte[Image.SECTOR_BYTES]
                : Arrays.copyOfRange(bytes, at, at + Image.SECTOR_BYTES);
    }

    private byte[] writable(final long end) {
        if (end > CACHE_BYTES_MAX) {
            throw new IllegalStateException("a simulated file holds at most " + CACHE_BYTES_MAX + " bytes, not " + end);
        }
        if (end > cache.length) {
            cache = roomy(cache, (int) end);
        } else if (isCacheShared) {
            cache = cache.clone();
        }
        isCacheShared = false;
        return cache;
    }

    private static byte[] roomy(final byte[] bytes, final int end) {
        return end <= bytes.length
                ? bytes
                : Arrays.copyOf(bytes, Math.max(end, Math.min(CACHE_BYTES_MAX, 2 * bytes.length)));
    }
}
