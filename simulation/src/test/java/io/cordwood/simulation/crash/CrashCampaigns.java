package io.cordwood.simulation.crash;

import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.Supplier;

/** The scenarios by their names, each on both stores. */
final class CrashCampaigns {
    private static final Map<String, Function<Boolean, CrashScenario>> SCENARIOS = new TreeMap<>();

    static {
        LogScripts.all().forEach((name, script) -> SCENARIOS.put(name, mapped -> new LogScenario(mapped, script)));
        DirectoryScripts.all()
                .forEach((name, script) -> SCENARIOS.put(name, mapped -> new DirectoryScenario(mapped, script)));
    }

    private CrashCampaigns() {}

    /** All names, such as {@code append/mapped}. */
    static List<String> names() {
        final List<String> names = new ArrayList<>();
        for (final String name : SCENARIOS.keySet()) {
            names.add(name + "/channel");
            names.add(name + "/mapped");
        }
        return names;
    }

    static CrashExplorer explorer(final String name) {
        return new CrashExplorer(name, Batches.NOW, scenario(name));
    }

    private static Supplier<CrashScenario> scenario(final String name) {
        final boolean isMapped = name.endsWith("/mapped");
        final Function<Boolean, CrashScenario> made = SCENARIOS.get(name.substring(0, Math.max(0, name.indexOf('/'))));
        if (made == null || !names().contains(name)) {
            throw new IllegalArgumentException("'" + name + "' is none of " + names());
        }
        return () -> made.apply(isMapped);
    }
}
