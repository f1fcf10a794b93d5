package io.cordwood.testkit;

import io.cordwood.testkit.contract.DerivedStateContract;

/** A state that has a file for each segment, other than the table of epochs. */
final class SegmentCountContractTest extends DerivedStateContract<SegmentCountState> {
    SegmentCountContractTest() {
        super(SegmentCountState::new, SegmentCountState::sums);
    }
}
