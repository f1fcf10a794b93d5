package io.cordwood.inspector;

/** A command cannot go on for a reason that its user can understand: one line and an exit code, never a stack trace. */
final class CommandFailure extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final int exitCode;

    private CommandFailure(final int exitCode, final String message) {
        super(message, null, false, false);
        this.exitCode = exitCode;
    }

    static CommandFailure usage(final String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }

    static CommandFailure io(final String message) {
        return new CommandFailure(ExitCode.IO, message);
    }

    int exitCode() {
        return exitCode;
    }
}
