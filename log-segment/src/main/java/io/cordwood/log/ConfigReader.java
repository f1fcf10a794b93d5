package io.cordwood.log;

import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Takes typed values out of properties, each with its default and range, and refuses what nobody took. The order of the calls
 * is the table of settings; there is no second one.
 */
final class ConfigReader {
    private final SortedMap<String, String> left;
    private final SortedMap<String, String> read = new TreeMap<>();

    ConfigReader(final Map<String, String> properties) {
        this.left = new TreeMap<>(properties);
    }

    int intOf(final String name, final int byDefault, final int min, final int max) {
        return (int) longOf(name, byDefault, min, max);
    }

    long longOf(final String name, final long byDefault, final long min, final long max) {
        final String text = take(name, Long.toString(byDefault));
        final long value;
        try {
            value = Long.parseLong(text);
        } catch (final NumberFormatException notANumber) {
            throw refusal(name, text, min, max);
        }
        if (value < min || value > max) {
            throw refusal(name, text, min, max);
        }
        read.put(name, Long.toString(value));
        return value;
    }

    boolean booleanOf(final String name, final boolean byDefault) {
        final String text = take(name, Boolean.toString(byDefault));
        final boolean value = text.equalsIgnoreCase("true");
        if (!value && !text.equalsIgnoreCase("false")) {
            throw new ConfigException(name, text, "it must be true or false");
        }
        read.put(name, Boolean.toString(value));
        return value;
    }

    /** Reads one of some words, and returns its place among them. The first is the default. */
    int choiceOf(final String name, final String... choices) {
        final String text = take(name, choices[0]);
        final int choice = Arrays.asList(choices).indexOf(text);
        if (choice < 0) {
            throw new ConfigException(name, text, "it must be one of " + String.join(", ", choices));
        }
        read.put(name, text);
        return choice;
    }

    /** Reads a word without judging it. */
    String wordOf(final String name, final String byDefault) {
        final String text = take(name, byDefault);
        read.put(name, text);
        return text;
    }

    /** Gives a property that has two names its first one; the second one wins, if both are there. */
    void alias(final String name, final String other) {
        final String value = left.remove(other);
        if (value != null) {
            left.put(name, value);
        }
    }

    /** Refuses what was not read, and returns everything that was, defaults included. */
    SortedMap<String, String> finish() {
        if (!left.isEmpty()) {
            final String name = left.firstKey();
            throw new ConfigException(
                    name,
                    left.get(name) + "",
                    "there is no such setting; known are " + String.join(", ", read.keySet()));
        }
        return Collections.unmodifiableSortedMap(read);
    }

    private String take(final String name, final String byDefault) {
        final String given = left.remove(name);
        return given == null ? byDefault : given.trim();
    }

    private static ConfigException refusal(final String name, final String text, final long min, final long max) {
        return new ConfigException(name, text, "it must be a whole number from " + min + " to " + max);
    }
}
