package io.cordwood.log;

/** Who an appended batch comes from; decides how much of it is checked and what is assigned. */
public enum Origin {
    /** A producer: every record is checked; offsets, leader epoch and, if the topic says so, append time are assigned. */
    CLIENT,

    /** A coordinator of this broker: as a producer's, but control batches are allowed. */
    COORDINATOR,

    /** The partition's leader: header, CRC and order are checked; offsets and epochs stay as they are, gaps included. */
    REPLICA
}
