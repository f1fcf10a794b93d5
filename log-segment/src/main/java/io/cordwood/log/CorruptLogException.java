package io.cordwood.log;

/** Bytes in a log's file are not what they must be. The message names the file, the position and the reason. */
public final class CorruptLogException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The damaged file. */
    private final String file;

    /** Where the damage begins. */
    private final long position;

    /** What is wrong, without file and position. */
    private final String reason;

    /** Where a reader can go on. */
    private final long nextOffset;

    /**
     * Creates the exception where nobody can go on.
     *
     * @param file path of the file, as an operator would type it.
     * @param position of the damaged batch or entry in the file, in bytes.
     * @param reason in words, with what was expected and what was found.
     */
    public CorruptLogException(final String file, final long position, final String reason) {
        this(file, position, reason, -1);
    }

    /**
     * Creates the exception.
     *
     * @param file path of the file, as an operator would type it.
     * @param position of the damaged batch or entry in the file, in bytes.
     * @param reason in words, with what was expected and what was found.
     * @param nextOffset of the first good batch behind the damage, or the end of the log; -1 if it is not known.
     */
    public CorruptLogException(final String file, final long position, final String reason, final long nextOffset) {
        super(file + " is damaged at position " + position + ": " + reason);
        this.file = file;
        this.position = position;
        this.reason = reason;
        this.nextOffset = nextOffset;
    }

    /**
     * The damaged file.
     *
     * @return its path, as an operator would type it.
     */
    public String file() {
        return file;
    }

    /**
     * Where the damage begins.
     *
     * @return position in the file, in bytes.
     */
    public long position() {
        return position;
    }

    /**
     * What is wrong there.
     *
     * @return in words, without file and position.
     */
    public String reason() {
        return reason;
    }

    /**
     * Where a reader that does without what is damaged can go on.
     *
     * @return offset of the first good batch behind the damage, or the end of the log if there is none; -1 if it is not known.
     */
    public long nextOffset() {
        return nextOffset;
    }
}
