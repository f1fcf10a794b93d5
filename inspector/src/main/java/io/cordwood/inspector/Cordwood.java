package io.cordwood.inspector;

import io.cordwood.log.CorruptLogException;
import io.cordwood.log.codec.CodecException;
import io.cordwood.log.store.StorageException;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.util.Objects;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code cordwood}: parses the command line and hands it to the subcommand that it names.
 *
 * <p>Results go to standard output, messages to standard error, one line each and never a stack trace. Exit codes: 0 fine, 1 damage found, 2 wrong command line, 3 a file or directory could not be read or written,
 * or a codec's library is missing.
 */
@Command(
        name = "cordwood",
        mixinStandardHelpOptions = true,
        versionProvider = Cordwood.Version.class,
        description = "Inspects and writes log directories in Apache Kafka's on-disk formats.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  cordwood dump /var/kafka/orders-0             what is in a partition",
            "  cordwood verify /var/kafka                    what is wrong in a data directory",
            "  cordwood append data/orders-0 < orders.txt    a record for each line",
            "  cordwood read --tail data/orders-0            the last records",
            "  cordwood recover --dry-run data/orders-0      what would a start after a crash do?",
            "",
            "Exit codes: 0 fine, 1 damage found, 2 wrong command line, 3 a file or directory cannot be read or written.",
            "'cordwood COMMAND --help' tells more."
        })
public final class Cordwood implements Runnable {
    /** Set by the launcher, which knows better than the JVM whether standard error is a terminal. */
    private static final String TERMINAL = "cordwood.terminal";

    /** The same of standard output. */
    private static final String OUT_TERMINAL = "cordwood.terminal.out";

    private static final long PATIENCE_MS = 1000;

    private static final int BUFFER_BYTES = 1 << 16;

    @Spec
    @SuppressWarnings("NullAway.Init") // picocli sets it
    private CommandSpec spec;

    /** Creates the command, which has no state. */
    public Cordwood() {}

    /** Without a subcommand there is nothing to do: a wrong command line. */
    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Missing command");
    }

    /**
     * Runs the command line and ends the process with its exit code.
     *
     * @param args the command line
     */
    public static void main(final String[] args) {
        // Buffered, and the buffer flushed by execute: nothing is left to be closed.
        final OutputStream out =
                new StandardOutput(new BufferedOutputStream(new FileOutputStream(FileDescriptor.out), BUFFER_BYTES));
        final PrintStream err = new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8);
        final long patienceMs = Boolean.getBoolean(TERMINAL) ? PATIENCE_MS : -1;
        System.exit(execute(new Streams(System.in, out, err, patienceMs, Boolean.getBoolean(OUT_TERMINAL)), args));
    }

    /** Runs a command line in this process. */
    static int execute(final Streams streams, final String... args) {
        final CommandLine line = new CommandLine(new Cordwood());
        line.addSubcommand(new DumpCommand(streams));
        line.addSubcommand(new VerifyCommand(streams));
        line.addSubcommand(new AppendCommand(streams));
        line.addSubcommand(new ReadCommand(streams));
        line.addSubcommand(new RecoverCommand(streams));
        line.setOut(new PrintWriter(streams.out(), true, StandardCharsets.UTF_8));
        line.setErr(new PrintWriter(streams.err(), true, StandardCharsets.UTF_8));
        line.setUsageHelpAutoWidth(false);
        line.setUsageHelpWidth(100);
        line.setParameterExceptionHandler((failure, ignored) -> {
            streams.err().println("cordwood: " + failure.getMessage());
            streams.err()
                    .println("Try '" + failure.getCommandLine().getCommandSpec().qualifiedName() + " --help'.");
            return ExitCode.USAGE;
        });
        line.setExecutionExceptionHandler((failure, ignored, parsed) -> explain(failure, streams.err()));
        int exitCode;
        try {
            exitCode = line.execute(args);
        } catch (final OutOfMemoryError e) {
            streams.err().println("cordwood: out of memory; JAVA_TOOL_OPTIONS=-Xmx2g gives more, for example");
            exitCode = ExitCode.IO;
        } catch (final Error e) {
            exitCode = explainDefect(e, streams.err());
        }
        try {
            streams.out().flush();
        } catch (final IOException e) {
            // What ended with an I/O error has said so.
            exitCode = exitCode == ExitCode.IO ? exitCode : explainIo(e, streams.err());
        }
        return exitCode;
    }

    private static int explain(final Exception failure, final PrintStream err) {
        if (failure instanceof CommandFailure expected) {
            err.println("cordwood: " + failure.getMessage());
            return expected.exitCode();
        }
        if (failure instanceof CodecException codec && codec.kind() == CodecException.Kind.LIBRARY_MISSING) {
            err.println("cordwood: " + failure.getMessage());
            return ExitCode.IO;
        }
        if (failure instanceof CorruptLogException) {
            err.println("cordwood: " + failure.getMessage());
            return ExitCode.DAMAGE;
        }
        if (failure instanceof InvalidPathException) {
            err.println("cordwood: no path: " + failure.getMessage());
            return ExitCode.USAGE;
        }
        if (failure instanceof UncheckedIOException unchecked) {
            return explainIo(Objects.requireNonNullElse(unchecked.getCause(), unchecked), err);
        }
        if (failure instanceof StorageException || failure instanceof IOException) {
            return explainIo(failure, err);
        }
        return explainDefect(failure, err);
    }

    /** A defect of ours, or a fault of the machine: one line, with the place in our code where it was met. */
    private static int explainDefect(final Throwable failure, final PrintStream err) {
        String place = "";
        for (final StackTraceElement element : failure.getStackTrace()) {
            if (element.getClassName().startsWith("io.cordwood.")) {
                place = " (at " + element.getFileName() + ":" + element.getLineNumber() + ")";
                break;
            }
        }
        err.println("cordwood: unexpected failure: " + failure.toString().replace('\n', ' ') + place);
        return ExitCode.IO;
    }

    private static int explainIo(final Exception failure, final PrintStream err) {
        if (!(failure instanceof StandardOutput.Failure output && output.isClosed())) {
            err.println("cordwood: " + failure.getMessage());
        }
        return ExitCode.IO;
    }

    /** Tells the version that the jar was built as. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            final String version = Cordwood.class.getPackage().getImplementationVersion();
            return new String[] {"cordwood " + (version == null ? "(built from source)" : version)};
        }
    }
}
