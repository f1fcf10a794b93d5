package io.cordwood.inspector;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What the name of a partition directory says.
 *
 * @param topic name of the topic.
 * @param partition number of the partition.
 */
record PartitionName(String topic, int partition) {
    /** The second form is that of a partition that is being deleted, moved or was found to be nobody's. */
    private static final Pattern FORM = Pattern.compile("(.+)-(\\d{1,9})(?:\\.[0-9a-f]{32}-(?:delete|future|stray))?");

    static @Nullable PartitionName parse(final String folder) {
        final Matcher matcher = FORM.matcher(folder);
        return matcher.matches() ? new PartitionName(matcher.group(1), Integer.parseInt(matcher.group(2))) : null;
    }
}
