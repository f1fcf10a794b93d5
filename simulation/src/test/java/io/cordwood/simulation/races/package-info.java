/**
 * Threads that meet in the production classes. Lincheck plays schedules of the structures that threads share, each in a class
 * {@code …Race} that lies in the package of its structure; {@link io.cordwood.simulation.races.Races} names them.
 * {@link io.cordwood.simulation.races.SteppedReader} lets a reader step between any two acts of a log's writer on the disk.
 *
 * <p>Lincheck assumes sequential consistency: a missing barrier is not found here.
 */
@NullMarked
package io.cordwood.simulation.races;

import org.jspecify.annotations.NullMarked;
