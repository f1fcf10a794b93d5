/** The contracts of the test kit for what the kit itself may not know: an index of segments. */
@NullMarked
package io.cordwood.simulation.contract;

import org.jspecify.annotations.NullMarked;
