package io.cordwood.simulation.full;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** Where a system lacks the command that mounts, the tests of a full disk are skipped with that reason. */
final class SmallDiskTest {
    @Test
    void aCommandThatIsNotThereIsAReasonAndNoFailure() throws Exception {
        final String reason = String.valueOf(SmallDisk.runIfThere("cordwood-no-such-command", "-t"));
        assertTrue(reason.startsWith("there is no command 'cordwood-no-such-command' in "), reason);
    }
}
