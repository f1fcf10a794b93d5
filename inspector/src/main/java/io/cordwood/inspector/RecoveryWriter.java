package io.cordwood.inspector;

import java.io.IOException;

/** Writes what a recovery found and did, in one of the formats. */
interface RecoveryWriter {
    /**
     * The log was opened, and closed again.
     *
     * @param recovered what became of it.
     * @throws IOException if the output takes no more.
     */
    void recovered(Recovered recovered) throws IOException;

    /**
     * The log could not be opened.
     *
     * @param failure why.
     * @throws IOException if the output takes no more.
     */
    void failed(RuntimeException failure) throws IOException;
}
