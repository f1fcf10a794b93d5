package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.record.BatchValidator;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;

/** Which offsets a cleaned segment covers: only its batches say so. */
final class SwapRange {
    private static final int CHUNK_BYTES = 1 << 20;

    private SwapRange() {}

    /** Offset behind the last sound batch of a file, or the base if it has none. */
    static long endOffset(final Storage storage, final String path, final long baseOffset) {
        long end = baseOffset;
        final BatchValidator validator = new BatchValidator(Codecs.standard());
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                BatchScan scan = new BatchScan(CHUNK_BYTES, validator)) {
            scan.start(file, 0, file.length());
            while (scan.next()) {
                end = Math.max(end, scan.batch().nextOffset());
            }
        } finally {
            validator.close();
        }
        return end;
    }
}
