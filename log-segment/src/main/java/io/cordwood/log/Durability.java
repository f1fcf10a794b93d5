package io.cordwood.log;

/** What an acknowledgement of an append promises. */
public enum Durability {
    /** The bytes are in the page cache: they survive the death of the process, not that of the machine. */
    PAGE_CACHE,

    /** A force covers the bytes: they survive a power cut on a disk that honours flushes. */
    FORCED
}
