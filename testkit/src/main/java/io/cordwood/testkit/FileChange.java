package io.cordwood.testkit;

/** One change of a file that is not durable yet. Immutable. */
final class FileChange {
    private static final int BLOCK_BYTES = 4096;

    private final int act;
    private final long position;
    private final byte[] sectors;
    private final long sizeBefore;
    private final long sizeAfter;
    private final long modifiedMs;

    /**
     * Creates the change.
     *
     * @param act number of the act.
     * @param position of the first sector that it changed.
     * @param sectors whole sectors, as they were after it; empty if it only moved the end of the file.
     * @param sizeBefore length of the file before it.
     * @param sizeAfter length of the file after it.
     * @param modifiedMs when it happened.
     */
    FileChange(
            final int act,
            final long position,
            final byte[] sectors,
            final long sizeBefore,
            final long sizeAfter,
            final long modifiedMs) {
        this.act = act;
        this.position = position;
        this.sectors = sectors;
        this.sizeBefore = sizeBefore;
        this.sizeAfter = sizeAfter;
        this.modifiedMs = modifiedMs;
    }

    /** The same without bytes. */
    FileChange lengthAlone() {
        return new FileChange(act, position, new byte[0], sizeBefore, sizeAfter, modifiedMs);
    }

    int act() {
        return act;
    }

    long sizeBefore() {
        return sizeBefore;
    }

    long sizeAfter() {
        return sizeAfter;
    }

    long modifiedMs() {
        return modifiedMs;
    }

    boolean isResize() {
        return sizeAfter != sizeBefore;
    }

    boolean isCut() {
        return sizeAfter < sizeBefore;
    }

    /** Where the blocks begin that a cut takes from the file: what is written there afterwards lies in other blocks. */
    long freedFrom() {
        return blockEnd(sizeAfter);
    }

    /** End of the last block of a file of that size. */
    static long blockEnd(final long size) {
        return (size + BLOCK_BYTES - 1) & -BLOCK_BYTES;
    }

    int sectorCount() {
        return sectors.length / Image.SECTOR_BYTES;
    }

    long positionOf(final int sector) {
        return position + (long) sector * Image.SECTOR_BYTES;
    }

    /** Copies the first bytes of a sector. */
    void copySector(final int sector, final int length, final byte[] target) {
        System.arraycopy(sectors, sector * Image.SECTOR_BYTES, target, (int) positionOf(sector), length);
    }
}
