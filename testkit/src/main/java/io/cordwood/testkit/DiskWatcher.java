package io.cordwood.testkit;

/** Is told by a {@link SimulatedStorage} what is about to happen to it, under its lock and on the thread that does it. */
interface DiskWatcher {
    /** Before an act, or the end of a life; it is not counted yet, and the disk may be asked for what a power cut would leave now. */
    void before(SimulatedStorage disk, String act);

    /** Another life of the disk has begun, of which this watcher is told as well. */
    void begun(SimulatedStorage disk);
}
