package io.cordwood.log.store;

/**
 * How much a {@link DiskStorage} may hold open and keep in memory.
 *
 * @param stagingBytes first size of the memory in which a file for appending gathers what is claimed, 4 KiB or more.
 * @param stagingBytesMax most that one file may gather before it publishes; a larger claim is refused.
 * @param filesMax files that are held open for reading at once; the least recently read are closed. Never more than half of
 *     what the process is allowed.
 * @param mappingsMax files that are held mapped for looking up at once; the least recently used are unmapped.
 * @param reserveBytes disk that a mapped file reserves in one step, a multiple of 4 KiB. Smaller than the default of 2 MiB
 *     is for tests.
 */
public record DiskOptions(int stagingBytes, int stagingBytesMax, int filesMax, int mappingsMax, int reserveBytes) {
    private static final int PAGE_BYTES = 4096;
    private static final DiskOptions DEFAULTS = new DiskOptions(64 << 10, 1 << 30, 2_000, 8_000, 2 << 20);

    /**
     * Checks each value against its limits.
     *
     * @param stagingBytes first size of the memory in which a file gathers what is claimed.
     * @param stagingBytesMax most that one file may gather.
     * @param filesMax files that are held open for reading at once.
     * @param mappingsMax files that are held mapped for looking up at once.
     * @param reserveBytes disk that a mapped file reserves in one step.
     */
    public DiskOptions {
        check("stagingBytes", stagingBytes, PAGE_BYTES, 1 << 30);
        check("stagingBytesMax", stagingBytesMax, stagingBytes, 1 << 30);
        check("filesMax", filesMax, 1, Integer.MAX_VALUE);
        check("mappingsMax", mappingsMax, 1, Integer.MAX_VALUE);
        check("reserveBytes", reserveBytes, PAGE_BYTES, 1 << 30);
        if (reserveBytes % PAGE_BYTES != 0) {
            throw new IllegalArgumentException("reserveBytes is " + reserveBytes + ", no multiple of " + PAGE_BYTES);
        }
    }

    /**
     * The defaults: 64 KiB and 1 GiB of staging, 2,000 files, 8,000 mappings, 2 MiB a reservation.
     *
     * @return the defaults.
     */
    public static DiskOptions defaults() {
        return DEFAULTS;
    }

    /**
     * Changes the staging memory.
     *
     * @param first size at the first claim.
     * @param max most that one file may gather.
     * @return changed options.
     */
    public DiskOptions withStagingBytes(final int first, final int max) {
        return new DiskOptions(first, max, filesMax, mappingsMax, reserveBytes);
    }

    /**
     * Changes the number of files.
     *
     * @param max files held open for reading.
     * @return changed options.
     */
    public DiskOptions withFilesMax(final int max) {
        return new DiskOptions(stagingBytes, stagingBytesMax, max, mappingsMax, reserveBytes);
    }

    /**
     * Changes the number of mappings.
     *
     * @param max files held mapped for looking up.
     * @return changed options.
     */
    public DiskOptions withMappingsMax(final int max) {
        return new DiskOptions(stagingBytes, stagingBytesMax, filesMax, max, reserveBytes);
    }

    /**
     * Changes the step of reservations.
     *
     * @param bytes reserved at once.
     * @return changed options.
     */
    public DiskOptions withReserveBytes(final int bytes) {
        return new DiskOptions(stagingBytes, stagingBytesMax, filesMax, mappingsMax, bytes);
    }

    private static void check(final String field, final int value, final int least, final int most) {
        if (value < least || value > most) {
            throw new IllegalArgumentException(
                    field + " is " + value + ", allowed are " + least + " to " + most + " inclusive");
        }
    }
}
