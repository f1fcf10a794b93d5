package io.cordwood.inspector;

import java.io.IOException;

/** Nobody reads the output any more. */
final class ClosedOutput extends IOException {
    private static final long serialVersionUID = 1L;

    ClosedOutput() {
        super("the output is closed");
    }
}
