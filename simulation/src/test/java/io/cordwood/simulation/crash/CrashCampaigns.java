package io.cordwood.simulation.crash;

import io.cordwood.testkit.CrashExplorer;
import io.cordwood.testkit.CrashScenario;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The scenarios by their names, each on both stores. */
final class CrashCampaigns {
    private static final Map<String, Consumer<LogLife>> LOGS = new TreeMap<>(Map.of("append", LogScripts::append));

    private CrashCampaigns() {}

    /** All names, such as {@code append/mapped}. */
    static List<String> names() {
        final List<String> names = new ArrayList<>();
        for (final String name : LOGS.keySet()) {
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
        final Consumer<LogLife> script = LOGS.get(name.substring(0, Math.max(0, name.indexOf('/'))));
        if (script == null || !names().contains(name)) {
            throw new IllegalArgumentException("'" + name + "' is none of " + names());
        }
        return () -> new LogScenario(isMapped, script);
    }
}
