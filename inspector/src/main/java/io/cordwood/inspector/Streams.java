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
 * @param isTerminal whether a person looks at {@code err}: progress is shown only then.
 */
record Streams(InputStream in, OutputStream out, PrintStream err, boolean isTerminal) {}
