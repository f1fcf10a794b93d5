package io.cordwood.simulation.model;

import java.util.List;

/** A part of the engine beside its model, and random acts on both, from one seed. */
interface Life extends AutoCloseable {
    /** One random act, after which both agree. */
    void step();

    /** The last act: whatever is left to compare. */
    default void end() {}

    /** What was done, in words. */
    List<String> history();

    @Override
    default void close() {}
}
