package io.cordwood.log;

import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The directories of the partitions of a data directory: which are there, making them, and deleting them in two steps. The
 * files of a directory that was renamed go later, those that a crash has left included.
 */
final class PartitionFolders {
    private record Deletion(String directory, long dueMs) {}

    private final Storage storage;
    private final List<String> findings;
    private final SortedSet<PartitionName> names = new TreeSet<>();
    private final Queue<Deletion> deletions = new ArrayDeque<>();

    PartitionFolders(final Storage storage, final List<String> findings) {
        this.storage = storage;
        this.findings = findings;
    }

    void find() {
        for (final FileStatus file : storage.list("")) {
            final PartitionName name = PartitionName.parse(file.name());
            if (file.isDirectory() && name != null) {
                names.add(name);
            } else if (file.isDirectory() && PartitionName.isDeleting(file.name())) {
                deletions.add(new Deletion(file.name(), 0));
            }
        }
    }

    void add(final PartitionName name) {
        names.add(name);
    }

    SortedSet<PartitionName> names() {
        return names;
    }

    void create(final PartitionName name, final @Nullable UUID topicId) {
        storage.makeDirectory(name.directory());
        if (topicId != null) {
            new PartitionMetadata(topicId).write(storage, name.directory());
        }
        storage.syncDirectory("");
        names.add(name);
    }

    void delete(final PartitionName name, final UUID id, final long dueMs) {
        final String renamed = name.deletingDirectory(id);
        if (!storage.rename(name.directory(), renamed)) {
            throw new StorageException(
                    storage.describe(name.directory()), "rename", "there is no such directory", null);
        }
        storage.syncDirectory("");
        names.remove(name);
        deletions.add(new Deletion(renamed, dueMs));
    }

    /** Removes one directory that is due. */
    int deleteDue(final long nowMs) {
        final Deletion first = deletions.peek();
        if (first == null || nowMs < first.dueMs()) {
            return 0;
        }
        deletions.remove();
        remove(first.directory());
        return 1;
    }

    /** Left half done, it is found again by the name of the directory. */
    private void remove(final String directory) {
        boolean isEmpty = true;
        for (final FileStatus file : storage.list(directory)) {
            if (file.isDirectory()) {
                isEmpty = false;
            } else {
                storage.delete(LogFiles.path(directory, file.name()));
            }
        }
        if (isEmpty) {
            storage.removeDirectory(directory);
            storage.syncDirectory("");
        } else {
            findings.add(storage.describe(directory) + " holds a directory, which is left to the operator");
        }
    }
}
