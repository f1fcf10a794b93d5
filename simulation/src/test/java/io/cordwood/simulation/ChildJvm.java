package io.cordwood.simulation;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Another JVM of the same version, with the same class path and access to the JDK. */
public final class ChildJvm {
    private ChildJvm() {}

    /**
     * Prepares one, which tells its errors where this JVM does.
     *
     * @param main class to run.
     * @param arguments of it.
     * @return the process, not started.
     */
    public static ProcessBuilder of(final Class<?> main, final String... arguments) {
        // A few seconds of life: a better compiler costs more than it gives.
        return of(main, List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"), arguments);
    }

    /**
     * Prepares one for a longer life, which tells its errors where this JVM does.
     *
     * @param main class to run.
     * @param flags of the JVM.
     * @param arguments of it.
     * @return the process, not started.
     */
    public static ProcessBuilder of(final Class<?> main, final List<String> flags, final String... arguments) {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        for (final String flag : ManagementFactory.getRuntimeMXBean().getInputArguments()) {
            if (flag.startsWith("--")) {
                command.add(flag);
            }
        }
        command.addAll(flags);
        command.add("-cp");
        command.add(System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
        command.add(main.getName());
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
