package io.cordwood.log;

/** An open was interrupted by {@link RecoveryProgress#interrupt}. What it had done stays done; another open goes on. */
public final class RecoveryInterruptedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RecoveryInterruptedException(final int done, final int segments) {
        super("interrupted after " + done + " of " + segments + " segments");
    }
}
