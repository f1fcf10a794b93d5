package io.cordwood.log.codec;

import org.jspecify.annotations.Nullable;

/** A run of bytes could not be compressed or decompressed. The message names the codec and the reason. */
public final class CodecException extends RuntimeException {
    /** What kind of reason it was; each asks for another answer from the caller. */
    public enum Kind {
        /** The compressed bytes are not what their format says. Trying again is of no use. */
        CORRUPT,
        /** The result would be longer than the bound of its buffer. */
        TOO_LARGE,
        /** The codec's library is not on the class path, or its native part cannot be loaded here. */
        LIBRARY_MISSING
    }

    private static final long serialVersionUID = 1L;

    /** Asks the caller for its answer. */
    private final Kind kind;

    /**
     * Creates the exception.
     *
     * @param kind of reason.
     * @param reason in words.
     * @param cause the library's answer, if there is one.
     */
    public CodecException(final Kind kind, final String reason, final @Nullable Throwable cause) {
        super(reason, cause);
        this.kind = kind;
    }

    /**
     * What kind of reason it was.
     *
     * @return never null.
     */
    public Kind kind() {
        return kind;
    }

    static CodecException corrupt(final CompressionType type, final String reason) {
        return corrupt(type, reason, null);
    }

    static CodecException corrupt(final CompressionType type, final String reason, final @Nullable Throwable cause) {
        return new CodecException(Kind.CORRUPT, "corrupt " + type.codecName() + " data: " + reason, cause);
    }

    static CodecException tooLarge(final long length, final int bound) {
        return new CodecException(
                Kind.TOO_LARGE, "at least " + length + " bytes where the bound is " + bound + " bytes", null);
    }

    static CodecException libraryMissing(final CompressionType type, final String artifact, final LinkageError cause) {
        return new CodecException(
                Kind.LIBRARY_MISSING,
                "codec " + type.codecName() + " needs the library " + artifact + ", which is not on the class path or"
                        + " cannot be loaded on this machine",
                cause);
    }
}
