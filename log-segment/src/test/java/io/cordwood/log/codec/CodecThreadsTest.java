package io.cordwood.log.codec;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class CodecThreadsTest {
    private static final int THREADS = 16;
    private static final int BATCHES = 10_000;

    /** Each batch is compressed on one thread and goes on with its buffer on another, while the first begins the next. */
    @Test
    @Timeout(60)
    void b88_contextsAreNeverCarriedOverToAnotherThread() throws InterruptedException {
        final LinkedBlockingQueue<Batch> handedOver = new LinkedBlockingQueue<>(64);
        final Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            final int first = i / 2;
            final boolean isWriter = i % 2 == 0;
            final Thread thread = new Thread(() -> run(isWriter, first, handedOver, failures));
            threads.add(thread);
            thread.start();
        }
        for (final Thread thread : threads) {
            thread.join();
        }
        assertEquals(List.of(), List.copyOf(failures));
    }

    private static void run(
            final boolean isWriter,
            final int first,
            final LinkedBlockingQueue<Batch> handedOver,
            final Queue<Throwable> failures) {
        try {
            // The first failure ends all threads: none is left waiting for a batch that never comes.
            for (int number = first; number < BATCHES && failures.isEmpty(); number += THREADS / 2) {
                if (isWriter) {
                    final Batch batch = write(number);
                    while (failures.isEmpty() && !handedOver.offer(batch, 10, TimeUnit.MILLISECONDS)) {
                        Thread.onSpinWait();
                    }
                } else {
                    Batch batch = null;
                    while (failures.isEmpty() && batch == null) {
                        batch = handedOver.poll(10, TimeUnit.MILLISECONDS);
                    }
                    if (batch != null) {
                        verify(batch);
                    }
                }
            }
        } catch (final InterruptedException | RuntimeException | AssertionError e) {
            failures.add(e);
        }
    }

    private static Batch write(final int number) {
        final CompressionType type = Objects.requireNonNull(CompressionType.forId(1 + number % 4));
        final byte[] content = CodecSamples.content(number / 4, 200 + number % 1800);
        final CodecBuffer compressed = new CodecBuffer(10_000);
        Codecs.standard()
                .of(type)
                .compress(new UnsafeBuffer(content), 0, content.length, CompressionType.DEFAULT_LEVEL, compressed);
        return new Batch(type, content, compressed);
    }

    private static void verify(final Batch batch) {
        final CodecBuffer back = new CodecBuffer(batch.content.length);
        final CodecBuffer from = batch.compressed;
        Codecs.standard().of(batch.type).decompress(from.buffer(), 0, from.length(), CodecSamples.MAGIC_2, back);
        if (!Arrays.equals(batch.content, CodecSamples.bytes(back))) {
            throw new AssertionError("other content from " + batch.type);
        }
    }

    private static final class Batch {
        final CompressionType type;
        final byte[] content;
        final CodecBuffer compressed;

        Batch(final CompressionType type, final byte[] content, final CodecBuffer compressed) {
            this.type = type;
            this.content = content;
            this.compressed = compressed;
        }
    }
}
