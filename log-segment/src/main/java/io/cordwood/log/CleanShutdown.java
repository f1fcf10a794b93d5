package io.cordwood.log;

import io.cordwood.log.store.Storage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The clean-shutdown marker of an open data directory: removed before the first change, and perhaps put back at the end. */
final class CleanShutdown {
    private final Storage storage;
    private final boolean isKept;
    private final @Nullable CleanShutdownMarker found;
    private long brokerEpoch;
    private boolean isRemoved;

    /** Where no marker is kept, none is looked for and none is made. */
    CleanShutdown(final Storage storage, final boolean isKept, final List<String> findings) {
        this.storage = storage;
        this.isKept = isKept;
        CleanShutdownMarker marker = null;
        try {
            marker = isKept ? CleanShutdownMarker.read(storage) : null;
        } catch (final CorruptLogException e) {
            findings.add(e.getMessage());
        }
        found = marker;
        brokerEpoch = marker == null ? CleanShutdownMarker.UNKNOWN_EPOCH : marker.brokerEpoch();
    }

    boolean wasFound() {
        return found != null;
    }

    boolean isRemoved() {
        return isRemoved;
    }

    void brokerEpoch(final long epoch) {
        brokerEpoch = epoch;
    }

    /** Who finds the directory after a crash must not take it for a clean one. An unreadable marker goes as well. */
    void remove() {
        if (isKept && !isRemoved) {
            if (storage.delete(CleanShutdownMarker.FILE)) {
                storage.syncDirectory("");
            }
            isRemoved = true;
        }
    }

    void putBack() {
        new CleanShutdownMarker(brokerEpoch).write(storage);
    }
}
