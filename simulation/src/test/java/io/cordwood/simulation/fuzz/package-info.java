/**
 * Goal G14: hostile bytes. {@link io.cordwood.simulation.fuzz.Decoder} lists what reads bytes that somebody else may have written, and
 * which exceptions it documents.
 */
@NullMarked
package io.cordwood.simulation.fuzz;

import org.jspecify.annotations.NullMarked;
