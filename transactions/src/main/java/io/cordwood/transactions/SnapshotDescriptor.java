package io.cordwood.transactions;

/**
 * Layout of a producer snapshot ({@code .snapshot}), Kafka's version 1, big-endian. The name's number is the offset below which every
 * batch is in it.
 *
 * <pre>
 *   0         2          6            10
 *   +---------+----------+------------+---------------------
 *   | version |  CRC     |  entries   |  entry, 46 bytes  ...
 *   +---------+----------+------------+---------------------
 *
 *   entry     0            8       10              14            22
 *             | producer   | epoch | last sequence | last offset |
 *             22             26          34                  38                        46
 *             | offset delta | timestamp | coordinator epoch | transaction's first offset |
 * </pre>
 *
 * <p>The CRC is CRC-32C from the number of entries to the end. A snapshot holds only the last batch of each producer; one without a batch (after a
 * marker of the second transaction protocol) has last sequence and last offset -1 and offset delta 0. Coordinator epoch and first offset are -1
 * for none. The timestamp is the producer's last, of a batch or a marker.
 */
public final class SnapshotDescriptor {
    /** The only version there is. */
    public static final short VERSION = 1;

    /** Place of the version, two bytes. */
    public static final int VERSION_OFFSET = 0;

    /** Place of the checksum, four bytes. */
    public static final int CRC_OFFSET = 2;

    /** Place of the number of entries, four bytes; the checksum covers what follows from here. */
    public static final int COUNT_OFFSET = 6;

    /** Length of a snapshot without entries. */
    public static final int HEADER_BYTES = 10;

    /** Length of an entry. */
    public static final int ENTRY_BYTES = 46;

    /** Place of the producer id in an entry, eight bytes. */
    public static final int PRODUCER_ID_OFFSET = 0;

    /** Place of the producer epoch in an entry, two bytes. */
    public static final int EPOCH_OFFSET = 8;

    /** Place of the last sequence in an entry, four bytes. */
    public static final int LAST_SEQUENCE_OFFSET = 10;

    /** Place of the last offset in an entry, eight bytes. */
    public static final int LAST_OFFSET_OFFSET = 14;

    /** Place of the offset delta in an entry, four bytes. */
    public static final int OFFSET_DELTA_OFFSET = 22;

    /** Place of the timestamp in an entry, eight bytes. */
    public static final int TIMESTAMP_OFFSET = 26;

    /** Place of the coordinator epoch in an entry, four bytes. */
    public static final int COORDINATOR_EPOCH_OFFSET = 34;

    /** Place of the first offset of the open transaction in an entry, eight bytes. */
    public static final int TRANSACTION_FIRST_OFFSET = 38;

    private SnapshotDescriptor() {}
}
