package io.cordwood.simulation.model;

import io.cordwood.log.LeaderEpoch;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a log must be, in lists and loops. Where segments begin it learns from the log, since that is a choice and not a truth;
 * what follows from it (which segments go, what a read in one may show) it works out itself.
 */
final class LogModel {
    private List<StoredBatch> published = new ArrayList<>();
    private final List<StoredBatch> gathered = new ArrayList<>();
    private final List<LeaderEpoch> epochs = new ArrayList<>();
    private long[] bases = {0};
    private long start;
    private long end;
    private long flushed;

    /** True once a part was dropped that no force had covered: an epoch that began there dies with the process. */
    private boolean hasLostEpochs;

    /** Whether what is gathered has taken the place of an epoch without a batch: if that is lost with the process, it may come back. */
    private boolean hasReplacedEpoch;

    List<StoredBatch> published() {
        return published;
    }

    long start() {
        return start;
    }

    long end() {
        return end;
    }

    /** Whether a truncation came to end where no batch was. */
    boolean isEndInGap() {
        return !published.isEmpty() && published.get(published.size() - 1).last() + 1 < end;
    }

    long flushed() {
        return flushed;
    }

    /** End with what is gathered. */
    long nextOffset() {
        return gathered.isEmpty() ? end : gathered.get(gathered.size() - 1).last() + 1;
    }

    int latestEpoch() {
        return epochs.isEmpty() ? -1 : epochs.get(epochs.size() - 1).epoch();
    }

    /** As the table shows them: an epoch that began below the start as if it had begun there. */
    List<LeaderEpoch> epochs() {
        return epochs.stream()
                .map(entry -> new LeaderEpoch(entry.epoch(), Math.max(start, entry.startOffset())))
                .toList();
    }

    /** Whether the table may know fewer epochs than the model, because some died with a process. */
    boolean hasLostEpochs() {
        return hasLostEpochs;
    }

    /** The log has said where its segments begin. */
    void learn(final long[] baseOffsets) {
        bases = baseOffsets;
    }

    void gather(final StoredBatch batch) {
        gathered.add(batch);
        if (batch.epoch() > latestEpoch()) {
            hasReplacedEpoch |= epochs.removeIf(entry -> Math.max(start, entry.startOffset()) >= batch.base());
            epochs.add(new LeaderEpoch(batch.epoch(), batch.base()));
        }
    }

    /** Publishes so many of the gathered batches and forgets the others. */
    void publish(final int count) {
        hasLostEpochs |= hasReplacedEpoch && count < gathered.size();
        hasReplacedEpoch = false;
        published.addAll(gathered.subList(0, count));
        gathered.clear();
        end = published.isEmpty()
                ? end
                : Math.max(end, published.get(published.size() - 1).last() + 1);
        truncateEpochs();
    }

    void publish() {
        publish(gathered.size());
    }

    int gatheredCount() {
        return gathered.size();
    }

    long endWithGathered(final int count) {
        return count == 0 ? end : gathered.get(count - 1).last() + 1;
    }

    /** The first of the gathered batches are published, because their segment has ended; the others stay gathered. */
    void publishFirst(final int count) {
        published.addAll(gathered.subList(0, count));
        gathered.subList(0, count).clear();
        end = published.get(published.size() - 1).last() + 1;
    }

    void flush(final long flushedOffset) {
        flushed = flushedOffset;
        hasLostEpochs = false;
        publish();
    }

    private void truncateEpochs() {
        epochs.removeIf(entry -> entry.startOffset() >= end);
    }

    long truncateTo(final long offset) {
        publish();
        if (offset >= end) {
            return end;
        }
        end = offset;
        for (final StoredBatch batch : published) {
            if (batch.base() <= offset && batch.last() >= offset) {
                end = batch.base();
            }
        }
        end = Math.max(end, start);
        published.removeIf(batch -> batch.last() >= offset);
        truncateEpochs();
        flushed = Math.min(flushed, end);
        return end;
    }

    void startAnew(final long offset) {
        published.clear();
        gathered.clear();
        epochs.clear();
        start = offset;
        end = offset;
        flushed = offset;
        hasLostEpochs = false;
    }

    /** The start moves, and the first segments go. */
    void dropFront(final long newStart, final int segments, final long rolledTo) {
        if (segments > 0) {
            final long firstBase = segments < bases.length ? bases[segments] : rolledTo;
            published = new ArrayList<>(published.stream()
                    .filter(batch -> batch.base() >= firstBase)
                    .toList());
            start = Math.max(start, firstBase);
        }
        start = Math.max(start, newStart);
        hasLostEpochs |= start > flushed;
        for (int i = epochs.size() - 2; i >= 0; i--) {
            if (epochs.get(i + 1).startOffset() <= start) {
                epochs.subList(0, i + 1).clear();
                break;
            }
        }
    }

    /** What the last life of the process leaves: the end is where the last batch ends, or where the last segment begins. */
    void reopened(final boolean isClean) {
        // A replay from the recovery point meets batches in front of the start, and learns their epochs again.
        hasLostEpochs |= !isClean && start > flushed;
        long last = bases[bases.length - 1];
        if (!published.isEmpty()) {
            last = Math.max(last, published.get(published.size() - 1).last() + 1);
        }
        end = Math.max(start, last);
        truncateEpochs();
        flushed = isClean ? end : Math.min(flushed, end);
    }

    void adoptEpochs(final List<LeaderEpoch> entries) {
        if (!entries.equals(epochs())) {
            epochs.clear();
            epochs.addAll(entries);
        }
        hasLostEpochs = false;
    }

    /** Segments that retention drops: by start, time and size, one after the other, none above the high watermark. */
    int expectDropped(final long nowMs, final long highWatermark, final long retentionMs, final long retentionBytes) {
        int count = 0;
        while (count < bases.length - 1 && mayGo(count, highWatermark) && endOf(count) <= start) {
            count++;
        }
        while (mayGo(count, highWatermark) && nowMs - largestTimestamp(count) > retentionMs) {
            count++;
        }
        long excess = -retentionBytes;
        for (int i = count; i < bases.length; i++) {
            excess += bytesOf(i);
        }
        while (mayGo(count, highWatermark) && excess - bytesOf(count) >= 0) {
            excess -= bytesOf(count);
            count++;
        }
        return count;
    }

    int expectDroppedByStart(final long newStart) {
        int count = 0;
        while (count < bases.length - 1 && bases[count + 1] <= newStart) {
            count++;
        }
        return count;
    }

    private boolean mayGo(final int segment, final long highWatermark) {
        return segment < bases.length
                && endOf(segment) <= highWatermark
                && (segment < bases.length - 1 || bytesOf(segment) > 0);
    }

    private long endOf(final int segment) {
        return segment + 1 < bases.length ? bases[segment + 1] : end;
    }

    private int segmentOf(final StoredBatch batch) {
        int segment = 0;
        while (segment + 1 < bases.length && bases[segment + 1] <= batch.base()) {
            segment++;
        }
        return segment;
    }

    private long bytesOf(final int segment) {
        return published.stream()
                .filter(batch -> segmentOf(batch) == segment)
                .mapToLong(StoredBatch::size)
                .sum();
    }

    private long largestTimestamp(final int segment) {
        return published.stream()
                .filter(batch -> segmentOf(batch) == segment)
                .mapToLong(StoredBatch::largestTimestamp)
                .max()
                .orElse(-1);
    }

    long sizeInBytes() {
        return published.stream().mapToLong(StoredBatch::size).sum();
    }

    long largestTimestamp() {
        final List<StoredBatch> all = new ArrayList<>(published);
        all.addAll(gathered);
        return all.stream().mapToLong(StoredBatch::largestTimestamp).max().orElse(-1);
    }

    /** What a read shows: whole batches of one segment, the first one always. Null if the offset is out of range. */
    byte @Nullable [] read(final long offset, final long upTo, final int bytesMax, final boolean isCut) {
        if (offset < start || offset > end) {
            return null;
        }
        final ByteArrayOutputStream shown = new ByteArrayOutputStream();
        int first = -1;
        for (final StoredBatch batch : published) {
            if (batch.last() < offset || offset >= upTo || batch.base() >= upTo) {
                continue;
            }
            final boolean isFirst = first < 0;
            first = isFirst ? segmentOf(batch) : first;
            if (segmentOf(batch) != first) {
                break;
            }
            if (!isFirst && shown.size() + batch.size() > bytesMax) {
                if (isCut && bytesMax > shown.size()) {
                    shown.write(batch.bytes(), 0, bytesMax - shown.size());
                }
                break;
            }
            shown.writeBytes(batch.bytes());
        }
        return shown.toByteArray();
    }

    /** Offset of the first record that is young enough, or -1. */
    long offsetForTimestamp(final long timestamp, final long upTo) {
        for (final StoredBatch batch : published) {
            for (int i = 0; i < batch.timestamps().length; i++) {
                final long offset = batch.base() + i;
                if (batch.timestamps()[i] >= timestamp && offset >= start && offset < Math.min(upTo, end)) {
                    return offset;
                }
            }
        }
        return -1;
    }
}
