package io.cordwood.inspector.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.methods;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitCallTarget;
import com.tngtech.archunit.core.domain.JavaCall;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import io.cordwood.inspector.architecture.sample.Banned;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.Lock;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The arrows between modules and packages, and what deciding code must not do: own a thread, a clock, a random source or a file.
 * A rule that finds no class at all fails, and each ban is proven on {@link Banned}, which breaks them all.
 */
class ArchitectureTest {
    private static final String LOG = "io.cordwood.log..";
    private static final String INDEX = "io.cordwood.index..";
    private static final String INSPECTOR = "io.cordwood.inspector..";
    private static final String TESTKIT = "io.cordwood.testkit..";
    private static final String CONTRACTS = "io.cordwood.testkit.contract..";
    private static final String TRANSACTIONS = "io.cordwood.transactions..";
    private static final String[] CORES = {LOG, INDEX, TRANSACTIONS};

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("io.cordwood");

    private static final Pattern SYNCHRONIZED = Pattern.compile("\\bsynchronized\\s*\\(");

    /** Kept apart from the classes above: they are tests. */
    private static final JavaClasses SAMPLE = new ClassFileImporter().importPackages(Banned.class.getPackageName());

    /** By owner and name, whatever the parameters. */
    private static final Set<String> BANNED_METHODS = Set.of(
            "java.lang.System.currentTimeMillis",
            "java.lang.System.nanoTime",
            "java.time.Instant.now",
            "java.time.Clock.systemUTC",
            "java.time.Clock.systemDefaultZone",
            "java.lang.Math.random",
            "java.util.UUID.randomUUID",
            "java.lang.Thread.<init>",
            "java.lang.Thread.start",
            "java.lang.Thread.sleep",
            "java.lang.Object.wait",
            "java.util.concurrent.locks.LockSupport.park",
            "java.util.concurrent.locks.LockSupport.parkNanos",
            "java.util.List.parallelStream",
            "java.nio.charset.Charset.defaultCharset",
            "java.util.Locale.getDefault");

    /** Calls that take the default charset or locale, or a seed of their own, because they do not say which. */
    private static final Set<String> BANNED_SIGNATURES = Set.of(
            "java.lang.String.<init>([B)",
            "java.lang.String.<init>([B, int, int)",
            "java.lang.String.getBytes()",
            "java.lang.String.toLowerCase()",
            "java.lang.String.toUpperCase()",
            "java.lang.String.format(java.lang.String, [Ljava.lang.Object;)",
            "java.lang.String.formatted([Ljava.lang.Object;)",
            "java.io.InputStreamReader.<init>(java.io.InputStream)",
            "java.io.OutputStreamWriter.<init>(java.io.OutputStream)",
            "java.util.Random.<init>()");

    private static final ArchRule NO_WORLD_IN_CORES = noClasses()
            .that(areCore())
            .should()
            .callCodeUnitWhere(isBanned())
            .as("deciding code owns no clock, thread, random source, default charset or locale");

    private static final ArchRule NO_EXECUTORS_IN_CORES = noClasses()
            .that(areCore())
            .should()
            .dependOnClassesThat(assignableTo(Executor.class)
                    .or(assignableTo(Future.class))
                    .or(assignableTo(ThreadLocalRandom.class))
                    .as("executors, futures or a thread's random source"));

    private static final ArchRule NO_THREADS_IN_CORES =
            noClasses().that(areCore()).should().beAssignableTo(Thread.class);

    private static final ArchRule NO_LOCKS_IN_CORES = noClasses()
            .that(areCore())
            .and()
            .doNotHaveFullyQualifiedName("io.cordwood.log.store.OpenFiles")
            .should()
            .dependOnClassesThat(assignableTo(Lock.class));

    private static final ArchRule NO_SYNCHRONIZED_METHODS =
            methods().that().areDeclaredInClassesThat(areCore()).should().notHaveModifier(JavaModifier.SYNCHRONIZED);

    private static final ArchRule NO_FILES_OUTSIDE_THE_STORE = noClasses()
            .that(areCore())
            .and()
            .resideOutsideOfPackage("io.cordwood.log.store")
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.nio.file..")
                    .or(assignableTo(java.io.File.class))
                    .or(assignableTo(java.nio.channels.FileChannel.class))
                    .or(assignableTo(java.io.RandomAccessFile.class))
                    .or(assignableTo(java.io.FileInputStream.class))
                    .or(assignableTo(java.io.FileOutputStream.class)))
            .as("files lie behind the Storage SPI");

    private static final ArchRule NAMES = noClasses()
            .should()
            .haveNameMatching(".*[.$](Abstract[A-Z]\\w*|\\w*(Impl|Manager|Helper))(\\$.*)?")
            .as("no Abstract…, …Impl, …Manager, …Helper");

    @Test
    void theModulesAreAllSeen() {
        for (final String seen : List.of(
                "io.cordwood.log.Log",
                "io.cordwood.log.record.RecordBatchFlyweight",
                "io.cordwood.log.codec.Codec",
                "io.cordwood.log.store.Storage",
                "io.cordwood.index.SparseIndex",
                "io.cordwood.transactions.ProducerState",
                "io.cordwood.testkit.SimulatedStorage",
                "io.cordwood.testkit.CrashExplorer",
                "io.cordwood.testkit.contract.StorageContract",
                "io.cordwood.inspector.Cordwood")) {
            assertTrue(CLASSES.contain(seen), seen);
        }
        assertFalse(CLASSES.contain(ArchitectureTest.class), "tests are not judged");
    }

    @Test
    void theLogKnowsNoSibling() {
        noClasses()
                .that()
                .resideInAPackage(LOG)
                .should()
                .dependOnClassesThat(resideInAPackage("io.cordwood..")
                        .and(resideInAPackage(LOG).negate())
                        .as("siblings"))
                .check(CLASSES);
    }

    @Test
    void anIndexKnowsTheLogAlone() {
        noClasses()
                .that()
                .resideInAPackage(INDEX)
                .should()
                .dependOnClassesThat(resideInAPackage("io.cordwood..")
                        .and(resideInAnyPackage(LOG, INDEX).negate())
                        .as("anything but the log"))
                .check(CLASSES);
    }

    @Test
    void transactionsKnowTheLogAlone() {
        noClasses()
                .that()
                .resideInAPackage(TRANSACTIONS)
                .should()
                .dependOnClassesThat(resideInAPackage("io.cordwood..")
                        .and(resideInAnyPackage(LOG, TRANSACTIONS).negate())
                        .as("anything but the log"))
                .check(CLASSES);
    }

    @Test
    void nobodyKnowsTheEdges() {
        noClasses()
                .that()
                .resideOutsideOfPackage(INSPECTOR)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        INSPECTOR, "picocli..", "com.fasterxml..", "io.cordwood.jmh..", "io.cordwood.simulation..")
                .check(CLASSES);
    }

    @Test
    void theTestkitKnowsTheLogAloneAndNobodyKnowsTheTestkit() {
        noClasses()
                .that()
                .resideInAPackage(TESTKIT)
                .should()
                .dependOnClassesThat(resideInAPackage("io.cordwood..")
                        .and(resideInAnyPackage(LOG, TESTKIT).negate())
                        .as("anything but the log"))
                .check(CLASSES);
        noClasses()
                .that()
                .resideOutsideOfPackage(TESTKIT)
                .should()
                .dependOnClassesThat()
                .resideInAPackage(TESTKIT)
                .check(CLASSES);
    }

    /** Who simulates needs no JUnit, and nothing that is simulated follows from the time or the machine. */
    @Test
    void theTestkitOwnsNothingOfTheWorldAndOnlyItsContractsAreTests() {
        noClasses()
                .that()
                .resideOutsideOfPackage(CONTRACTS)
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("org.junit..", "org.opentest4j..")
                .check(CLASSES);
        final DescribedPredicate<JavaClass> simulated = resideInAPackage(TESTKIT)
                .and(resideInAPackage(CONTRACTS).negate())
                .as("are simulated");
        noClasses().that(simulated).should().callCodeUnitWhere(isBanned()).check(CLASSES);
        noClasses()
                .that(simulated)
                .should()
                .dependOnClassesThat(resideInAnyPackage("java.nio.file..")
                        .or(assignableTo(Executor.class))
                        .or(assignableTo(Thread.class))
                        .or(assignableTo(ThreadLocalRandom.class))
                        .as("files, threads or a thread's random source"))
                .check(CLASSES);
    }

    @Test
    void thePackagesUnderTheLogDoNotKnowIt() {
        noClasses()
                .that()
                .resideInAnyPackage("io.cordwood.log.record..", "io.cordwood.log.codec..", "io.cordwood.log.store..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.cordwood.log")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAPackage("io.cordwood.log.store..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("io.cordwood.log.record..", "io.cordwood.log.codec..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage("io.cordwood.log.record..", "io.cordwood.log.codec..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("io.cordwood.log.store..")
                .check(CLASSES);
    }

    @Test
    void packagesFormNoCycle() {
        slices().matching("io.cordwood.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    void coresOwnNothingOfTheWorld() {
        NO_WORLD_IN_CORES.check(CLASSES);
        NO_EXECUTORS_IN_CORES.check(CLASSES);
        NO_THREADS_IN_CORES.check(CLASSES);
        NO_LOCKS_IN_CORES.check(CLASSES);
        NO_SYNCHRONIZED_METHODS.check(CLASSES);
        NO_FILES_OUTSIDE_THE_STORE.check(CLASSES);
    }

    /** Compiled classes show synchronized methods and hide synchronized blocks, so the sources are read for those. */
    @Test
    void coresDoNotSynchronize() throws IOException {
        final Path root = Path.of(System.getProperty("cordwood.root"));
        int read = 0;
        for (final String module : List.of("log-segment", "index", "transactions")) {
            try (Stream<Path> files = Files.walk(root.resolve(module + "/src/main/java"))) {
                for (final Path file :
                        files.filter(f -> f.toString().endsWith(".java")).toList()) {
                    final String source = Files.readString(file, UTF_8);
                    assertFalse(SYNCHRONIZED.matcher(source).find(), file + " synchronizes");
                    read++;
                }
            }
        }
        assertTrue(read > 50, read + " sources read");
    }

    @Test
    void chronicleStaysInOneClass() {
        final DescribedPredicate<JavaClass> chronicle = resideInAnyPackage("net.openhft..");
        final Set<String> users = CLASSES.stream()
                .filter(c -> c.getDirectDependenciesFromSelf().stream()
                        .anyMatch(dependency -> chronicle.test(dependency.getTargetClass())))
                .map(ArchitectureTest::outermost)
                .collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of("io.cordwood.log.store.Mapping"), users);
        final JavaClass mapping = CLASSES.get("io.cordwood.log.store.Mapping");
        assertTrue(
                mapping.getCodeUnits().stream()
                        .filter(unit -> !unit.getModifiers().contains(JavaModifier.PRIVATE))
                        .noneMatch(unit -> chronicle.test(unit.getRawReturnType())
                                || unit.getRawParameterTypes().stream().anyMatch(chronicle)),
                "a signature of Mapping shows Chronicle's types");
        assertTrue(
                mapping.getFields().stream()
                        .filter(field -> !field.getModifiers().contains(JavaModifier.PRIVATE))
                        .noneMatch(field -> chronicle.test(field.getRawType())),
                "a field of Mapping shows Chronicle's types");
    }

    @Test
    void namesSayWhatThingsAre() {
        NAMES.check(CLASSES);
    }

    /** One above ten is two interfaces. */
    @Test
    void interfacesHaveFewMethods() {
        classes()
                .that()
                .areInterfaces()
                .and()
                .areNotAnnotations()
                .should(haveAtMostMethods(10))
                .check(CLASSES);
    }

    @Test
    void everyPublicTypeLiesInANullMarkedPackage() {
        classes()
                .that()
                .arePublic()
                .should(lieInAPackageMarkedBy(NullMarked.class))
                .check(CLASSES);
    }

    @Test
    void theBansBite() {
        final Set<String> broken = new TreeSet<>();
        for (final ArchRule rule : List.of(
                NO_WORLD_IN_CORES,
                NO_EXECUTORS_IN_CORES,
                NO_THREADS_IN_CORES,
                NO_LOCKS_IN_CORES,
                NO_SYNCHRONIZED_METHODS,
                NO_FILES_OUTSIDE_THE_STORE,
                NAMES)) {
            final List<String> details =
                    rule.evaluate(SAMPLE).getFailureReport().getDetails();
            assertFalse(details.isEmpty(), rule.getDescription());
            broken.addAll(details);
        }
        final String all = String.join("\n", broken);
        for (final String call : BANNED_METHODS) {
            assertTrue(all.contains("<" + call + "("), () -> call + " is not found in\n" + all);
        }
        for (final String call : BANNED_SIGNATURES) {
            assertTrue(all.contains("<" + call + ">"), () -> call + " is not found in\n" + all);
        }
        assertTrue(SYNCHRONIZED.matcher("        synchronized (this) {").find());
        assertFalse(SYNCHRONIZED.matcher(" * never {@code synchronized}").find());
    }

    private static DescribedPredicate<JavaClass> areCore() {
        return resideInAnyPackage(CORES)
                .or(resideInAPackage("io.cordwood.inspector.architecture.sample"))
                .and(DescribedPredicate.describe("no edges", c -> !isEdge(c)))
                .as("are core classes");
    }

    /** Edges may own a thread and a clock, and so may what is nested in them. */
    private static boolean isEdge(final JavaClass c) {
        final String name = outermost(c);
        return name.endsWith("Agent") || name.endsWith("Appender");
    }

    private static String outermost(final JavaClass c) {
        return c.getName().replaceFirst("\\$.*", "");
    }

    private static DescribedPredicate<JavaCall<?>> isBanned() {
        return DescribedPredicate.describe("a banned call", call -> {
            final CodeUnitCallTarget target = call.getTarget();
            return BANNED_METHODS.contains(target.getOwner().getName() + "." + target.getName())
                    || BANNED_SIGNATURES.contains(target.getFullName());
        });
    }

    private static ArchCondition<JavaClass> haveAtMostMethods(final int most) {
        return new ArchCondition<>("have at most " + most + " methods to be implemented") {
            @Override
            public void check(final JavaClass c, final ConditionEvents events) {
                final long methods = c.getAllMethods().stream()
                        .filter(method -> method.getModifiers().contains(JavaModifier.ABSTRACT))
                        .map(method -> method.getName() + method.getRawParameterTypes())
                        .distinct()
                        .count();
                events.add(new SimpleConditionEvent(c, methods <= most, c.getName() + " has " + methods + " methods"));
            }
        };
    }

    private static ArchCondition<JavaClass> lieInAPackageMarkedBy(final Class<? extends Annotation> mark) {
        return new ArchCondition<>("lie in a package with @" + mark.getSimpleName()) {
            @Override
            public void check(final JavaClass c, final ConditionEvents events) {
                final boolean isMarked = c.getPackage()
                        .tryGetPackageInfo()
                        .map(info -> info.isAnnotatedWith(mark))
                        .orElse(false);
                events.add(new SimpleConditionEvent(c, isMarked, c.getName() + " lies in " + c.getPackageName()));
            }
        };
    }
}
