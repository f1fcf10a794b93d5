package io.cordwood.simulation.damage;

import java.util.Arrays;

/** A batch where it lies. */
final class PlacedBatch {
    private final String path;
    private final int position;
    private final long baseOffset;
    private final long[] timestamps;
    private final byte[] bytes;

    PlacedBatch(
            final String path, final int position, final long baseOffset, final long[] timestamps, final byte[] bytes) {
        this.path = path;
        this.position = position;
        this.baseOffset = baseOffset;
        this.timestamps = timestamps;
        this.bytes = bytes;
    }

    String path() {
        return path;
    }

    int position() {
        return position;
    }

    int end() {
        return position + bytes.length;
    }

    long baseOffset() {
        return baseOffset;
    }

    long lastOffset() {
        return baseOffset + timestamps.length - 1;
    }

    /** One for each record; not to be changed. */
    long[] timestamps() {
        return timestamps;
    }

    long maxTimestamp() {
        return Arrays.stream(timestamps).max().orElseThrow();
    }

    /** Not to be changed. */
    byte[] bytes() {
        return bytes;
    }
}
