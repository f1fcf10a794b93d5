package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;

/** The table asks for benchmarks by name: each must be there, and take the parameters that it is given. */
final class CatalogTest {
    @Test
    void everySubjectIsABenchmarkWithItsParameters() throws Exception {
        final List<Comparison> rows = Catalog.comparisons();
        assertFalse(rows.isEmpty());
        for (final Comparison row : rows) {
            for (final Subject subject : row.subjects()) {
                assertIsBenchmark(subject);
            }
            for (final Comparison.Peer peer : row.peers()) {
                // A peer may lack what we have to say, such as a codec, but does not do other work.
                final Map<String, String> common = new TreeMap<>(peer.subject().parameters());
                common.keySet().retainAll(row.ours().parameters().keySet());
                final Map<String, String> ours = new TreeMap<>(row.ours().parameters());
                ours.keySet().retainAll(common.keySet());
                assertEquals(ours, common, row.work());
                assertEquals(common.keySet(), peer.subject().parameters().keySet(), row.work());
            }
        }
    }

    @Test
    void noTwoRowsSayTheSame() {
        final List<Comparison> rows = Catalog.comparisons();
        final Set<String> works = new HashSet<>();
        final Set<Subject> ours = new HashSet<>();
        for (final Comparison row : rows) {
            assertTrue(works.add(row.work()), row.work());
            assertTrue(ours.add(row.ours()), row.work());
        }
    }

    @Test
    void eachGroupHasRowsInAQuickRunToo() throws Exception {
        final BenchOptions quick = BenchOptions.parse("--quick");
        for (final Comparison row : Catalog.comparisons()) {
            assertTrue(
                    Catalog.comparisons().stream()
                            .filter(quick::includes)
                            .anyMatch(other -> other.group().equals(row.group())),
                    row.group());
        }
    }

    @Test
    void whoSetsThePaceComesFirstAndIsNotPacedHimself() throws Exception {
        final BenchOptions quick = BenchOptions.parse("--quick");
        final Set<Subject> peaks = new HashSet<>();
        final Set<Subject> paced = new HashSet<>();
        for (final Comparison row : Catalog.comparisons()) {
            if (row.peak() != null) {
                assertEquals(row.peak(), row.subjects().get(0), row.work());
                assertEquals(row.peak(), quick.subjects(row).get(0), row.work());
                peaks.add(row.peak());
                paced.addAll(row.subjects().subList(1, row.subjects().size()));
            }
        }
        assertFalse(paced.isEmpty());
        paced.retainAll(peaks);
        assertEquals(Set.of(), paced);
    }

    /** One without a pace would fail as soon as it is run; one with a pace that it does not ask for would be measured as if. */
    @Test
    void whatIsPacedAsksForAPace() throws Exception {
        for (final Comparison row : Catalog.comparisons()) {
            for (final Subject subject : row.subjects()) {
                final boolean asks =
                        Arrays.asList(benchmark(subject).getParameterTypes()).contains(Pace.Fixed.class);
                assertEquals(row.peak() != null && !subject.equals(row.peak()), asks, subject.toString());
            }
        }
    }

    @Test
    void goalsOnPercentilesAreOnWhatIsTimed() throws Exception {
        final Set<String> labels = Set.copyOf(LatencyProfiler.COMPARED);
        int goals = 0;
        for (final Comparison row : Catalog.comparisons()) {
            final Map<Subject, Map<String, Double>> wanted = new HashMap<>();
            row.peers().forEach(peer -> wanted.put(peer.subject(), peer.percentiles()));
            if (row.floor() != null) {
                wanted.put(row.floor().subject(), row.floor().percentiles());
            }
            for (final Map.Entry<Subject, Map<String, Double>> one : wanted.entrySet()) {
                goals += one.getValue().size();
                assertTrue(labels.containsAll(one.getValue().keySet()), row.work());
                for (final Subject subject :
                        one.getValue().isEmpty() ? List.<Subject>of() : List.of(one.getKey(), row.ours())) {
                    assertTrue(
                            Arrays.stream(benchmark(subject).getParameterTypes())
                                    .anyMatch(Pace.class::isAssignableFrom),
                            subject.toString());
                }
            }
        }
        assertTrue(goals > 0);
    }

    static void assertIsBenchmark(final Subject subject) throws Exception {
        final Set<String> parameters = new TreeSet<>();
        for (final Class<?> state : benchmark(subject).getParameterTypes()) {
            for (final Field field : state.getFields()) {
                if (field.isAnnotationPresent(Param.class)) {
                    parameters.add(field.getName());
                    assertTakes(field, subject.parameters());
                }
            }
        }
        assertEquals(parameters, subject.parameters().keySet(), subject.toString());
    }

    private static Method benchmark(final Subject subject) throws Exception {
        final int dot = subject.benchmark().indexOf('.');
        final Class<?> type =
                Class.forName("io.cordwood.jmh." + subject.benchmark().substring(0, dot));
        final List<Method> methods = new ArrayList<>();
        for (final Method method : type.getMethods()) {
            if (method.getName().equals(subject.benchmark().substring(dot + 1))
                    && method.isAnnotationPresent(Benchmark.class)) {
                methods.add(method);
            }
        }
        assertEquals(1, methods.size(), subject.toString());
        return methods.get(0);
    }

    private static void assertTakes(final Field field, final Map<String, String> given) {
        if (!field.getType().isEnum()) {
            return;
        }
        final List<String> values = Arrays.stream(field.getType().getEnumConstants())
                .map(constant -> ((Enum<?>) constant).name())
                .toList();
        assertTrue(values.contains(given.get(field.getName())), () -> field + " takes " + values);
    }
}
