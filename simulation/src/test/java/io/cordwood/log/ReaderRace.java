package io.cordwood.log;

import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;

/**
 * A reader beside the writer: {@link LogPositions}, {@link LogSegments} and {@link LogReader}. Each read shows the batch that a
 * log had at that offset at one moment of the read, or nothing.
 */
@Param(name = "number", gen = IntGen.class)
public final class ReaderRace {
    private static final long NOTHING = -1;

    private final Log log = RaceLog.open(RaceLog.disk());
    private final LogReader reader = log.newReader();
    private long appended = 100;

    /** Creates a log with four batches in two segments. */
    public ReaderRace() {
        for (int i = 0; i < 2; i++) {
            append();
            append();
            log.roll(RaceLog.NOW);
        }
    }

    /** Appends. */
    @Operation(nonParallelGroup = "writer")
    public void append() {
        RaceLog.append(log, appended++);
    }

    /** Rolls. */
    @Operation(nonParallelGroup = "writer")
    public void roll() {
        log.roll(RaceLog.NOW);
    }

    /** Truncates. */
    @Operation(nonParallelGroup = "writer")
    public void truncate(@Param(name = "number") final int offset) {
        log.truncateTo(offset, RaceLog.NOW);
    }

    /** Deletes records, and the files of segments. */
    @Operation(nonParallelGroup = "writer")
    public void delete(@Param(name = "number") final int offset) {
        log.deletePrefix(Math.min(offset, log.endOffset()), log.endOffset(), RaceLog.NOW);
        log.doWork(RaceLog.NOW);
    }

    /** Drops what retention does not keep: all but about one batch. */
    @Operation(nonParallelGroup = "writer")
    public void retain() {
        log.retain(RaceLog.NOW, log.endOffset());
        log.doWork(RaceLog.NOW);
    }

    /** Begins anew. */
    @Operation(nonParallelGroup = "writer")
    public void startAnew(@Param(name = "number") final int offset) {
        log.truncateFullyAndStartAt(offset, RaceLog.NOW);
    }

    /** Reads one batch: its number, or {@link #NOTHING}. */
    @Operation(nonParallelGroup = "reader")
    public long read(@Param(name = "number") final int offset) {
        final long read = reader.read(offset, Long.MAX_VALUE, 1);
        return read <= 0 ? NOTHING : RaceLog.number(reader);
    }
}
