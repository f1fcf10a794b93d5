package io.cordwood.simulation.contract;

import io.cordwood.log.ScanIndexes;
import io.cordwood.testkit.contract.SegmentIndexContract;

final class ScanIndexesContractTest extends SegmentIndexContract {
    ScanIndexesContractTest() {
        super(new ScanIndexes());
    }
}
