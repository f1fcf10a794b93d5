package io.cordwood.testkit;

import io.cordwood.log.store.FileUse;
import io.cordwood.testkit.contract.StorageContract;

/** Without a rule nothing is faulty. */
final class FaultyMappedStorageTest extends StorageContract {
    FaultyMappedStorageTest() {
        super(scratch -> new FaultyStorage(Disk.empty()), FileUse.APPEND_MAPPED);
    }
}
