package io.cordwood.jmh;

/** Which offset is read next. */
public enum ReadOrder {
    /** The one behind the batches that the last read brought. */
    SEQUENTIAL("sequential"),
    /** One drawn over the whole log. */
    RANDOM("random");

    private final String title;

    ReadOrder(final String title) {
        this.title = title;
    }

    /**
     * Name for the table.
     *
     * @return one word.
     */
    public String title() {
        return title;
    }
}
