package io.cordwood.index;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.store.FileView;
import io.cordwood.testkit.SimulatedStorage;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * A look-up beside the writer: {@link SparseIndex}, {@link ActiveIndex}, {@link SealedIndex} and {@link EntryTable}. Each finds what the
 * index held at one moment of the look-up.
 */
@Param(name = "number", gen = IntGen.class)
public final class SparseIndexRace {
    private static final int BATCH_BYTES = 100;

    private final SparseIndex index;
    private final FileView view = new FileView();
    private long batches;
    private boolean isSealed;

    /** Creates an index of some batches, each with an entry. */
    public SparseIndexRace() {
        final SimulatedStorage disk = new SimulatedStorage(() -> 1);
        disk.makeDirectory("t-0");
        index = SparseIndex.create(disk, "t-0", 0, new IndexLimits(4096, 1));
        for (int i = 0; i < 5; i++) {
            append();
        }
    }

    /** Another batch. */
    @Operation(nonParallelGroup = "writer")
    public void append() {
        if (!isSealed) {
            index.append(batches, batches * BATCH_BYTES, batches);
            batches++;
        }
    }

    /** The segment rolls. */
    @Operation(nonParallelGroup = "writer")
    public void seal() {
        if (!isSealed) {
            index.seal();
            isSealed = true;
        }
    }

    /** The segment is cut; what the index lost beyond that, the next appends give it again. */
    @Operation(nonParallelGroup = "writer")
    public void truncate(@Param(name = "number") final int offset) {
        final long end = Math.min(offset, batches);
        batches = index.restore(end, end * BATCH_BYTES) / BATCH_BYTES;
        index.restored();
        isSealed = false;
    }

    /** Where to look for an offset. */
    @Operation(nonParallelGroup = "reader")
    public long find(@Param(name = "number") final int offset) {
        return index.positionOf(offset, view);
    }
}
