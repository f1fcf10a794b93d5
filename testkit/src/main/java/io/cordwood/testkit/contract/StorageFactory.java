package io.cordwood.testkit.contract;

import io.cordwood.log.store.Storage;
import java.nio.file.Path;

/** Makes what a contract tests. */
@FunctionalInterface
public interface StorageFactory {
    /**
     * Makes an empty storage for one test, which closes it.
     *
     * @param scratch an empty directory that is deleted after the test.
     * @return the storage.
     */
    Storage create(Path scratch);
}
