package io.cordwood.simulation.races;

import io.cordwood.index.SparseIndexRace;
import io.cordwood.log.AppenderRace;
import io.cordwood.log.ForceRace;
import io.cordwood.log.ReaderRace;
import io.cordwood.log.RequestRace;
import io.cordwood.log.store.MappingRace;
import io.cordwood.log.store.StagingPoolRace;
import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Sample;
import io.cordwood.simulation.soak.SourceSeed;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import kotlin.jvm.functions.Function1;
import org.jetbrains.kotlinx.lincheck.Actor;
import org.jetbrains.kotlinx.lincheck.execution.ExecutionScenario;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * The structures that threads share, as Lincheck's model checker plays them: scenarios follow from a seed, the schedules of each
 * from the scenario.
 */
public final class Races {
    /** Numbers that an act may get: far more than a scenario has acts. */
    private static final int ARGUMENTS = 9;

    /** Acts in all: more than a few would have more schedules than can be played. */
    private static final int ACTORS = 6;

    private static final int SCENARIOS_PER_ROUND = 10;
    private static final int SCHEDULES = 300;

    /** What computes and shares nothing, or is somebody else's. */
    private static final List<String> IGNORED = List.of(
            "jnr.",
            "com.kenai.",
            "net.openhft.",
            "org.agrona.",
            "org.slf4j.",
            "io.cordwood.log.record.",
            "io.cordwood.log.codec.",
            "io.cordwood.log.store.RaceFiles",
            "io.cordwood.log.BatchJudge",
            "io.cordwood.log.BatchScan",
            "io.cordwood.log.BatchCursor",
            "io.cordwood.log.HeaderWalk",
            "io.cordwood.log.SegmentScan",
            "io.cordwood.log.SmallFile",
            "io.cordwood.log.LeaderEpoch");

    private Races() {}

    /**
     * Lists the structures.
     *
     * @return a class for each.
     */
    public static List<Class<?>> structures() {
        return List.of(
                AppenderRace.class,
                ForceRace.class,
                MappingRace.class,
                ReaderRace.class,
                RequestRace.class,
                SparseIndexRace.class,
                StagingPoolRace.class);
    }

    /**
     * Lists the campaigns.
     *
     * @return one for each structure.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> campaigns = new ArrayList<>();
        for (final Class<?> structure : structures()) {
            final String name = name(structure);
            campaigns.add(new Campaign("G13", "races/" + name, true, (seed, tally) -> {
                play(structure, seed, SCENARIOS_PER_ROUND, SCHEDULES);
                tally.add("scenarios", SCENARIOS_PER_ROUND);
                tally.addDistinct("structures", name.hashCode());
            }));
        }
        return campaigns;
    }

    private static String name(final Class<?> structure) {
        return structure.getSimpleName().replace("Race", "");
    }

    /** The first scenarios and schedules of a round, as a build plays them. */
    static void sample(final Class<?> structure, final int scenarios, final int schedules) {
        Sample.of(
                "races/" + name(structure),
                SourceSeed.get(),
                (seed, tally) -> play(structure, seed, scenarios, schedules));
    }

    /**
     * Plays a structure.
     *
     * @param structure one of {@link #structures}.
     * @param seed of the scenarios.
     * @param scenarios how many.
     * @param schedules most schedules of each.
     * @throws AssertionError if what the threads have seen could not have been seen one after the other, or a structure is left as it
     *     must not be; with the scenario and the schedule.
     */
    public static void play(final Class<?> structure, final long seed, final int scenarios, final int schedules) {
        ModelCheckingOptions options = new ModelCheckingOptions();
        options = options.iterations(0)
                .invocationsPerIteration(schedules)
                .actorsBefore(0)
                .minimizeFailedScenario(false)
                .addGuarantee(ignored())
                .addGuarantee(atomic(structure));
        final Random random = new Random(seed);
        for (int i = 0; i < scenarios; i++) {
            options = options.addCustomScenario(scenario(structure, random));
        }
        options.check(structure);
    }

    private static ManagedStrategyGuarantee ignored() {
        final Function1<String, Boolean> names = name -> IGNORED.stream().anyMatch(name::startsWith);
        return ManagedStrategyGuaranteeKt.forClasses(names).allMethods().ignore();
    }

    /** The simulated disk has one lock around everything; the log behind a door or a queue is played by other structures. */
    private static ManagedStrategyGuarantee atomic(final Class<?> structure) {
        final boolean isLogAtomic = structure == AppenderRace.class || structure == RequestRace.class;
        final Function1<String, Boolean> names =
                name -> name.startsWith("io.cordwood.testkit.") || (isLogAtomic && name.equals("io.cordwood.log.Log"));
        return ManagedStrategyGuaranteeKt.forClasses(names).allMethods().treatAsAtomic();
    }

    /** Each thread draws from the operations of its own group. */
    private static ExecutionScenario scenario(final Class<?> structure, final Random random) {
        final List<Method> methods = Arrays.stream(structure.getDeclaredMethods())
                .sorted(Comparator.comparing(Method::getName))
                .toList();
        final TreeSet<String> groups = new TreeSet<>();
        Actor validation = null;
        for (final Method method : methods) {
            final Operation operation = method.getAnnotation(Operation.class);
            if (operation != null) {
                groups.add(operation.nonParallelGroup());
            }
            if (method.isAnnotationPresent(Validate.class)) {
                validation = new Actor(method, List.of());
            }
        }
        final List<List<Actor>> threads = new ArrayList<>();
        for (final String group : groups) {
            final List<Method> own = methods.stream()
                    .filter(method -> method.isAnnotationPresent(Operation.class)
                            && group.equals(
                                    method.getAnnotation(Operation.class).nonParallelGroup()))
                    .toList();
            final List<Actor> actors = new ArrayList<>();
            for (int i = 0; i < ACTORS / groups.size(); i++) {
                final Method method = own.get(random.nextInt(own.size()));
                actors.add(new Actor(
                        method, method.getParameterCount() == 0 ? List.of() : List.of(random.nextInt(ARGUMENTS))));
            }
            threads.add(actors);
        }
        return new ExecutionScenario(List.of(), threads, List.of(), validation);
    }
}
