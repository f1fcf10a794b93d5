/** A real disk that is full: a small file system in memory, mounted by the tests where that is allowed. */
@NullMarked
package io.cordwood.simulation.full;

import org.jspecify.annotations.NullMarked;
