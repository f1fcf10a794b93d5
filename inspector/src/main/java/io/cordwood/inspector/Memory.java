package io.cordwood.inspector;

/** How much the commands may hold, from the heap that the JVM was given. */
final class Memory {
    private static final int LEAST = 4 << 20;
    private static final int MOST = 256 << 20;

    private Memory() {}

    /** A batch in memory: an eighth of the heap, from 4 to 256 MiB. */
    static int batchBytesMax() {
        return share(8);
    }

    /** Records of a batch, decompressed: a quarter of the heap, from 4 to 256 MiB. */
    static int decompressedBytesMax() {
        return share(4);
    }

    /** An index file that is read at once: a third of the heap, from 4 to 256 MiB; Kafka's default is 10 MiB. */
    static int indexBytesMax() {
        return share(3);
    }

    private static int share(final int part) {
        return (int) Math.max(LEAST, Math.min(MOST, Runtime.getRuntime().maxMemory() / part));
    }
}
