package io.cordwood.log;

import io.cordwood.log.store.FileView;
import org.jspecify.annotations.Nullable;

/**
 * Where in a segment's file an offset or a timestamp is to be looked for. An answer is a floor: the place asked for is at the
 * returned position or behind it. Any thread, at any time, also while the writer changes the {@link SegmentIndex}.
 */
public interface IndexLookUps {
    /**
     * Position at or before the batch that holds an offset.
     *
     * @param offset to look for.
     * @param view of the calling reader, free to be used.
     * @return position of the last indexed batch whose last offset is at most {@code offset}; 0 if there is none.
     */
    long positionOf(long offset, FileView view);

    /**
     * Position at or before the first record that is at least as young as a timestamp.
     *
     * @param timestampMs to look for.
     * @param view of the calling reader, free to be used.
     * @return a position from which a scan by timestamp may start; 0 if nothing better is known.
     */
    long positionOfTimestamp(long timestampMs, FileView view);

    /**
     * The largest timestamp that was taken note of. After this call {@link #damage} tells whether it can be relied on.
     *
     * @param view of the caller, free to be used.
     * @return milliseconds since the epoch, or -1 if there is none.
     */
    long largestTimestamp(FileView view);

    /**
     * What look-ups found to be wrong with the index. They go on with what can be believed, and are slower and not wrong; but
     * {@link #largestTimestamp} may be less than what the segment holds. {@link SegmentIndex#restore} and the segment's batches mend it.
     *
     * @return file and fault, or null if nothing is known to be wrong.
     */
    @Nullable
    String damage();
}
