package io.cordwood.inspector;

import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Tells text from other bytes. */
final class Utf8 {
    private Utf8() {}

    /**
     * Decodes bytes that may be text.
     *
     * @param bytes to look at.
     * @param isCut whether a character may be cut at the end.
     * @return the text with quotes, backslashes and the usual white space escaped; null if the bytes are not UTF-8 or have
     *     other control characters.
     */
    static @Nullable String decode(final byte[] bytes, final boolean isCut) {
        final CharsetDecoder decoder = StandardCharsets.UTF_8
                .newDecoder()
                .onMalformedInput(CodingErrorAction.REPORT)
                .onUnmappableCharacter(CodingErrorAction.REPORT);
        final CharBuffer chars = CharBuffer.allocate(bytes.length);
        final CoderResult result = decoder.decode(ByteBuffer.wrap(bytes), chars, !isCut);
        if (result.isError()) {
            return null;
        }
        chars.flip();
        final StringBuilder text = new StringBuilder(chars.length() + 2);
        for (int i = 0; i < chars.length(); i++) {
            if (!append(text, chars.charAt(i))) {
                return null;
            }
        }
        return text.toString();
    }

    private static boolean append(final StringBuilder text, final char c) {
        switch (c) {
            case '"' -> text.append("\\\"");
            case '\\' -> text.append("\\\\");
            case '\n' -> text.append("\\n");
            case '\r' -> text.append("\\r");
            case '\t' -> text.append("\\t");
            default -> {
                if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                    return false;
                }
                text.append(c);
            }
        }
        return true;
    }
}
