package io.cordwood.simulation.crash;

import io.cordwood.simulation.soak.Campaign;
import java.util.ArrayList;
import java.util.List;

/** The crash campaigns for {@code bin/soak}. */
public final class CrashSoak {
    private CrashSoak() {}

    /**
     * Lists them.
     *
     * @return one for each scenario and store.
     */
    public static List<Campaign> campaigns() {
        return new ArrayList<>();
    }
}
