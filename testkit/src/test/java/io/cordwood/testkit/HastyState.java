package io.cordwood.testkit;

import io.cordwood.log.DerivedState;
import io.cordwood.log.Origin;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.store.Storage;
import java.util.Map;

/** Believes that its file reaches up to where the log was forced. */
final class HastyState implements DerivedState {
    private final SegmentCountState state;

    HastyState(final Storage storage, final String directory) {
        state = new SegmentCountState(storage, directory);
    }

    Map<Long, Long> sums() {
        return state.sums();
    }

    @Override
    public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
        return state.check(batch, origin, guard);
    }

    @Override
    public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
        state.apply(batch, segmentBase);
    }

    @Override
    public void snapshot(final long offset) {
        state.snapshot(offset);
    }

    @Override
    public void force(final long offset) {
        state.force(offset);
    }

    @Override
    public void retain(final long logStartOffset, final long[] bases) {
        state.retain(logStartOffset, bases);
    }

    @Override
    public long restore(final long logStartOffset, final long[] bases, final long upTo) {
        return Math.max(upTo, state.restore(logStartOffset, bases, upTo));
    }

    @Override
    public void close() {
        state.close();
    }
}
