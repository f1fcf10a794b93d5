package io.cordwood.log;

/** A setting was refused. The message names the field, the value that was given and what would have been accepted. */
public final class ConfigException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Name of the setting. */
    private final String field;

    /** The value that was given. */
    private final String value;

    /** What would have been accepted. */
    private final String limit;

    /**
     * Creates the exception.
     *
     * @param field name of the setting, as its owner writes it.
     * @param value that was given.
     * @param limit what would have been accepted, or why nothing would, as the end of the sentence "the value is refused: …".
     */
    public ConfigException(final String field, final String value, final String limit) {
        super(field + "=" + value + " is refused: " + limit);
        this.field = field;
        this.value = value;
        this.limit = limit;
    }

    /**
     * The setting.
     *
     * @return its name.
     */
    public String field() {
        return field;
    }

    /**
     * What was given.
     *
     * @return the value as it was written.
     */
    public String value() {
        return value;
    }

    /**
     * What would have been accepted.
     *
     * @return a range, a list of choices or a reason.
     */
    public String limit() {
        return limit;
    }
}
