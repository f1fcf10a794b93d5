/**
 * Record batches: the unit that a log stores, checks and hands out, in Kafka's bytes.
 *
 * <p>A segment file is batches behind one another. Producers make batches and consumers take them apart; the log between them
 * looks at 61 bytes of header, sets a few of them and copies the rest:
 *
 * <pre>
 *   | base offset 8 | length 4 | leader epoch 4 | magic 1 | CRC 4 | attributes 2 | ... 38 | records, maybe compressed |
 *   '---- set by the log on append ----'                      '---------- covered by the CRC ----------------'
 *
 *   record:  | length | attributes | timestamp delta | offset delta | key length, key | value length, value | headers |
 *              varint       1          varlong           varint          varint              varint
 * </pre>
 *
 * <p>That is magic 2, the only one that is written. Magic 0 and 1 are read: there a batch is one message, and a compressed
 * batch is a message whose value holds messages.
 *
 * <p>Read {@link io.cordwood.log.record.RecordBatchDescriptor} first: it draws the header. {@link
 * io.cordwood.log.record.RecordBatchFlyweight} shows one batch's header, {@link io.cordwood.log.record.RecordReader} walks
 * through its records, {@link io.cordwood.log.record.BatchValidator} says whether to trust it, {@link
 * io.cordwood.log.record.BatchBuilder} encodes one and {@link io.cordwood.log.record.BatchConverter} changes its codec. All of
 * them are reusable, belong to one thread and allocate nothing in steady state. Indexes count bytes in a buffer; what is
 * refused has a {@link io.cordwood.log.record.Refusal} code.
 */
@NullMarked
package io.cordwood.log.record;

import org.jspecify.annotations.NullMarked;
