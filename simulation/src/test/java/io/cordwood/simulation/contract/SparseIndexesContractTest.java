package io.cordwood.simulation.contract;

import io.cordwood.index.SparseIndexes;
import io.cordwood.testkit.contract.SegmentIndexContract;

final class SparseIndexesContractTest extends SegmentIndexContract {
    SparseIndexesContractTest() {
        super(new SparseIndexes());
    }
}
