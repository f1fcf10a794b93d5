package io.cordwood.simulation.crash;

import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The scenarios by their names, each on both stores. */
final class CrashCampaigns {
    private static final Map<String, Maker> SCENARIOS = new TreeMap<>();

    static {
        LogScripts.all()
                .forEach(
                        (name, script) -> SCENARIOS.put(name, (mapped, seed) -> new LogScenario(mapped, seed, script)));
        DirectoryScripts.all()
                .forEach((name, script) ->
                        SCENARIOS.put(name, (mapped, seed) -> new DirectoryScenario(mapped, seed, script)));
    }

    private CrashCampaigns() {}

    private interface Maker {
        CrashScenario make(boolean isMapped, long seed);
    }

    /** All names, such as {@code append/mapped}. */
    static List<String> names() {
        final List<String> names = new ArrayList<>();
        for (final String name : SCENARIOS.keySet()) {
            names.add(name + "/channel");
            names.add(name + "/mapped");
        }
        return names;
    }

    /** The sizes of what is appended, and the random states, follow from the seed. */
    static CrashExplorer explorer(final String name, final long seed) {
        return new CrashExplorer(name, Batches.NOW, scenario(name, seed)).seed(seed);
    }

    private static Supplier<CrashScenario> scenario(final String name, final long seed) {
        final boolean isMapped = name.endsWith("/mapped");
        final Maker made = SCENARIOS.get(name.substring(0, Math.max(0, name.indexOf('/'))));
        if (made == null || !names().contains(name)) {
            throw new IllegalArgumentException("'" + name + "' is none of " + names());
        }
        return () -> made.make(isMapped, seed);
    }
}
