package io.cordwood.jmh;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.function.Consumer;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/** A connection over the loopback device whose other end a thread of its own drains, as fast as it can. */
final class SocketSink implements AutoCloseable {
    private static final int DRAINED_BYTES = 1 << 20;

    private final SocketChannel near;
    private final SocketChannel far;
    private final Consumer<ByteBuffer> taker;
    private final Thread thread = new Thread(this::drain, "sink");
    private volatile @Nullable Throwable failure;
    private long drained;

    /**
     * Connects, and begins to drain.
     *
     * @param taker of the bytes, on the sink's thread.
     */
    SocketSink(final Consumer<ByteBuffer> taker) {
        this.taker = taker;
        try (ServerSocketChannel server = ServerSocketChannel.open()) {
            server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            near = SocketChannel.open(server.getLocalAddress());
            far = server.accept();
        } catch (final IOException e) {
            throw new UncheckedIOException(e);
        }
        thread.setDaemon(true);
        thread.start();
    }

    /** The end to send into: it blocks while the other one has no room. */
    SocketChannel channel() {
        return near;
    }

    private void drain() {
        final ByteBuffer buffer = ByteBuffer.allocateDirect(DRAINED_BYTES);
        // Closed, so that nobody waits for room who sends to a sink that has failed.
        try (far) {
            while (far.read(buffer.clear()) >= 0) {
                drained += buffer.position();
                taker.accept(buffer.flip());
            }
        } catch (final IOException | RuntimeException | Error e) {
            failure = e;
        }
    }

    /**
     * Hangs up, and waits until all is drained.
     *
     * @param sent bytes.
     * @throws IllegalStateException if the sink has failed or came by other bytes.
     */
    void close(final long sent) {
        close();
        if (failure != null) {
            throw new IllegalStateException("the sink has failed", Objects.requireNonNull(failure));
        }
        if (drained != sent) {
            throw new IllegalStateException("sent were " + sent + " bytes, drained " + drained);
        }
    }

    @Override
    public void close() {
        CloseHelper.close(near);
        try {
            thread.join();
        } catch (final InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
