/**
 * Real processes that are killed: {@link io.cordwood.simulation.kill.KilledLives} starts them, one after the other in the same data
 * directory, and holds what they leave against what they have acknowledged.
 */
@NullMarked
package io.cordwood.simulation.kill;

import org.jspecify.annotations.NullMarked;
