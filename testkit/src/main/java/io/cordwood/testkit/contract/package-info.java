/**
 * Contracts as tests: an implementation inherits one, names its factory, and is held to what every other implementation is held to.
 * The only package here that needs JUnit ({@code junit-jupiter-api}), which the inheriting build brings.
 */
@NullMarked
package io.cordwood.testkit.contract;

import org.jspecify.annotations.NullMarked;
