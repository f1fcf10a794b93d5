/** What the campaigns share, and the test that the planted faults still apply. */
@NullMarked
package io.cordwood.simulation;

import org.jspecify.annotations.NullMarked;
