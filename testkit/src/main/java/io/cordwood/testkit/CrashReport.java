package io.cordwood.testkit;

/**
 * What a {@link CrashExplorer} has looked at.
 *
 * @param acts of the scenario that change the disk or make it durable, or end a life of it.
 * @param points at which the power was cut: before each act, and after the last.
 * @param states that were made, of all points.
 * @param distinct among them and the nested ones, by names and contents.
 * @param checks how often a state was opened and checked: a state once for each state of the promises.
 * @param tears distinct states that hold a part of a write of several sectors.
 * @param nestedPoints at which the power was cut during a check.
 * @param nestedStates distinct states that only such a cut has left.
 * @param nestedActs of the checks that were cut, ends of lives included: each is cut at one point more than it has acts.
 * @param cutChecks checks that were cut, from their first act to behind their last.
 * @param uncut distinct states that {@link CrashExplorer#nested} may cut and a sample has left out.
 */
public record CrashReport(
        long acts,
        long points,
        long states,
        long distinct,
        long checks,
        long tears,
        long nestedPoints,
        long nestedStates,
        long nestedActs,
        long cutChecks,
        long uncut) {
    /** Nothing yet, to add to. */
    public static final CrashReport NONE = new CrashReport(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    /**
     * Adds up two explorations.
     *
     * @param other of another scenario.
     * @return the sums.
     */
    public CrashReport plus(final CrashReport other) {
        return new CrashReport(
                acts + other.acts,
                points + other.points,
                states + other.states,
                distinct + other.distinct,
                checks + other.checks,
                tears + other.tears,
                nestedPoints + other.nestedPoints,
                nestedStates + other.nestedStates,
                nestedActs + other.nestedActs,
                cutChecks + other.cutChecks,
                uncut + other.uncut);
    }
}
