/** One class that does everything that is forbidden, to show that the bans bite. */
@NullMarked
package io.cordwood.inspector.architecture.sample;

import org.jspecify.annotations.NullMarked;
