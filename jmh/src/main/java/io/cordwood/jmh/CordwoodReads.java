package io.cordwood.jmh;

import io.cordwood.log.Log;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.RecordFlyweight;
import io.cordwood.log.record.RecordReader;

/** Reads our log, where its bytes are. */
final class CordwoodReads implements Reads {
    private final RecordBatchFlyweight batch = new RecordBatchFlyweight();
    private final LogReader reader;
    private final RecordReader records;

    CordwoodReads(final Log log, final Codecs codecs) {
        reader = log.newReader();
        records = new RecordReader(codecs, ReadLog.READ_BYTES);
    }

    @Override
    public long read(final long offset) {
        final int bytes = (int) reader.read(offset, Long.MAX_VALUE, ReadLog.READ_BYTES);
        long sum = 0;
        for (int at = 0; at < bytes; at += batch.sizeInBytes()) {
            records.wrap(batch.wrap(reader.buffer(), at));
            while (records.next()) {
                final RecordFlyweight record = records.record();
                sum += record.offset() + record.timestamp() + record.valueLength();
            }
        }
        return sum;
    }

    @Override
    public long nextOffset() {
        return reader.nextOffset();
    }

    @Override
    public void close() {
        records.close();
        reader.close();
    }
}
