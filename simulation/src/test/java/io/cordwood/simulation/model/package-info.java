/**
 * Goal G15: what the parts mean. Each {@link io.cordwood.simulation.model.Life} does random acts to a part of the engine and to a naive
 * model of it, in lists and loops, and holds the answers against each other after each act.
 */
@NullMarked
package io.cordwood.simulation.model;

import org.jspecify.annotations.NullMarked;
