package io.cordwood.testkit;

import io.cordwood.log.store.FileUse;
import io.cordwood.testkit.contract.StorageContract;

final class SimulatedMappedStorageTest extends StorageContract {
    SimulatedMappedStorageTest() {
        super(scratch -> new SimulatedStorage(() -> 1_700_000_000_000L), FileUse.APPEND_MAPPED);
    }
}
