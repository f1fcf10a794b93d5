package io.cordwood.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.DerivedState;
import io.cordwood.log.IndexLimits;
import io.cordwood.log.LogFiles;
import io.cordwood.log.Origin;
import io.cordwood.log.ScanIndexes;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.SegmentIndexFactory;
import io.cordwood.log.record.RecordBatchFlyweight;
import io.cordwood.log.record.Refusal;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.lang.reflect.Proxy;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Implementations that break their contract fail its tests. */
final class ContractsTest {
    @Test
    void anIndexThatForcesWhatItShouldPasses() {
        final SegmentIndexContract contract = new SegmentIndexContract(new FileIndexes(true, true)) {};
        contract.aForceLeavesNothingOfItsFilesPending();
        contract.whatARestoreCutsOffIsGoneDurably();
    }

    @Test
    void anIndexThatLeavesAFileUnforcedFails() {
        final SegmentIndexContract contract = new SegmentIndexContract(new FileIndexes(false, true)) {};
        assertFails("after a force, at batch 9", contract::aForceLeavesNothingOfItsFilesPending);
    }

    @Test
    void anIndexWhoseCutIsNotDurableFails() {
        final SegmentIndexContract contract = new SegmentIndexContract(new FileIndexes(true, false)) {};
        assertFails("cut to batch 120", contract::whatARestoreCutsOffIsGoneDurably);
    }

    @Test
    void aStateThatRemembersWhatTheFrontHeldFails() {
        final Map<Storage, Map<Long, Long>> files = new HashMap<>();
        final DerivedStateContract<Remembering> contract = new DerivedStateContract<>(
                (storage, directory) -> new Remembering(files, storage), s -> Map.copyOf(s.sums)) {};
        contract.aRestoreAndAReplayKnowWhatTheBatchesSay();
        assertFails("retained from 12", contract::whatTheFrontHeldIsForgotten);
    }

    @Test
    void aStateThatMayRememberSaysSo() {
        final Map<Storage, Map<Long, Long>> files = new HashMap<>();
        new DerivedStateContract<>((storage, directory) -> new Remembering(files, storage), s -> Map.copyOf(s.sums)) {
            @Override
            protected Object retained(final Object ofAll, final Object ofThoseLeft) {
                return ofAll;
            }
        }.whatTheFrontHeldIsForgotten();
    }

    private static void assertFails(final String part, final Executable test) {
        final String message =
                String.valueOf(assertThrows(AssertionError.class, test).getMessage());
        assertTrue(message.startsWith(part), message);
    }

    /** Scans, and writes a byte for each batch to a file of its own. */
    private record FileIndexes(boolean isForced, boolean isCutForced) implements SegmentIndexFactory {
        private static final String SUFFIX = ".mine";

        @Override
        public SegmentIndex create(
                final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
            final String path = LogFiles.path(directory, LogFiles.name(baseOffset, SUFFIX));
            final SegmentIndex index = new ScanIndexes().create(storage, directory, baseOffset, limits);
            return (SegmentIndex) Proxy.newProxyInstance(
                    SegmentIndex.class.getClassLoader(),
                    new Class<?>[] {SegmentIndex.class},
                    (proxy, method, given) -> {
                        try (StorageFile file = storage.open(path, FileUse.APPEND, 0)) {
                            act(file, method.getName());
                        }
                        return method.invoke(index, given);
                    });
        }

        private void act(final StorageFile file, final String method) {
            switch (method) {
                case "append" -> {
                    file.claim(1, new UnsafeBuffer(0, 0));
                    file.publish();
                }
                case "restore" -> {
                    file.truncate(0);
                    if (isCutForced) {
                        file.force();
                    }
                }
                case "force" -> {
                    if (isForced) {
                        file.force();
                    }
                }
                default -> {}
            }
        }

        @Override
        public SegmentIndex open(
                final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
            return create(storage, directory, baseOffset, limits);
        }

        @Override
        public boolean isPlausible(
                final List<FileStatus> files, final long baseOffset, final long logBytes, final IndexLimits limits) {
            return false;
        }

        @Override
        public List<String> suffixes() {
            return List.of(SUFFIX);
        }
    }

    /** Counts the batches of each segment, believes its file whatever segments there are, and forgets none. */
    private static final class Remembering implements DerivedState {
        private static final long UP_TO = -1;

        /** The files by storage: sums, and up to where they reach. */
        private final Map<Storage, Map<Long, Long>> files;

        private final Storage storage;
        private final TreeMap<Long, Long> sums = new TreeMap<>();

        Remembering(final Map<Storage, Map<Long, Long>> files, final Storage storage) {
            this.files = files;
            this.storage = storage;
        }

        @Override
        public long check(final RecordBatchFlyweight batch, final Origin origin, final long guard) {
            return Refusal.ACCEPTED;
        }

        @Override
        public void apply(final RecordBatchFlyweight batch, final long segmentBase) {
            sums.merge(segmentBase, 1L, Long::sum);
        }

        @Override
        public void snapshot(final long offset) {}

        @Override
        public void force(final long offset) {
            final Map<Long, Long> file = new TreeMap<>(sums);
            file.put(UP_TO, offset);
            files.put(storage, file);
        }

        @Override
        public void retain(final long logStartOffset, final long[] bases) {}

        @Override
        public long restore(final long logStartOffset, final long[] bases, final long upTo) {
            sums.clear();
            final Map<Long, Long> file = files.getOrDefault(storage, new TreeMap<>());
            final long reached = file.getOrDefault(UP_TO, Long.MAX_VALUE);
            if (reached > upTo) {
                files.remove(storage);
                return bases[0];
            }
            sums.putAll(file);
            sums.remove(UP_TO);
            return reached;
        }

        @Override
        public void close() {}
    }
}
