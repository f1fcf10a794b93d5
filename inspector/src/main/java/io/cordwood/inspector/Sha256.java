package io.cordwood.inspector;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.agrona.DirectBuffer;

/** Hashes of files and of long keys and values, in pieces. */
final class Sha256 {
    private static final int PIECE_BYTES = 64 * 1024;

    private Sha256() {}

    /** Hash of the first bytes of a file: those that it had when it was listed. */
    static String ofFile(final Storage storage, final String path, final long size, final Progress progress) {
        final MessageDigest digest = digest();
        final byte[] piece = new byte[PIECE_BYTES];
        try (StorageFile file = storage.open(path, FileUse.READ, 0);
                FileView view = new FileView()) {
            long position = 0;
            while (position < size) {
                final int shown = view.show(file, position, (int) Math.min(PIECE_BYTES, size - position));
                if (shown == 0) {
                    break;
                }
                view.buffer().getBytes(0, piece, 0, shown);
                digest.update(piece, 0, shown);
                position += shown;
                progress.add(shown);
            }
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static String ofBytes(final DirectBuffer buffer, final int index, final int length) {
        final MessageDigest digest = digest();
        final byte[] piece = new byte[Math.min(PIECE_BYTES, length)];
        for (int done = 0; done < length; ) {
            final int bytes = Math.min(piece.length, length - done);
            buffer.getBytes(index + done, piece, 0, bytes);
            digest.update(piece, 0, bytes);
            done += bytes;
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    private static MessageDigest digest() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (final NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
