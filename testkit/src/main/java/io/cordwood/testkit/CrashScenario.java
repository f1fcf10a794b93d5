package io.cordwood.testkit;

/**
 * Code that runs on a disk whose power may be cut at any act, and what it owes then. One object is one run, from an empty disk
 * on; a {@link CrashExplorer} makes several, and each must do the same acts.
 *
 * <p>While {@link #run} stands still in front of an act, {@link #check} is called for the states that a power cut would leave
 * there. So what is noted as promised must be true at each moment: it is taken back before the call that takes it back, and
 * added after the call that makes it so.
 */
public interface CrashScenario {
    /**
     * Does what is to be survived, and notes what it was promised. It may end a life of the disk by
     * {@link SimulatedStorage#powerCut} or {@link SimulatedStorage#kill} and go on with the next one.
     *
     * @param disk that is empty.
     */
    void run(SimulatedStorage disk);

    /**
     * Tells one state of what is promised from the next. A disk state that was checked is checked again only once this number has
     * changed.
     *
     * @return a number that grows with each promise that is made or taken back.
     */
    long promises();

    /**
     * Opens what a power cut has left and holds it against what is promised at this moment. It may write as a recovery does, but
     * must leave what is owed: where the explorer cuts the power of recoveries too, this method is called for what is left of
     * its own acts, while it stands still in front of one.
     *
     * @param disk that nobody else uses.
     * @throws AssertionError if something is missing or was invented; any other exception counts as one.
     */
    void check(SimulatedStorage disk);

    /**
     * The same of what the death of the process leaves, while the machine goes on: all that was written is there, forced or not. An
     * explorer calls it at each point of the {@link #run}.
     *
     * @param disk that nobody else uses, with everything pending that was.
     * @throws AssertionError as {@link #check}.
     */
    default void checkKilled(final SimulatedStorage disk) {
        check(disk);
    }
}
