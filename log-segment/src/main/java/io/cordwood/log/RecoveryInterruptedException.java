package io.cordwood.log;

/**
 * An open was interrupted by {@link RecoveryProgress#interrupt}. What it had cut or deleted stays so; how far it had come is kept
 * nowhere, so another open scans from the same recovery point.
 */
public final class RecoveryInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecoveryInterruptedException(final int done, final int segments) {
        super("interrupted after " + done + " of " + segments + " segments");
    }
}
