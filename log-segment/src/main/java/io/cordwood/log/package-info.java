/**
 * A log as Kafka keeps it on disk: one directory, a chain of segments, and what is derived from them.
 *
 * <pre>
 *   topic-0/
 *     00000000000000000000.log        sealed segment: batches of offsets 0..52      Segment
 *     00000000000000000000.index      where in it offsets are   (rebuildable)       SegmentIndex
 *     00000000000000000000.timeindex  where in it timestamps are (rebuildable)
 *     00000000000000000053.log        active segment: the only one that grows
 *     leader-epoch-checkpoint         which leader wrote from which offset on       LeaderEpochTable
 *     partition.metadata              id of the topic                               PartitionMetadata
 * </pre>
 *
 * <p>The log is the only truth; everything else is a derived state ({@link io.cordwood.log.DerivedState}) that an append
 * advances, a truncation cuts back and a replay rebuilds. There is one append path and one recovery path, and a truncation
 * is a recovery up to another offset.
 *
 * <p>One thread writes, any number read. Deciding code owns no thread, clock, file or random source: time is an argument, files
 * lie behind {@link io.cordwood.log.store}, batches are looked at in place by {@link io.cordwood.log.record}. The edges that do
 * own a thread are named {@code …Agent} and {@code …Appender}.
 *
 * <p>Three words never mix: an <em>offset</em> numbers a record, a <em>position</em> a byte of a file, an <em>index</em> a
 * byte of a buffer. Read {@code Log} first: who understands its {@code append} and its recovery understands the package.
 */
@NullMarked
package io.cordwood.log;

import org.jspecify.annotations.NullMarked;
