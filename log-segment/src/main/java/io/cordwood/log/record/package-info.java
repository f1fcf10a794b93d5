/** Record batches. */
@NullMarked
package io.cordwood.log.record;

import org.jspecify.annotations.NullMarked;
