package io.cordwood.log.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a view takes for the bytes that are copied into it. */
final class FileViewTest {
    /** Rounded up to pages, lengths near 2^31 were negative. */
    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,4096",
        "4096,4096",
        "4097,8192",
        "2147479552,2147479552",
        "2147479553,2147483647",
        "2147483647,2147483647"
    })
    void memoryIsOfWholePagesUpToWhatABufferHas(final int length, final int bytes) {
        assertEquals(bytes, FileView.wholePages(length));
    }
}
