package io.cordwood.log.record;

import static io.cordwood.log.record.Varint.behind;
import static io.cordwood.log.record.Varint.value;

import org.jspecify.annotations.Nullable;

/** Where name and value of one record header are. One reader's, moved from header to header. */
final class RecordHeader {
    /** Two lengths, one byte each. */
    static final int BYTES_MIN = 2;

    private int nameIndex;
    private int nameLength;
    private int valueIndex;
    private int valueLength;

    /**
     * Shows the header at an index of a record whose headers were checked, and returns the index behind it. Should the bytes have
     * changed since, what is shown stays within the record all the same.
     */
    int read(final byte @Nullable [] array, final long address, final int at, final int end) {
        final long name = Varint.read(array, address, at, end);
        nameIndex = behind(name);
        nameLength = Math.max(0, Math.min(value(name), end - nameIndex));
        final long content = Varint.read(array, address, nameIndex + nameLength, end);
        valueIndex = behind(content);
        valueLength = Math.max(-1, Math.min(value(content), end - valueIndex));
        return valueIndex + Math.max(valueLength, 0);
    }

    int nameIndex() {
        return nameIndex;
    }

    int nameLength() {
        return nameLength;
    }

    int valueIndex() {
        return valueIndex;
    }

    int valueLength() {
        return valueLength;
    }
}
