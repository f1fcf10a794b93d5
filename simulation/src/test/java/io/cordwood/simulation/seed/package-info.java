/** Two JVMs that play one seed do the same, act by act. */
@NullMarked
package io.cordwood.simulation.seed;

import org.jspecify.annotations.NullMarked;
