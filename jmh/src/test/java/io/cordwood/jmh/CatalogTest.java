package io.cordwood.jmh;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
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

    private static void assertIsBenchmark(final Subject subject) throws Exception {
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
        final Set<String> parameters = new TreeSet<>();
        for (final Class<?> state : methods.get(0).getParameterTypes()) {
            for (final Field field : state.getFields()) {
                if (field.isAnnotationPresent(Param.class)) {
                    parameters.add(field.getName());
                    assertTakes(field, subject.parameters());
                }
            }
        }
        assertEquals(parameters, subject.parameters().keySet(), subject.toString());
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
