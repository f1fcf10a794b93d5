package io.cordwood.inspector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tests that {@code docs/GUARANTEES.md} names are there. */
final class GuaranteesDocumentTest {
    private static final Pattern NAMED = Pattern.compile("`(\\w+Test)\\.(\\w+)`");
    private static final Pattern TEST =
            Pattern.compile("@(?:Test|ParameterizedTest)\\s[^{]*?(?:\\{[^}]*}[^{]*?)?void (\\w+)\\(");

    private static Map<String, String> sources() throws IOException {
        final Map<String, String> sources = new TreeMap<>();
        final Path root = Path.of(System.getProperty("cordwood.root"));
        for (final String module : List.of("log-segment", "index", "inspector", "testkit", "simulation")) {
            try (Stream<Path> files = Files.walk(root.resolve(module).resolve("src/test/java"))) {
                for (final Path file :
                        files.filter(f -> f.toString().endsWith("Test.java")).toList()) {
                    final String name = String.valueOf(file.getFileName());
                    sources.put(name.substring(0, name.length() - ".java".length()), Files.readString(file, UTF_8));
                }
            }
        }
        return sources;
    }

    @Test
    void everyTestThatIsNamedIsThere() throws IOException {
        final Map<String, String> sources = sources();
        final String document =
                Files.readString(Path.of(System.getProperty("cordwood.root"), "docs/GUARANTEES.md"), UTF_8);
        final List<String> missing = new ArrayList<>();
        final Set<String> named = new TreeSet<>();
        final Matcher name = NAMED.matcher(document);
        while (name.find()) {
            named.add(name.group());
            final Set<String> tests = new TreeSet<>();
            final Matcher test = TEST.matcher(sources.getOrDefault(name.group(1), ""));
            while (test.find()) {
                tests.add(test.group(1));
            }
            if (!tests.contains(name.group(2))) {
                missing.add(name.group());
            }
        }
        assertEquals(List.of(), missing);
        assertTrue(named.size() > 30, named::toString);
    }
}
