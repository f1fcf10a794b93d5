package io.cordwood.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.server.util.Scheduler;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

/**
 * Opens and closes Kafka's log for the benchmarks. Old segments are deleted at once, by another thread, which also frees ours;
 * what Kafka would force to disk in the background at a roll is left out, since ours forces nothing there either.
 */
final class KafkaPeer {
    private final LogConfig config;
    private final Scheduler scheduler = new UnforcedScheduler();
    private final BrokerTopicStats statistics = new BrokerTopicStats();
    private final ProducerStateManagerConfig producers =
            new ProducerStateManagerConfig((int) TimeUnit.DAYS.toMillis(1), false);
    private final LogDirFailureChannel failures = new LogDirFailureChannel(1);

    /**
     * What the logs of a broker have in common.
     *
     * @param topic properties of every topic.
     */
    KafkaPeer(final Map<String, ?> topic) {
        final Properties properties = new Properties();
        topic.forEach((name, value) -> properties.put(name, value.toString()));
        config = new LogConfig(properties);
    }

    /**
     * Opens a log.
     *
     * @param directory named as a topic and a partition; made if missing.
     * @param topic properties of the topic.
     * @return the log, to be closed with {@link #close}.
     * @throws IOException Kafka's own.
     */
    static UnifiedLog open(final Path directory, final Map<String, ?> topic) throws IOException {
        Files.createDirectories(directory);
        return new KafkaPeer(topic).open(directory, true);
    }

    /**
     * Opens a log that is there.
     *
     * @param directory named as a topic and a partition.
     * @param wasClean whether the log was closed; else all of it is scanned.
     * @return the log, to be closed with {@link #close}.
     * @throws IOException Kafka's own.
     */
    UnifiedLog open(final Path directory, final boolean wasClean) throws IOException {
        return UnifiedLog.create(
                directory.toFile(),
                config,
                0L,
                0L,
                scheduler,
                statistics,
                Time.SYSTEM,
                (int) TimeUnit.MINUTES.toMillis(5),
                producers,
                (int) TimeUnit.MINUTES.toMillis(10),
                failures,
                wasClean,
                Optional.empty());
    }

    /**
     * Closes a log so that it opens again without a scan.
     *
     * @param log to be closed.
     */
    static void close(final UnifiedLog log) {
        log.prepareActiveSegmentForClose();
        log.close();
        Deletions.finish();
    }

    private static final class UnforcedScheduler implements Scheduler {
        @Override
        public void startup() {}

        @Override
        public void shutdown() {}

        @Override
        public ScheduledFuture<?> schedule(
                final String name, final Runnable task, final long delayMs, final long periodMs) {
            final ScheduledTask scheduled = new ScheduledTask(task);
            if (name.startsWith("delete")) {
                Deletions.add(() -> {
                    scheduled.run();
                    return scheduled.get();
                });
            }
            return scheduled;
        }

        @Override
        public void resizeThreadPool(final int threads) {}
    }

    /** Kafka keeps one of these to cancel it at close. */
    private static final class ScheduledTask extends FutureTask<Void> implements ScheduledFuture<Void> {
        ScheduledTask(final Runnable task) {
            super(task, null);
        }

        @Override
        public long getDelay(final TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(final Delayed other) {
            return 0;
        }
    }
}
