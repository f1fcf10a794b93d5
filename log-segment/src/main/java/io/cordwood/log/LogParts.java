package io.cordwood.log;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;

/** What a log is built from and never changes. */
record LogParts(
        Storage storage,
        String directory,
        SegmentIndexFactory indexes,
        Codecs codecs,
        FileUse appendUse,
        int decompressedBytesMax,
        TruncationGuard guard) {}
