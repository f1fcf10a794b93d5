/**
 * Transactions, the log's side: which producer wrote what last, which transactions are open, and which of their records nobody must
 * read. Kafka's producer snapshots and aborted-transaction indexes, byte for byte.
 *
 * <p>{@link io.cordwood.transactions.ProducerState} is a {@link io.cordwood.log.DerivedState}: one is given to each log that is opened, and
 * the log tells it of every batch. Nothing is kept here that a replay of the log could not bring back, but for producers whose records are gone:
 *
 * <pre>
 *   NNN.snapshot   producers as of an offset       one at each segment's base and at the end of a clean close
 *   NNN.txnindex   aborted transactions            those whose marker lies in the segment NNN
 *
 *   offsets   0 ............ first unstable ........ high watermark ........ end
 *             |  decided,    |  undecided, or decided by a marker  |
 *             |  readable    |  that is not replicated yet         |
 *                            ^ last stable offset: read_committed ends here
 * </pre>
 *
 * <p>Read {@link io.cordwood.transactions.ProducerState} first; {@link io.cordwood.transactions.CommittedReader} reads records that are
 * committed, {@link io.cordwood.transactions.AbortedReader} lists for others what is not. {@link
 * io.cordwood.transactions.SnapshotDescriptor} and {@link io.cordwood.transactions.TransactionIndexDescriptor} draw the bytes.
 */
@NullMarked
package io.cordwood.transactions;

import org.jspecify.annotations.NullMarked;
