package io.cordwood.inspector;

import io.cordwood.log.store.Storage;
import java.io.IOException;

/** Writes what is in partitions, in one of the formats, as it is read: nothing but the present batch is held. */
interface DumpWriter {
    /**
     * Writes one partition.
     *
     * @param storage that holds it.
     * @param place of it.
     * @return the exit code: what was damaged, or could not be read, which is the higher one.
     * @throws IOException if the output takes no more.
     */
    int partition(Storage storage, Place place) throws IOException;

    /**
     * Writes what follows on the last partition.
     *
     * @throws IOException if the output takes no more.
     */
    void end() throws IOException;

    /**
     * Ends what is begun and hands it on, because the rest will not come.
     *
     * @throws IOException if the output takes no more.
     */
    void flush() throws IOException;
}
