package io.cordwood.log;

import io.cordwood.log.record.RecordBatchFlyweight;

/** Gets the batches of a read or a scan, one by one, in the order of the log. */
@FunctionalInterface
public interface BatchVisitor {
    /**
     * One batch.
     *
     * @param batch valid during the call.
     * @return true to go on, false to stop.
     */
    boolean onBatch(RecordBatchFlyweight batch);
}
