package io.cordwood.simulation.fuzz;

/** What Jazzer calls, in a JVM of its own: one decoder, which a system property names. */
public final class FuzzTarget {
    /** Property with the name of the decoder. */
    static final String DECODER = "cordwood.fuzz.decoder";

    private static final Decoder FED = Decoder.named(System.getProperty(DECODER, ""));

    private FuzzTarget() {}

    /**
     * Feeds one input.
     *
     * @param bytes of it.
     * @throws AssertionError if it throws what it does not document, or allocates more than the input explains.
     */
    public static void fuzzerTestOneInput(final byte[] bytes) {
        FED.feedMeasured(bytes);
    }
}
