package io.cordwood.index.example;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.cordwood.index.SparseIndexes;
import io.cordwood.log.AppendAs;
import io.cordwood.log.Log;
import io.cordwood.log.LogBuilder;
import io.cordwood.log.LogReader;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.log.record.BatchBuilder;
import io.cordwood.log.record.RecordReader;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.DiskStorage;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.agrona.concurrent.UnsafeBuffer;

/** The example of the README, word for word. */
final class EmbeddedLog {
    private EmbeddedLog() {}

    // README begins
    static List<String> writeAndRead(Path directory, long recoveryPoint, List<String> lines, long nowMs) {
        try (DiskStorage storage = new DiskStorage(directory);
                Log log = new LogBuilder(storage, "orders-0")
                        .indexes(new SparseIndexes())
                        .recoveryPoint(recoveryPoint) // what flush() returned last, 0 if you do not know
                        .open(nowMs)) {
            UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(64 * 1024));
            BatchBuilder batch = new BatchBuilder(Codecs.standard())
                    .wrap(memory, 0, memory.capacity())
                    .compression(CompressionType.LZ4, CompressionType.DEFAULT_LEVEL);
            for (String line : lines) {
                UnsafeBuffer value = new UnsafeBuffer(line.getBytes(UTF_8));
                batch.append(nowMs, null, 0, -1, value, 0, value.capacity(), null);
            }
            long offset = log.append(memory, 0, batch.finish(), AppendAs.client(0), nowMs); // in the page cache now
            if (Refusal.isRefusal(offset)) {
                throw new IllegalStateException(log.refusalReason());
            }
            log.flush(); // survives a power cut now

            List<String> values = new ArrayList<>();
            try (LogReader reader = log.newReader();
                    RecordReader records = new RecordReader(Codecs.standard(), 1 << 20)) {
                while (reader.read(offset, Long.MAX_VALUE, 64 * 1024) > 0) {
                    reader.forEach(readBatch -> {
                        records.wrap(readBatch);
                        while (records.next()) {
                            byte[] value = new byte[records.record().valueLength()];
                            records.record().buffer().getBytes(records.record().valueIndex(), value);
                            values.add(records.record().offset() + ": " + new String(value, UTF_8));
                        }
                        return true;
                    });
                    offset = reader.nextOffset();
                }
            }
            return values;
        }
    }
    // README ends
}
