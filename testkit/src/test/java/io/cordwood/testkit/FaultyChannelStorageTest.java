package io.cordwood.testkit;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.testkit.contract.StorageContract;

/** Without a rule nothing is faulty. */
final class FaultyChannelStorageTest extends StorageContract {
    FaultyChannelStorageTest() {
        super(scratch -> new FaultyStorage(new DiskStorage(scratch)), FileUse.APPEND);
    }
}
