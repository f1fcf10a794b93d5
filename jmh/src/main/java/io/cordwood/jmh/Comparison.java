package io.cordwood.jmh;

/**
 * One row of the table: a piece of work, done by us and by the peer.
 *
 * @param group name by which it is asked for on the command line.
 * @param work in words.
 * @param ours what we do.
 * @param peer the same work in Kafka's log.
 * @param goal how many times the peer's throughput is to be reached; 0 if the row is there for information.
 */
record Comparison(String group, String work, Subject ours, Subject peer, double goal) {}
