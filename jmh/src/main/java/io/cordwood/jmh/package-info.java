/**
 * Benchmarks of Cordwood beside its peers, run by {@code bin/bench}.
 */
@NullMarked
package io.cordwood.jmh;

import org.jspecify.annotations.NullMarked;
