/**
 * What becomes of a log whose bytes rot, or whose blocks are somebody else's: goals G4 and G5. A {@link
 * io.cordwood.simulation.damage.Specimen} is made once by the engine itself; its images in memory are then damaged in place, one
 * damage at a time, looked at, and mended.
 */
@NullMarked
package io.cordwood.simulation.damage;

import org.jspecify.annotations.NullMarked;
