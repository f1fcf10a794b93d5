package io.cordwood.log;

import io.cordwood.log.store.DiskStorage;
import org.agrona.concurrent.Agent;

/**
 * Reserves disk for the mapped files of a storage before their writers need it, so that neither the reservation nor the page
 * faults are paid by an append. Without it everything works as well, at the writers' cost.
 *
 * <p>For one thread, which may be shared with other agents; a step takes about as long as writing its 2 MiB of zeros to
 * memory.
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
    public int doWork() {
        return storage.reserveAhead();
    }

    @Override
    public String roleName() {
        return "reserve-ahead";
    }
}
