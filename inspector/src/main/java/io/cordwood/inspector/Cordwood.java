package io.cordwood.inspector;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The command {@code cordwood}: parses the command line and hands it to the subcommand that it names. */
@Command(
        name = "cordwood",
        mixinStandardHelpOptions = true,
        description = "Inspects and writes log directories in Apache Kafka's on-disk formats.")
public final class Cordwood implements Runnable {

    /** Creates the command, which has no state. */
    public Cordwood() {}

    /** Prints the help: without a subcommand there is nothing else to do. */
    @Override
    public void run() {
        CommandLine.usage(this, System.out);
    }

    /**
     * Runs the command line and ends the process with its exit code.
     *
     * @param args the command line
     */
    public static void main(String[] args) {
        System.exit(new CommandLine(new Cordwood()).execute(args));
    }
}
