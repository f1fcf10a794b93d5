package io.cordwood.inspector;

import io.cordwood.log.Fault;
import io.cordwood.log.LogCheck;
import io.cordwood.log.LogFiles;
import java.io.IOException;

/** Writes the faults of partitions, as they are found, in one of the formats. */
interface FaultWriter {
    /**
     * Begins with a partition.
     *
     * @param place of it.
     * @throws IOException if the output takes no more.
     */
    void begin(Place place) throws IOException;

    /**
     * One more fault.
     *
     * @param place of the partition.
     * @param fault in it.
     * @throws IOException if the output takes no more.
     */
    void fault(Place place, Fault fault) throws IOException;

    /**
     * Ends the partition.
     *
     * @param result what was looked at.
     * @throws IOException if the output takes no more.
     */
    void end(LogCheck.Result result) throws IOException;

    /**
     * Writes what follows on the last partition.
     *
     * @throws IOException if the output takes no more.
     */
    void end() throws IOException;

    /**
     * Ends what is begun, if a failure kept the rest from coming.
     *
     * @throws IOException if the output takes no more.
     */
    void close() throws IOException;

    /**
     * What a process answers that has found this much.
     *
     * @return the exit code.
     */
    int exitCode();

    /** The exit code for so many faults, and for so much that could not be checked. */
    static int exitCode(final long faults, final long notChecked) {
        if (notChecked > 0) {
            return ExitCode.IO;
        }
        return faults > 0 ? ExitCode.DAMAGE : ExitCode.FINE;
    }

    /** The name of a fault's file within its directory. */
    static String fileName(final Place place, final Fault fault) {
        final String directory = place.directory();
        if (fault.file().equals(directory)) {
            return ".";
        }
        return directory.isEmpty() ? fault.file() : fault.file().substring(directory.length() + 1);
    }

    /** The path of a fault's file in the terms of the argument. */
    static String filePath(final Place place, final Fault fault) {
        final String name = fileName(place, fault);
        final String segment = place.segmentFile();
        if (segment == null) {
            return LogFiles.path(place.label(), name);
        }
        return place.label().substring(0, place.label().length() - segment.length()) + name;
    }
}
