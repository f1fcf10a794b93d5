package io.cordwood.log;

import io.cordwood.log.store.DiskStorage;
import org.agrona.concurrent.Agent;

/**
 * Reserves disk for the mapped files of a storage before their writers need it, so that neither the reservation nor the page
 * faults are paid by an append; and from its start to its close frees large files that were deleted and mappings that are looked at no
 * more, so that no append waits for that at a roll. Without it everything works as well, at the writers' cost.
 *
 * <p>For one thread, which may be shared with other agents; a step takes about as long as writing its 2 MiB of zeros to
 * memory, or as the system takes to free a file.
 */
public final class ReserveAgent implements Agent {
    private final DiskStorage storage;

    /**
     * Creates the agent.
     *
     * @param storage whose mapped files are looked after.
     */
    public ReserveAgent(final DiskStorage storage) {
        this.storage = storage;
    }

    @Override
    public void onStart() {
        storage.freeLater(true);
    }

    @Override
    public int doWork() {
        return storage.reserveAhead() + storage.free();
    }

    @Override
    public void onClose() {
        storage.freeLater(false);
    }

    @Override
    public String roleName() {
        return "reserve-ahead";
    }
}
