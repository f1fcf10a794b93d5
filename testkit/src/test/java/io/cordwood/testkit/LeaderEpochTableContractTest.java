package io.cordwood.testkit;

import io.cordwood.log.LeaderEpochTable;
import io.cordwood.testkit.contract.DerivedStateContract;

final class LeaderEpochTableContractTest extends DerivedStateContract<LeaderEpochTable> {
    LeaderEpochTableContractTest() {
        super(LeaderEpochTable::new, LeaderEpochTable::entries);
    }
}
