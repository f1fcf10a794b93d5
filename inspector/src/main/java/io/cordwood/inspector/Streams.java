package io.cordwood.inspector;

import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;

/**
 * What a command reads from and writes to, so that tests can run one in-process.
 *
 * @param in records to append come from here.
 * @param out results, and nothing else, go here.
 * @param err messages and progress.
 * @param patienceMs after how long the person who looks at {@code err} is told how far the work is; negative if nobody looks.
 * @param isOutSeen whether {@code out} goes to the same person, who needs no progress where results keep coming.
 */
record Streams(InputStream in, OutputStream out, PrintStream err, long patienceMs, boolean isOutSeen) {
    /** Whether a person looks at {@code err}. */
    boolean isTerminal() {
        return patienceMs >= 0;
    }
}
