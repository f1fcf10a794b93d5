package io.cordwood.inspector.architecture.sample;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/** Breaks every ban of the architecture. Never run. */
@SuppressWarnings({"DefaultCharset", "JavaTimeDefaultTimeZone", "StringCaseLocaleUsage"})
public final class Banned {
    private Banned() {}

    static final class SampleManager extends Thread {}

    static Object clocks() {
        return List.of(
                System.currentTimeMillis(),
                System.nanoTime(),
                Instant.now(),
                Clock.systemUTC(),
                Clock.systemDefaultZone());
    }

    static Object randomness() {
        return List.of(Math.random(), UUID.randomUUID(), ThreadLocalRandom.current(), new Random());
    }

    static synchronized Object threads() throws InterruptedException {
        final Thread thread = new Thread(Banned::randomness);
        thread.start();
        Thread.sleep(1);
        thread.wait();
        LockSupport.park();
        LockSupport.parkNanos(1);
        new ReentrantLock().lock();
        return List.of(
                Executors.newCachedThreadPool(), CompletableFuture.runAsync(thread), List.of(thread).parallelStream());
    }

    static Object defaults(final byte[] bytes) throws IOException {
        return List.of(
                Charset.defaultCharset(),
                Locale.getDefault(),
                new String(bytes),
                new String(bytes, 0, 1),
                "a".getBytes(),
                "a".toLowerCase(),
                "a".toUpperCase(),
                String.format("%s", "a"),
                "%s".formatted("a"),
                new InputStreamReader(System.in),
                new OutputStreamWriter(System.out),
                Files.exists(Path.of("a")));
    }
}
