package io.cordwood.testkit;

import io.cordwood.log.DerivedState;
import io.cordwood.log.Log;
import io.cordwood.log.store.Storage;
import java.util.List;

/** Opens the log that a {@link LogChecker} checks, as the code under test does. */
@FunctionalInterface
public interface LogOpener {
    /**
     * Opens the log.
     *
     * @param storage that holds it.
     * @param recoveryPoint to open it with, {@link Long#MAX_VALUE} after a clean close.
     * @param states to be registered with it, in this order; new ones for each open.
     * @return the log, which the checker closes.
     */
    Log open(Storage storage, long recoveryPoint, List<DerivedState> states);
}
