package io.cordwood.simulation.damage;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.Fault;
import io.cordwood.log.Log;
import io.cordwood.log.LogFiles;
import io.cordwood.log.LogReader;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.simulation.soak.Tally;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Puts good blocks and batches where others belong: sectors and pages of another place of the same file, of the next segment, of an
 * older image of the file or of another partition, and whole batches from there. What is served then was appended to this log at this
 * offset, and no sound batch is passed over without an error; but for what the format cannot tell, which is counted.
 */
final class BlockSwap {
    private static final int[] BLOCKS = {512, 4096};
    private static final List<Source> SOURCES = List.of(Source.values());
    private static final int READ_BYTES = 1 << 16;

    /** Where the false block comes from. */
    enum Source {
        /** Another place of the same file. */
        SAME_FILE,
        /** The same place, or another one, of another segment. */
        OTHER_SEGMENT,
        /** The same file before it was truncated and written anew: another history. */
        OLDER_IMAGE,
        /** Another partition, with the same offsets. */
        OTHER_PARTITION
    }

    private final Specimen specimen;
    private final Specimen older;
    private final Specimen foreign;
    private final MemoryDisk disk;
    private final Random random;
    private final Tally tally;

    BlockSwap(final long seed, final boolean isMapped, final Tally tally) {
        specimen = Specimen.of(seed, isMapped);
        older = specimen.older(seed);
        foreign = Specimen.of(~seed, isMapped);
        disk = specimen.disk().copy();
        // Not the same swaps on both stores.
        random = new Random(isMapped ? ~seed : seed);
        this.tally = tally;
    }

    /** So many swaps under an open log. */
    void playOpen(final int count) {
        try (Log log = specimen.open(disk, Long.MAX_VALUE)) {
            for (int i = 0; i < count; i++) {
                final Swap swap = next();
                final byte[] sound = disk.content(swap.path);
                disk.put(swap.path, swap.content(sound));
                // Another one would remember where it was in what lay there before.
                try (LogReader reader = log.newReader()) {
                    read(reader, swap, swap.file(sound, specimen.batches()));
                } catch (final RuntimeException | AssertionError e) {
                    throw new AssertionError(swap + ": " + e, e);
                } finally {
                    disk.put(swap.path, sound);
                }
                count(swap, sound);
            }
        }
    }

    /** Each image once, whatever is done to it. */
    private void count(final Swap swap, final byte[] sound) {
        final byte[] content = swap.content(sound);
        final CRC32C crc = new CRC32C();
        crc.update(content);
        tally.addDistinct("blocks", crc.getValue() << Integer.SIZE ^ Arrays.hashCode(content));
    }

    /** So many swaps before an open, as a clean one and from the beginning. */
    void playClosed(final int count) {
        for (int i = 0; i < count; i++) {
            final Swap swap = next();
            final SwappedFile file = swap.file(specimen.disk().content(swap.path), specimen.batches());
            for (final long point : new long[] {0, Long.MAX_VALUE}) {
                final MemoryDisk damaged = specimen.disk().copy();
                damaged.put(swap.path, swap.content(damaged.content(swap.path)));
                final Log log = specimen.open(damaged, point);
                try (LogReader reader = log.newReader()) {
                    readAll(log, reader, swap, file, point);
                } catch (final RuntimeException | AssertionError e) {
                    throw new AssertionError(
                            swap + ", opened from recovery point " + point + " with "
                                    + log.recovery().acts() + ": " + e,
                            e);
                } finally {
                    log.closeUncleanly();
                }
            }
            count(swap, disk.content(swap.path));
        }
    }

    private static final class Swap {
        final Source source;
        final String path;
        final int position;
        final byte[] block;
        final boolean isBatch;

        Swap(final Source source, final String path, final int position, final byte[] block, final boolean isBatch) {
            this.source = source;
            this.path = path;
            this.position = position;
            this.block = block;
            this.isBatch = isBatch;
        }

        byte[] content(final byte[] sound) {
            final byte[] content = sound.clone();
            System.arraycopy(block, 0, content, position, Math.min(block.length, content.length - position));
            return content;
        }

        /** Whether its offsets may be those of this log, with other records. */
        boolean isForeign() {
            return source == Source.OLDER_IMAGE || source == Source.OTHER_PARTITION;
        }

        SwappedFile file(final byte[] sound, final List<PlacedBatch> batches) {
            return new SwappedFile(path, content(sound), batches, position, position + block.length);
        }

        @Override
        public String toString() {
            return block.length + " bytes of " + source + (isBatch ? ", a whole batch," : "") + " at position "
                    + position + " of " + path;
        }
    }

    /** One that changes something. */
    private Swap next() {
        while (true) {
            final Source source = SOURCES.get(random.nextInt(SOURCES.size()));
            final Swap swap = random.nextInt(3) == 0 ? batchSwap(source) : blockSwap(source);
            final byte[] sound = specimen.disk().content(swap.path);
            if (!Arrays.equals(sound, swap.content(sound))) {
                return swap;
            }
        }
    }

    /** Of one length or not: the batch begins where another one did. */
    private Swap batchSwap(final Source source) {
        final Specimen from = from(source);
        final PlacedBatch target = any(specimen);
        PlacedBatch batch = any(from);
        if (random.nextInt(3) == 0) {
            // One that fits best: the same offset, if there is one.
            batch = from.batches().stream()
                    .filter(each -> each.baseOffset() == target.baseOffset())
                    .findFirst()
                    .orElse(batch);
        }
        return new Swap(source, target.path(), target.position(), batch.bytes(), true);
    }

    private Swap blockSwap(final Source source) {
        final int bytes = BLOCKS[random.nextInt(BLOCKS.length)];
        final String path = any(specimen).path();
        final Specimen from = from(source);
        final List<String> others = from.disk().paths().stream()
                .filter(each -> each.endsWith(LogFiles.LOG))
                .toList();
        final byte[] content =
                from.disk().content(source == Source.SAME_FILE ? path : others.get(random.nextInt(others.size())));
        final int blocks = Math.max(1, disk.content(path).length / bytes);
        final int to = random.nextInt(blocks);
        final int of = random.nextInt(3) == 0 ? to : random.nextInt(Math.max(1, content.length / bytes));
        final int begin = Math.min(of * bytes, Math.max(0, content.length - bytes));
        return new Swap(
                source,
                path,
                to * bytes,
                Arrays.copyOfRange(content, begin, Math.min(content.length, begin + bytes)),
                false);
    }

    private Specimen from(final Source source) {
        return source == Source.OLDER_IMAGE ? older : source == Source.OTHER_PARTITION ? foreign : specimen;
    }

    private PlacedBatch any(final Specimen from) {
        return from.batches().get(random.nextInt(from.batches().size()));
    }

    /** The batches that were hit, and one on each side. */
    private void read(final LogReader reader, final Swap swap, final SwappedFile file) {
        final List<PlacedBatch> batches = specimen.batches();
        for (int i = 0; i < batches.size(); i++) {
            final boolean isHit = file.isHit(batches.get(i));
            final boolean isNear = isHit
                    || (i > 0 && file.isHit(batches.get(i - 1)))
                    || (i + 1 < batches.size() && file.isHit(batches.get(i + 1)));
            if (isNear) {
                readOne(reader, swap, file, batches.get(i));
            }
        }
    }

    private void readOne(final LogReader reader, final Swap swap, final SwappedFile file, final PlacedBatch batch) {
        final long length;
        try {
            length = reader.read(batch.baseOffset(), Long.MAX_VALUE, 1);
        } catch (final CorruptLogException e) {
            requireNamed(file, e);
            if (!file.isHit(batch)) {
                tally.add("sound neighbours refused", 1);
            }
            return;
        }
        if (length <= 0) {
            throw new AssertionError("a read of offset " + batch.baseOffset() + " answers " + length);
        }
        final byte[] served = new byte[(int) length];
        reader.buffer().getBytes(0, served);
        final long base = new RecordBatchFlyweight().wrap(reader.buffer(), 0).baseOffset();
        if (base != batch.baseOffset()) {
            requireHidden(file, batch);
        }
        requireServable(swap, base, served);
    }

    /** A batch was passed over without an error: nothing that is in the file tells that it was there. */
    private void requireHidden(final SwappedFile file, final PlacedBatch batch) {
        final SwappedFile.Hiding hiding = file.hiding(batch);
        if (hiding == null) {
            throw new AssertionError((file.isHit(batch) ? "the hit" : "the sound") + " batch at offset "
                    + batch.baseOffset() + " is passed over in silence");
        }
        tally.add(hiding.words(), 1);
    }

    private void readAll(
            final Log log, final LogReader reader, final Swap swap, final SwappedFile file, final long point) {
        final BitSet served = new BitSet();
        final BitSet refused = new BitSet();
        long next = log.startOffset();
        if (point > 0 && log.endOffset() != specimen.endOffset()) {
            requireTold(log, file);
            refused.set((int) Math.min(log.endOffset(), specimen.endOffset()), (int) specimen.endOffset());
        }
        while (next < log.endOffset()) {
            try {
                if (reader.read(next, Long.MAX_VALUE, READ_BYTES) <= 0) {
                    throw new AssertionError("nothing at offset " + next + " of a log that ends at " + log.endOffset());
                }
            } catch (final CorruptLogException e) {
                requireNamed(file, e);
                if (e.nextOffset() <= next) {
                    throw new AssertionError("a reader of offset " + next + " can go on at " + e.nextOffset(), e);
                }
                refused.set((int) next, (int) e.nextOffset());
                next = e.nextOffset();
                continue;
            }
            reader.forEach(batch -> {
                final byte[] bytes = new byte[batch.sizeInBytes()];
                batch.buffer().getBytes(batch.index(), bytes);
                requireServable(swap, batch.baseOffset(), bytes);
                for (int i = 0; i < specimen.batches().size(); i++) {
                    if (specimen.batches().get(i).baseOffset() == batch.baseOffset()) {
                        served.set(i);
                    }
                }
                return true;
            });
            next = reader.nextOffset();
        }
        requireNothingLost(log, swap, file, served, point);
        for (int i = 0; i < specimen.batches().size() && point > 0; i++) {
            final PlacedBatch batch = specimen.batches().get(i);
            if (!served.get(i) && refused.nextClearBit((int) batch.baseOffset()) <= batch.lastOffset()) {
                requireHidden(file, batch);
            }
        }
    }

    /** An end that is another one is that of a tail without a sound batch of this log, and the report says so. */
    private void requireTold(final Log log, final SwappedFile file) {
        final boolean isSoundLost = specimen.batches().stream()
                .anyMatch(batch -> batch.baseOffset() >= log.endOffset() && !file.isHit(batch));
        if (isSoundLost || log.recovery().isClean()) {
            throw new AssertionError("the log ends at " + log.endOffset() + " and not at " + specimen.endOffset());
        }
        tally.add("damaged ends cut", 1);
    }

    /** In front of the block everything is there; behind it what the recovery was not allowed to cut, or what can be told from it. */
    private void requireNothingLost(
            final Log log, final Swap swap, final SwappedFile file, final BitSet served, final long point) {
        boolean isBehind = false;
        for (int i = 0; i < specimen.batches().size(); i++) {
            final PlacedBatch batch = specimen.batches().get(i);
            isBehind |= file.isHit(batch);
            if (!isBehind && !served.get(i) && isEpochDoubted(log, file, i)) {
                tally.add("sound neighbours refused", 1);
            } else if (!isBehind && !served.get(i)) {
                throw new AssertionError("the batch at offset " + batch.baseOffset() + " in front of it is lost");
            }
            if (isBehind && !file.isHit(batch) && !served.get(i)) {
                if (point > 0 && !batch.path().equals(swap.path)) {
                    throw new AssertionError(
                            "the batch at offset " + batch.baseOffset() + " of another segment is lost");
                }
                tally.add(point == 0 ? "batches behind it cut" : "batches behind it refused", 1);
            }
        }
        if (served.cardinality() < specimen.batches().size()
                && point == 0
                && log.recovery().isClean()) {
            throw new AssertionError("batches are missing, and the report says nothing");
        }
    }

    /** The first batch of its leader epoch, with the block behind it: one batch alone has that epoch then, and the report says so. */
    private boolean isEpochDoubted(final Log log, final SwappedFile file, final int index) {
        final List<PlacedBatch> batches = specimen.batches();
        final PlacedBatch batch = batches.get(index);
        return index + 1 < batches.size()
                && file.isHit(batches.get(index + 1))
                && log.recovery().entries().stream()
                        .anyMatch(entry -> entry.position() == batch.position()
                                && entry.file().equals(batch.path())
                                && entry.reason().contains(Fault.Kind.EPOCH_FALLS.name()));
    }

    /** The damage is where the block is, and nowhere else. */
    private void requireNamed(final SwappedFile file, final CorruptLogException e) {
        if (!file.isDamageAt(disk, specimen.batches(), e)) {
            throw new AssertionError("that is not damaged: " + e.getMessage(), e);
        }
    }

    /** Ours at this offset; or a whole batch that has this offset elsewhere, which nothing can tell from it. */
    private void requireServable(final Swap swap, final long offset, final byte[] served) {
        if (isOf(specimen, offset, served)) {
            return;
        }
        if (isOf(older, offset, served)) {
            tally.add("not to be told: whole stale batches of the same offset", 1);
        } else if (isOf(foreign, offset, served)) {
            tally.add("not to be told: whole batches of another partition with the same offset", 1);
        } else if (isBehindOwnOffset(offset, served)) {
            tally.add("not to be told: a body of another batch behind an offset that is due", 1);
            return;
        } else {
            throw new AssertionError("what is served at offset " + offset + " was never written by anybody");
        }
        if (!swap.isForeign()) {
            throw new AssertionError("a batch of another log is served at offset " + offset + ", of " + swap);
        }
    }

    /** The edge of the block lies in front of what the checksum covers: offset, length and epoch are ours, the rest is another batch's. */
    private boolean isBehindOwnOffset(final long offset, final byte[] served) {
        final int size =
                new RecordBatchFlyweight().wrap(new UnsafeBuffer(served), 0).sizeInBytes();
        final boolean isDue = specimen.batches().stream().anyMatch(batch -> batch.baseOffset() == offset);
        return isDue
                && Stream.of(specimen, older, foreign)
                        .flatMap(log -> log.batches().stream())
                        .map(PlacedBatch::bytes)
                        .anyMatch(bytes -> bytes.length == size
                                && Arrays.equals(
                                        bytes,
                                        RecordBatchDescriptor.ATTRIBUTES_OFFSET,
                                        size,
                                        served,
                                        RecordBatchDescriptor.ATTRIBUTES_OFFSET,
                                        size))
                && (size == served.length
                        || isOf(specimen, offsetBehind(served), Arrays.copyOfRange(served, size, served.length)));
    }

    private static long offsetBehind(final byte[] served) {
        final RecordBatchFlyweight batch = new RecordBatchFlyweight().wrap(new UnsafeBuffer(served), 0);
        return batch.wrap(new UnsafeBuffer(served), batch.sizeInBytes()).baseOffset();
    }

    /** One or more batches of a log, one behind the other, the first with an offset. */
    private static boolean isOf(final Specimen log, final long offset, final byte[] served) {
        int at = 0;
        final List<PlacedBatch> found = new ArrayList<>();
        for (final PlacedBatch batch : log.batches()) {
            final boolean isNext = found.isEmpty() ? batch.baseOffset() == offset : at < served.length;
            if (isNext) {
                final int end = at + batch.bytes().length;
                if (end > served.length || !Arrays.equals(batch.bytes(), Arrays.copyOfRange(served, at, end))) {
                    return false;
                }
                found.add(batch);
                at = end;
            }
        }
        return at == served.length;
    }
}
