/**
 * The command line {@code cordwood}. Begin with {@link io.cordwood.inspector.Cordwood}, which names the commands.
 */
@NullMarked
package io.cordwood.inspector;

import org.jspecify.annotations.NullMarked;
