package io.cordwood.testkit;

/** Is told of each disk state that a {@link CrashExplorer} makes and has not made before in the same exploration. */
@FunctionalInterface
public interface CrashStateWatcher {
    /**
     * Takes note of a state, before it is checked.
     *
     * @param hash of the names and contents, equal for equal states in every exploration and each JVM.
     * @param cuts how many recoveries were cut before it: 0 for a state that the scenario itself leaves.
     * @param isTorn whether it holds a part of a write.
     */
    void state(long hash, int cuts, boolean isTorn);
}
