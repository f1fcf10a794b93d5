package io.cordwood.jmh;

import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * One benchmark with the values of its parameters: what JMH measures in one go.
 *
 * @param benchmark class and method, without the package.
 * @param parameters name and value.
 */
record Subject(String benchmark, SortedMap<String, String> parameters) {
    private static final String PACKAGE = Subject.class.getPackageName() + ".";

    static Subject of(final Class<?> type, final String method, final Map<String, String> parameters) {
        return new Subject(type.getSimpleName() + "." + method, new TreeMap<>(parameters));
    }

    /**
     * What JMH is to include.
     *
     * @return a pattern that fits this benchmark alone.
     */
    String include() {
        return "^" + Pattern.quote(PACKAGE + benchmark) + "$";
    }

    @Override
    public String toString() {
        return benchmark + " " + String.join(" ", parameters.values());
    }
}
