package io.cordwood.inspector;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.CleanShutdownMarker;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionCells;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.log.store.Storage;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Holds the tables of {@code docs/FORMAT.md} to the classes that they name: every row to a constant, every constant that is not
 * private to a row, and where a table has lengths, each field to the next.
 */
class FormatDocumentTest {
    private static final Pattern HELD_BY = Pattern.compile("\\*Held by `([\\w.]+)`.*");
    private static final Pattern ROW = Pattern.compile("\\| ([^|]+) \\|(.*)\\| `(\\w+)` \\|");

    private record Row(String value, List<String> cells, String constant) {}

    private record Table(String owner, List<Row> rows) {}

    @Test
    void everyRowIsAConstantAndEveryConstantARow() throws Exception {
        final Map<String, Set<String>> documented = new TreeMap<>();
        int rows = 0;
        for (final Table table : tables()) {
            final Class<?> owner = Class.forName(table.owner());
            assertTrue(!table.rows().isEmpty(), "a table of " + table.owner() + " has no rows");
            for (final Row row : table.rows()) {
                final String where = owner.getSimpleName() + "." + row.constant();
                assertEquals(value(owner, row.constant()), number(row.value()), where);
                assertTrue(
                        documented
                                .computeIfAbsent(table.owner(), o -> new TreeSet<>())
                                .add(row.constant()),
                        where + " has two rows");
                rows++;
            }
        }
        for (final Map.Entry<String, Set<String>> entry : documented.entrySet()) {
            assertEquals(constants(Class.forName(entry.getKey())), entry.getValue(), entry.getKey());
        }
        assertEquals(13, documented.size(), documented::toString);
        assertTrue(rows > 60, rows + " rows");
    }

    @Test
    void fieldsFollowEachOther() throws IOException {
        int tables = 0;
        for (final Table table : tables()) {
            final List<Row> rows = table.rows();
            if (rows.get(0).cells().get(0).matches("\\d+")) {
                for (int i = 1; i < rows.size(); i++) {
                    final long end = Long.parseLong(rows.get(i - 1).value())
                            + Long.parseLong(rows.get(i - 1).cells().get(0));
                    assertEquals(end, Long.parseLong(rows.get(i).value()), table.owner() + " " + rows.get(i));
                }
                tables++;
            }
        }
        assertEquals(3, tables);
    }

    @Test
    void linksInsideTheDocumentLeadToAHeading() throws IOException {
        final Set<String> anchors = new TreeSet<>();
        final Set<String> links = new TreeSet<>();
        for (final String line : lines()) {
            if (line.startsWith("## ")) {
                anchors.add(line.substring(3)
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 -]", "")
                        .replace(' ', '-'));
            }
            final Matcher link = Pattern.compile("\\]\\(#([^)]+)\\)").matcher(line);
            while (link.find()) {
                links.add(link.group(1));
            }
        }
        assertEquals(anchors, union(anchors, links));
        assertTrue(links.size() > 10, links::toString);
    }

    /** The files of the data directory as the document shows them: they are believed, and written in the same way. */
    @Test
    void theDataDirectoryOfTheDocumentOpensCleanly(@TempDir final Path scratch) throws IOException {
        final Matcher shown = Pattern.compile("\\*\\*`([.\\w-]+)`\\*\\*[^`]*(?:`[^`]+`[^`]*)*?```\\n([^`]*)\\n```")
                .matcher(text());
        final Map<String, String> files = new TreeMap<>();
        while (shown.find()) {
            final boolean isOfLines = !shown.group(1).equals(CleanShutdownMarker.FILE);
            files.put(shown.group(1), shown.group(2) + (isOfLines ? "\n" : ""));
            Files.writeString(scratch.resolve(shown.group(1)), files.get(shown.group(1)));
        }
        assertEquals(
                Set.of(CleanShutdownMarker.FILE, MetaProperties.FILE, OffsetCheckpoint.RECOVERY_POINTS),
                files.keySet());
        final PartitionName orders = new PartitionName("orders", 1);
        Files.createDirectory(scratch.resolve(orders.directory()));
        for (final String marked : List.of("delete", "future", "stray")) {
            final Matcher name =
                    Pattern.compile("orders-\\d\\.[0-9a-f]{32}-" + marked).matcher(text());
            assertTrue(name.find(), marked);
            assertEquals(
                    "orders",
                    Objects.requireNonNull(PartitionName.parseMarked(name.group()))
                            .topic());
        }
        try (Storage storage = new DiskStorage(scratch)) {
            final SortedMap<PartitionName, Long> points =
                    OffsetCheckpoint.read(storage, "", OffsetCheckpoint.RECOVERY_POINTS);
            assertEquals(
                    files.get(OffsetCheckpoint.RECOVERY_POINTS),
                    new String(OffsetCheckpoint.encode(Objects.requireNonNull(points)), UTF_8));
            try (LogDirectory directory = LogDirectory.open(storage, DirectoryConfig.defaults())) {
                assertEquals(List.of(), directory.findings());
                assertTrue(directory.wasClean());
                assertEquals(List.of(orders), directory.names());
                assertEquals(
                        new MetaProperties(1, "ZrOfjqCuSOiRU83UrIXx1g", 1, "Pd8NlKSIZ4yDrhO3M0WYhg"),
                        directory.properties());
                final PartitionCells cells = directory.open(orders, (partition, builder) -> true, 1);
                assertEquals(Long.MAX_VALUE, Objects.requireNonNull(cells).recoveryPoint());
            }
        }
        // Put back as it was.
        assertEquals(files.get(CleanShutdownMarker.FILE), Files.readString(scratch.resolve(CleanShutdownMarker.FILE)));
    }

    private static List<Table> tables() throws IOException {
        final List<Table> tables = new ArrayList<>();
        boolean isHeld = false;
        for (final String line : lines()) {
            final Matcher heldBy = HELD_BY.matcher(line);
            final Matcher row = ROW.matcher(line);
            if (heldBy.matches()) {
                tables.add(new Table(heldBy.group(1), new ArrayList<>()));
                isHeld = true;
            } else if (isHeld && row.matches()) {
                final List<String> cells = List.of(row.group(2).split("\\|", -1)).stream()
                        .map(String::trim)
                        .toList();
                tables.get(tables.size() - 1).rows().add(new Row(row.group(1).trim(), cells, row.group(3)));
            } else if (!line.isEmpty() && !line.startsWith("|")) {
                isHeld = false;
            } else if (isHeld && line.startsWith("|") && !line.startsWith("|--") && !line.endsWith("| constant |")) {
                throw new AssertionError("a row that is held by nobody: " + line);
            }
        }
        return tables;
    }

    static String text() throws IOException {
        return String.join("\n", lines());
    }

    private static List<String> lines() throws IOException {
        return Files.readAllLines(Path.of(System.getProperty("cordwood.root"), "docs/FORMAT.md"), UTF_8);
    }

    private static String number(final String text) {
        return text.startsWith("0x") ? Integer.decode(text).toString() : text.replace("`", "");
    }

    private static String value(final Class<?> owner, final String constant) throws ReflectiveOperationException {
        final Field field = owner.getDeclaredField(constant);
        field.setAccessible(true);
        final Object value = field.get(null);
        assertTrue(value != null, owner.getSimpleName() + "." + constant + " is null");
        if (value instanceof Enum) {
            return String.valueOf(owner.getMethod("id").invoke(value));
        }
        return String.valueOf(value);
    }

    /** Names of what the document must list: an enum's constants, or what is not private in another class. */
    private static Set<String> constants(final Class<?> owner) {
        final Set<String> names = new TreeSet<>();
        for (final Field field : owner.getDeclaredFields()) {
            final int modifiers = field.getModifiers();
            final boolean isPlain = field.getType().isPrimitive() || field.getType() == String.class;
            if (owner.isEnum()
                    ? field.isEnumConstant()
                    : isPlain
                            && Modifier.isStatic(modifiers)
                            && Modifier.isFinal(modifiers)
                            && !Modifier.isPrivate(modifiers)) {
                names.add(field.getName());
            }
        }
        return names;
    }

    private static Set<String> union(final Set<String> one, final Set<String> other) {
        final Set<String> both = new TreeSet<>(one);
        both.addAll(other);
        return both;
    }
}
