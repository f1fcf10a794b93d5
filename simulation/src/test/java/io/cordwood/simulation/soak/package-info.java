/** Campaigns that go on for as long as one likes, and {@code bin/soak}, which runs them. */
@NullMarked
package io.cordwood.simulation.soak;

import org.jspecify.annotations.NullMarked;
