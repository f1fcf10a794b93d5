package io.cordwood.inspector;

import java.io.IOException;
import java.io.OutputStream;

/** The process's output: an error on it is told as one of it, and not as one of the files that are looked at. */
final class StandardOutput extends OutputStream {
    private static final String BROKEN_PIPE = "Broken pipe";

    private final OutputStream out;

    /** The output takes no more. */
    static final class Failure extends IOException {
        private static final long serialVersionUID = 1L;

        private final boolean isClosed;

        private Failure(final IOException cause) {
            super("standard output: " + cause.getMessage(), cause);
            isClosed = BROKEN_PIPE.equals(cause.getMessage());
        }

        /** Whether the reader has seen enough, as head does, and gone. */
        boolean isClosed() {
            return isClosed;
        }
    }

    StandardOutput(final OutputStream out) {
        this.out = out;
    }

    @Override
    public void write(final int single) throws IOException {
        try {
            out.write(single);
        } catch (final IOException e) {
            throw new Failure(e);
        }
    }

    @Override
    public void write(final byte[] bytes, final int index, final int length) throws IOException {
        try {
            out.write(bytes, index, length);
        } catch (final IOException e) {
            throw new Failure(e);
        }
    }

    @Override
    public void flush() throws IOException {
        try {
            out.flush();
        } catch (final IOException e) {
            throw new Failure(e);
        }
    }
}
