package io.cordwood.log;

import io.cordwood.log.store.StorageException;
import java.util.function.Consumer;

/** Lowers what the checkpoint files of a data directory say of one partition, when the writer of its log truncates. */
final class CheckpointGuard implements TruncationGuard {
    private final CheckpointFiles files;
    private final PartitionCells partition;
    private final Runnable requireOnline;
    private final Consumer<StorageException> whenFailed;

    CheckpointGuard(
            final CheckpointFiles files,
            final PartitionCells partition,
            final Runnable requireOnline,
            final Consumer<StorageException> whenFailed) {
        this.files = files;
        this.partition = partition;
        this.requireOnline = requireOnline;
        this.whenFailed = whenFailed;
    }

    @Override
    public boolean lowered(final long endOffset) {
        requireOnline.run();
        try {
            if (!files.tryLower(partition.name(), endOffset)) {
                return false;
            }
        } catch (final StorageException e) {
            whenFailed.accept(e);
            throw e;
        }
        partition.lowerCleanerOffset(endOffset);
        return true;
    }

    @Override
    public void begins(final long startOffset) {
        requireOnline.run();
        try {
            files.lowerStart(partition.name(), startOffset);
        } catch (final StorageException e) {
            whenFailed.accept(e);
            throw e;
        }
    }
}
