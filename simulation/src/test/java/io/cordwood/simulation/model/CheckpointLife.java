package io.cordwood.simulation.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.cordwood.log.OffsetCheckpoint;
import io.cordwood.log.PartitionName;
import io.cordwood.simulation.damage.MemoryDisk;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** An offset checkpoint beside a map: what is written is what is read, whatever the names. */
final class CheckpointLife implements Life {
    private static final String CHARACTERS = "abcXYZ0189._-";
    private static final int TOPIC_CHARACTERS_MOST = 249;

    private final Random random;
    private final MemoryDisk disk = new MemoryDisk();
    private final List<String> history = new ArrayList<>();
    private final Map<PartitionName, Long> model = new TreeMap<>();

    CheckpointLife(final long seed) {
        random = new Random(seed);
    }

    @Override
    public List<String> history() {
        return history;
    }

    @Override
    public void step() {
        if (random.nextInt(4) == 0 && !model.isEmpty()) {
            final PartitionName name = List.copyOf(model.keySet()).get(random.nextInt(model.size()));
            history.add("remove " + name);
            model.remove(name);
        } else {
            final PartitionName name = new PartitionName(topic(), random.nextInt(1 << random.nextInt(31)));
            final long offset = random.nextLong() >>> (1 + random.nextInt(63));
            history.add("put " + name + " " + offset);
            model.put(name, offset);
        }
        disk.put(OffsetCheckpoint.RECOVERY_POINTS, OffsetCheckpoint.encode(model));
        assertEquals(model, OffsetCheckpoint.read(disk, "", OffsetCheckpoint.RECOVERY_POINTS));
        model.keySet().forEach(name -> assertEquals(name, PartitionName.parse(name.directory())));
    }

    private String topic() {
        final int length = 1 + random.nextInt(random.nextInt(20) == 0 ? TOPIC_CHARACTERS_MOST : 12);
        final StringBuilder topic = new StringBuilder("t");
        while (topic.length() < length) {
            topic.append(CHARACTERS.charAt(random.nextInt(CHARACTERS.length())));
        }
        return topic.toString();
    }
}
