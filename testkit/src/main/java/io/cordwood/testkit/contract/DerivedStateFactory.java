package io.cordwood.testkit.contract;

import io.cordwood.log.DerivedState;
import io.cordwood.log.store.Storage;

/**
 * Makes the states that a contract tests.
 *
 * @param <S> the state.
 */
@FunctionalInterface
public interface DerivedStateFactory<S extends DerivedState> {
    /**
     * Makes a state that knows nothing yet.
     *
     * @param storage that holds its files.
     * @param directory of the log in the storage.
     * @return the state; the contract closes it.
     */
    S create(Storage storage, String directory);
}
