/**
 * Where in a segment to begin: Kafka's sparse offset index and time index, byte for byte.
 *
 * <p>Each segment {@code NNN.log} has two small files beside it, with an entry about every 4 KiB of log:
 *
 * <pre>
 *   NNN.index      [relative offset 4][position 4] ...      the batch at position ends with the offset
 *   NNN.timeindex  [timestamp 8][relative offset 4] ...     nothing up to the offset is younger
 *
 *   look up timestamp --> time index: floor --> offset --> offset index: floor --> position --> scan the log
 * </pre>
 *
 * <p>An answer is a floor, so an entry that is missing makes a scan longer and no answer wrong. That is why the rule for a
 * doubtful file is always the same: believe what certainly was written there, and ask the log for the rest.
 * Nothing here is ever the only place of a truth.
 *
 * <p>Read {@link io.cordwood.index.SparseIndex} first. {@link io.cordwood.index.OffsetIndexDescriptor} and
 * {@link io.cordwood.index.TimeIndexDescriptor} draw the bytes, {@link io.cordwood.index.IndexDump} reads files for people, and
 * {@link io.cordwood.index.IndexCheck} holds them against the log.
 */
@NullMarked
package io.cordwood.index;

import org.jspecify.annotations.NullMarked;
