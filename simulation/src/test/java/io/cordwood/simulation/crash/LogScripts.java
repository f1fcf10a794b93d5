package io.cordwood.simulation.crash;

/** What is done to one log: each script makes at least 60 acts and 3 segments. */
final class LogScripts {
    private LogScripts() {}

    /** Batches that are published one by one, and a force now and then. */
    static void append(final LogLife log) {
        for (int i = 0; i < 36; i++) {
            log.append(1 + i % 3, 90 + 40 * (i % 5));
            if (i % 6 == 5) {
                log.flush();
            }
            if (i % 13 == 12) {
                log.nextEpoch();
            }
        }
    }
}
