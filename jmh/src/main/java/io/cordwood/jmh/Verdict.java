package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What was measured of a row, held against its goals. Wall and CPU must both reach a goal, or it is not reached. */
final class Verdict {
    /** No object is smaller than 16 bytes; fewer than this per operation comes from JMH, which allocates between iterations. */
    private static final double NO_BYTES = 1;

    /** The same where an operation takes long: JMH alone comes to a tenth of a byte per microsecond. */
    private static final double NO_BYTES_PER_US = 0.15;

    /** A quotient that is the goal must not miss it in its last bit. */
    private static final double ROUNDING = 1 - 1e-9;

    private final Comparison row;
    private final Samples samples;

    /**
     * Looks at a row.
     *
     * @param row to be judged.
     * @param samples what was measured.
     */
    Verdict(final Comparison row, final Samples samples) {
        this.row = row;
        this.samples = samples;
    }

    /**
     * How many times another's throughput is ours.
     *
     * @param wall by the clock.
     * @param cpu by the CPU time of the process.
     */
    record Ratio(double wall, double cpu) {
        private boolean reaches(final double goal) {
            return Math.min(wall, cpu) >= goal * ROUNDING;
        }
    }

    /**
     * Compares us with another.
     *
     * @param other peer or floor.
     * @return the ratio; empty if one of the two was not measured.
     */
    Optional<Ratio> ratioTo(final Subject other) {
        return samples.medians(row.ours())
                .flatMap(ours -> samples.medians(other)
                        .map(theirs -> new Ratio(theirs.wallUs() / ours.wallUs(), theirs.cpuUs() / ours.cpuUs())));
    }

    /**
     * Compares one of our percentiles with another's.
     *
     * @param other peer or floor.
     * @param label of the percentile.
     * @return how many times ours theirs is; empty if one of the two was not measured.
     */
    Optional<Double> ratioTo(final Subject other, final String label) {
        return figure(row.ours(), label).flatMap(ours -> figure(other, label).map(theirs -> theirs / ours));
    }

    private Optional<Double> figure(final Subject subject, final String label) {
        return samples.medians(subject).map(medians -> medians.counted().get(label));
    }

    /**
     * Whether one of our percentiles is as low as it is to be.
     *
     * @param other peer or floor.
     * @param label of the percentile.
     * @param goal how many times lower ours is to be.
     * @return empty if one of the two was not measured.
     */
    Optional<Boolean> reaches(final Subject other, final String label, final double goal) {
        return ratioTo(other, label).map(ratio -> ratio >= goal * ROUNDING);
    }

    /**
     * Whether every goal of the row is reached.
     *
     * @return empty if the row has none, or if something that is needed to tell was not measured.
     */
    Optional<Boolean> holds() {
        final List<Optional<Boolean>> each = new ArrayList<>();
        for (final Comparison.Peer peer : row.peers()) {
            if (peer.goal() > 0) {
                each.add(ratioTo(peer.subject()).map(ratio -> ratio.reaches(peer.goal())));
            }
            peer.percentiles().forEach((label, goal) -> each.add(reaches(peer.subject(), label, goal)));
        }
        final Comparison.Floor floor = row.floor();
        if (floor != null && floor.within() > 0) {
            each.add(ratioTo(floor.subject()).map(ratio -> ratio.reaches(1 / floor.within())));
        }
        if (floor != null) {
            floor.percentiles().forEach((label, within) -> each.add(reaches(floor.subject(), label, 1 / within)));
        }
        if (row.isGarbageFree()) {
            each.add(samples.medians(row.ours())
                    .map(ours -> ours.bytes() < Math.max(NO_BYTES, NO_BYTES_PER_US * ours.wallUs())));
        }
        if (each.isEmpty() || each.contains(Optional.<Boolean>empty())) {
            return Optional.empty();
        }
        return Optional.of(!each.contains(Optional.of(false)));
    }
}
