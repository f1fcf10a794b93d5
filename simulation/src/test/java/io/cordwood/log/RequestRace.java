package io.cordwood.log;

import java.util.ArrayList;
import java.util.List;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/** Those who ask for changes beside the writer, who closes the log at some time: {@link LogRequests}. Everybody gets an answer. */
public final class RequestRace {
    private final Log log = RaceLog.open(RaceLog.disk());
    private final LogRequests requests = new LogRequests();
    private boolean isClosed;
    private final List<LogRequest> first = new ArrayList<>();
    private final List<LogRequest> second = new ArrayList<>();

    /** Asks. */
    @Operation(nonParallelGroup = "first")
    public void askFirst() {
        final LogRequest request = LogRequest.roll();
        first.add(request);
        requests.add(request);
    }

    /** Asks. */
    @Operation(nonParallelGroup = "second")
    public void askSecond() {
        final LogRequest request = LogRequest.roll();
        second.add(request);
        requests.add(request);
    }

    /** Carries out. */
    @Operation(nonParallelGroup = "writer")
    public void work() {
        requests.carryOutNext(log, RaceLog.NOW, null);
    }

    /** Closes. */
    @Operation(nonParallelGroup = "writer")
    public void close() {
        isClosed = true;
        requests.close(new IllegalStateException("the log is closed"));
    }

    /** Nobody waits for a closed log. */
    @Validate
    public void validate() {
        if (!isClosed) {
            close();
        }
        for (final List<LogRequest> asked : List.of(first, second)) {
            for (final LogRequest request : asked) {
                if (!request.isDone()) {
                    throw new IllegalStateException("a request was never answered");
                }
            }
        }
    }
}
