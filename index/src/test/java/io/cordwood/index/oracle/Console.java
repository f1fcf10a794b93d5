package io.cordwood.index.oracle;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** What was printed to standard output and standard error while something ran: Kafka's tools and warnings speak there. */
final class Console {
    private Console() {}

    /** Something that may fail in any way. */
    @FunctionalInterface
    interface Act {
        void run() throws Exception;
    }

    /**
     * Runs something and keeps what it prints. Not for tests that run side by side: the streams are the process's.
     *
     * @param act to be run.
     * @return lines in the order in which they were printed.
     * @throws Exception what the act throws, with what it had printed as a suppressed exception.
     */
    static List<String> during(final Act act) throws Exception {
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final PrintStream out = System.out;
        final PrintStream err = System.err;
        try (PrintStream both = new PrintStream(bytes, true, StandardCharsets.UTF_8)) {
            System.setOut(both);
            System.setErr(both);
            act.run();
        } catch (final Exception e) {
            e.addSuppressed(new IllegalStateException(bytes.toString(StandardCharsets.UTF_8)));
            throw e;
        } finally {
            System.setOut(out);
            System.setErr(err);
        }
        return bytes.toString(StandardCharsets.UTF_8).lines().toList();
    }
}
