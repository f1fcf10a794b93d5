/** What the architecture forbids, held on the compiled classes of all modules that the command line sees. */
@NullMarked
package io.cordwood.inspector.architecture;

import org.jspecify.annotations.NullMarked;
