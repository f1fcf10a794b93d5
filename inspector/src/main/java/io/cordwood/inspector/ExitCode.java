package io.cordwood.inspector;

/** What the process answers. */
final class ExitCode {
    /** All is well. */
    static final int FINE = 0;

    /** Damage was found. */
    static final int DAMAGE = 1;

    /** The command line was wrong. */
    static final int USAGE = 2;

    /** A file or directory could not be read or written, or a codec's library is missing. */
    static final int IO = 3;

    private ExitCode() {}
}
