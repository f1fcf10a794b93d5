/**
 * Kafka judges our files and we judge Kafka's: tests that hand one directory to and fro between our log and Kafka's own
 * classes. Begin with {@link io.cordwood.index.oracle.KafkaLog}, a partition directory in Kafka's hands;
 * {@link io.cordwood.index.oracle.KafkaDump} is Kafka's tool that checks every index entry against the log.
 */
@NullMarked
package io.cordwood.index.oracle;

import org.jspecify.annotations.NullMarked;
