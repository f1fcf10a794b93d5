package io.cordwood.testkit;

/** A file whose failed force can lose what it should have forced. */
interface Forgetful {
    /**
     * What was written and not forced never reaches the disk, though it stays readable until a power cut: the cache takes it for
     * clean, so that a later force has nothing to write and succeeds. New lengths are not lost. What is written to the same sector
     * afterwards takes all of the sector along.
     */
    void forget();
}
