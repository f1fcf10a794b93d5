package io.cordwood.testkit;

import io.cordwood.log.IndexLimits;
import io.cordwood.log.IndexLookUps;
import io.cordwood.log.SegmentIndex;
import io.cordwood.log.SegmentIndexFactory;
import io.cordwood.log.store.FileStatus;
import io.cordwood.log.store.FileView;
import io.cordwood.log.store.Storage;
import java.lang.reflect.Proxy;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Says of each segment that it is older than anything. (A wrong position fools no reader: it scans then.) */
record LyingIndexes(SegmentIndexFactory honest) implements SegmentIndexFactory {
    @Override
    public SegmentIndex create(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return lying(honest.create(storage, directory, baseOffset, limits));
    }

    @Override
    public SegmentIndex open(
            final Storage storage, final String directory, final long baseOffset, final IndexLimits limits) {
        return lying(honest.open(storage, directory, baseOffset, limits));
    }

    @Override
    public boolean isPlausible(
            final List<FileStatus> files, final long baseOffset, final long logBytes, final IndexLimits limits) {
        return honest.isPlausible(files, baseOffset, logBytes, limits);
    }

    @Override
    public List<String> suffixes() {
        return honest.suffixes();
    }

    /** An index whose answers alone are others. */
    private SegmentIndex lying(final SegmentIndex index) {
        return (SegmentIndex) Proxy.newProxyInstance(
                SegmentIndex.class.getClassLoader(), new Class<?>[] {SegmentIndex.class}, (proxy, method, given) -> {
                    final Object answer = method.invoke(index, given);
                    return answer instanceof IndexLookUps lookUps ? lying(lookUps) : answer;
                });
    }

    private IndexLookUps lying(final IndexLookUps lookUps) {
        return new IndexLookUps() {
            @Override
            public long positionOf(final long offset, final FileView view) {
                return lookUps.positionOf(offset, view);
            }

            @Override
            public long positionOfTimestamp(final long timestampMs, final FileView view) {
                return lookUps.positionOfTimestamp(timestampMs, view);
            }

            @Override
            public long largestTimestamp(final FileView view) {
                return -1;
            }

            @Override
            public @Nullable String damage() {
                return lookUps.damage();
            }
        };
    }
}
