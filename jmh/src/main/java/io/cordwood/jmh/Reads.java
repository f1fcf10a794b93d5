package io.cordwood.jmh;

import java.io.IOException;

/** Reads a log, at most 64 KiB at a time: the checksum of each batch is checked, and each record is looked at. */
interface Reads extends AutoCloseable {
    /**
     * Reads whole batches.
     *
     * @param offset that the first one holds.
     * @return something that depends on each record of them.
     * @throws IOException the log's own.
     */
    long read(long offset) throws IOException;

    /**
     * Where the last read has ended.
     *
     * @return the offset behind its last batch.
     */
    long nextOffset();

    @Override
    void close();

    /** A log whose appends can be read right behind. */
    interface Source {
        /**
         * Makes a reader.
         *
         * @return to be closed before the log is.
         */
        Reads newReads();
    }
}
