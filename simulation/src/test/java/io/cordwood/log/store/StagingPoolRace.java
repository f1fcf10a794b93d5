package io.cordwood.log.store;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** Two writers who rent memory and give it back: {@link StagingPool}. Nobody gets what another has, and what is idle is counted. */
public final class StagingPoolRace {
    private static final int BYTES = 64;

    private final StagingPool pool = new StagingPool(BYTES, BYTES);
    private final ArrayDeque<ByteBuffer> first = new ArrayDeque<>();
    private final ArrayDeque<ByteBuffer> second = new ArrayDeque<>();

    /** Creates a pool with something idle. */
    public StagingPoolRace() {
        rent(first, 1);
        rent(second, 2);
    }

    /** Rents. */
    @Operation(nonParallelGroup = "first")
    public void rentFirst() {
        rent(first, 1);
    }

    /** Gives back. */
    @Operation(nonParallelGroup = "first")
    public void giveBackFirst() {
        giveBack(first, 1);
    }

    /** Rents. */
    @Operation(nonParallelGroup = "second")
    public void rentSecond() {
        rent(second, 2);
    }

    /** Gives back. */
    @Operation(nonParallelGroup = "second")
    public void giveBackSecond() {
        giveBack(second, 2);
    }

    private void rent(final ArrayDeque<ByteBuffer> rented, final int owner) {
        final ByteBuffer memory = pool.rent(BYTES, BYTES);
        if (memory != null) {
            memory.putInt(0, owner);
            rented.add(memory);
        }
    }

    private void giveBack(final ArrayDeque<ByteBuffer> rented, final int owner) {
        final ByteBuffer memory = rented.poll();
        if (memory != null) {
            if (memory.getInt(0) != owner) {
                throw new IllegalStateException("somebody else has this memory as well");
            }
            pool.giveBack(memory);
        }
    }

    /** An empty pool has nothing idle. */
    @Validate
    public void validate() {
        pool.close();
        if (pool.idleBytes() != 0) {
            throw new IllegalStateException("counted as idle: " + pool.idleBytes());
        }
    }
}
