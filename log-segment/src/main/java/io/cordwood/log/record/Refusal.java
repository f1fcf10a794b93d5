package io.cordwood.log.record;

/**
 * Why something was not done: negative result codes of the hot paths, so that an expected refusal allocates nothing. Every
 * code maps to one error code of the Kafka protocol and is either retriable or final.
 *
 * <p>A result at or above 0 is a success (an offset, a position or a length). {@link #ACCEPTED} is the answer of a check
 * that has nothing else to say.
 */
public final class Refusal {
    /** Not a refusal: a check has nothing against the batch. */
    public static final long ACCEPTED = -1;

    /** The batch is cut, has lengths or counts that cannot be, or its CRC is wrong. Final for these bytes. */
    public static final long CORRUPT_BATCH = -2;

    /** The batch exceeds {@code max.message.bytes}. Final. */
    public static final long BATCH_TOO_LARGE = -3;

    /** The batch is larger than a whole segment. Final. */
    public static final long BATCH_LARGER_THAN_SEGMENT = -4;

    /** The decompressed records exceed the bound for decompressed bytes. Final. */
    public static final long DECOMPRESSED_TOO_LARGE = -5;

    /** The magic is not one that may be appended here. Final. */
    public static final long UNSUPPORTED_MAGIC = -6;

    /** The codec id is unknown. Final. */
    public static final long UNSUPPORTED_CODEC = -7;

    /** A timestamp lies outside {@code message.timestamp.before.max.ms} and {@code message.timestamp.after.max.ms}. Final. */
    public static final long INVALID_TIMESTAMP = -8;

    /** A record has a form that its batch or the topic forbids: offset delta, a missing key, a control record. Final. */
    public static final long INVALID_RECORD = -9;

    /** Offsets of a leader's batch overlap or fall behind the log's end. Final. */
    public static final long OFFSETS_OUT_OF_ORDER = -10;

    /** The leader epoch is older than the log's latest. Final for this leader. */
    public static final long FENCED_LEADER_EPOCH = -11;

    /** The offset lies outside the log. Final for this offset. */
    public static final long OFFSET_OUT_OF_RANGE = -12;

    /** There is no room at the moment; try again. Retriable. */
    public static final long BACK_PRESSURE = -13;

    /** A force is under way, and the act must wait for it; try again. Retriable. */
    public static final long FORCE_UNDER_WAY = -14;

    /** A sequence does not follow on the producer's last one. Final. */
    public static final long OUT_OF_ORDER_SEQUENCE = -15;

    /** The producer's epoch is older than the one seen last. Final. */
    public static final long INVALID_PRODUCER_EPOCH = -16;

    /** The batch belongs to no ongoing transaction. Final. */
    public static final long INVALID_TRANSACTION_STATE = -17;

    /** A marker of an older transaction coordinator. Final. */
    public static final long FENCED_COORDINATOR_EPOCH = -18;

    /** The record is damaged on disk and is not served. Final until it is repaired. */
    public static final long DAMAGED = -19;

    /** A library that the codec needs is not on the class path. Final for this process. */
    public static final long CODEC_LIBRARY_MISSING = -20;

    /** A producer that is not known would be one more than a log remembers. Final until others have expired. */
    public static final long TOO_MANY_PRODUCERS = -21;

    private static final int COUNT = 22;
    private static final String[] NAMES = {
        "",
        "accepted",
        "corrupt batch",
        "batch too large",
        "batch larger than a segment",
        "decompressed too large",
        "unsupported magic",
        "unsupported codec",
        "invalid timestamp",
        "invalid record",
        "offsets out of order",
        "fenced leader epoch",
        "offset out of range",
        "back pressure",
        "force under way",
        "out of order sequence",
        "invalid producer epoch",
        "invalid transaction state",
        "fenced coordinator epoch",
        "damaged",
        "codec library missing",
        "too many producers"
    };

    // Codes of the Kafka protocol's error table.
    private static final short[] KAFKA_ERRORS = {
        0, 0, 2, 10, 18, 10, 43, 76, 32, 87, 87, 74, 1, 89, 89, 45, 47, 48, 52, 56, 76, 44
    };

    private Refusal() {}

    /**
     * Tells refusals from successes.
     *
     * @param result of an act.
     * @return true if it is one of the codes here other than {@link #ACCEPTED}.
     */
    public static boolean isRefusal(final long result) {
        return result < ACCEPTED && result > -COUNT;
    }

    /**
     * Name for messages.
     *
     * @param refusal one of the codes.
     * @return two or three words.
     * @throws IllegalArgumentException if there is no such code.
     */
    public static String name(final long refusal) {
        return NAMES[slot(refusal)];
    }

    /**
     * The error that a Kafka client gets for a refusal.
     *
     * @param refusal one of the codes.
     * @return the code in the Kafka protocol's error table; 0 for {@link #ACCEPTED}.
     * @throws IllegalArgumentException if there is no such code.
     */
    public static short kafkaError(final long refusal) {
        return KAFKA_ERRORS[slot(refusal)];
    }

    /**
     * Whether the same call may succeed later.
     *
     * @param refusal one of the codes.
     * @return true if trying again makes sense.
     */
    public static boolean isRetriable(final long refusal) {
        return refusal == BACK_PRESSURE || refusal == FORCE_UNDER_WAY;
    }

    private static int slot(final long refusal) {
        if (refusal > ACCEPTED || refusal <= -COUNT) {
            throw new IllegalArgumentException("no refusal has the code " + refusal);
        }
        return (int) -refusal;
    }
}
