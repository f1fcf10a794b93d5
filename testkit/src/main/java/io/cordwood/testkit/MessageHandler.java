package io.cordwood.testkit;

import org.agrona.DirectBuffer;

/** A node of a {@link SimulatedNetwork}, as the network sees it. */
@FunctionalInterface
public interface MessageHandler {
    /**
     * Takes a message.
     *
     * @param from node that has sent it.
     * @param message as it was when it was sent; the buffer is the receiver's.
     */
    void received(int from, DirectBuffer message);
}
