package io.cordwood.testkit;

import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.FileUse;
import io.cordwood.testkit.contract.StorageContract;

final class DiskMappedStorageTest extends StorageContract {
    DiskMappedStorageTest() {
        super(DiskStorage::new, FileUse.APPEND_MAPPED);
    }
}
