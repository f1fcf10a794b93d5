package io.cordwood.inspector;

/** How results are written. */
enum Format {
    /** For people. */
    text,
    /** For programs. */
    json
}
