package io.cordwood.simulation.damage;

import io.cordwood.log.LogFiles;
import io.cordwood.log.record.RecordBatchDescriptor;
import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Tally;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** The campaigns of damage for {@code bin/soak}, each of which a test plays with larger steps. */
public final class DamageCampaigns {
    private static final int OPENS = 400;
    private static final int SWAPS = 5_000;
    private static final int SMALL_BYTES = 1 << 14;

    private DamageCampaigns() {}

    /**
     * Lists them.
     *
     * @return one for each kind of damage and, where it matters, for each store.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> all = new ArrayList<>();
        for (final boolean isMapped : List.of(false, true)) {
            final String store = isMapped ? "/mapped" : "/channel";
            all.add(Campaign.of("G4", "rot/read" + store, (seed, tally) -> read(seed, isMapped, 1, tally)));
            all.add(Campaign.of("G4", "rot/open" + store, (seed, tally) -> open(seed, isMapped, OPENS, tally)));
            all.add(Campaign.of(
                    "G4", "rot/index" + store, (seed, tally) -> index(Specimen.of(seed, isMapped), 0, 1, 1, tally)));
            all.add(Campaign.of("G4", "rot/cut" + store, (seed, tally) -> cut(seed, isMapped, 1, tally)));
        }
        for (final boolean isMapped : List.of(false, true)) {
            final String store = isMapped ? "/mapped" : "/channel";
            all.add(Campaign.of(
                    "G5",
                    "blocks/read" + store,
                    (seed, tally) -> new BlockSwap(seed, isMapped, tally).playOpen(SWAPS)));
            all.add(Campaign.of(
                    "G5",
                    "blocks/open" + store,
                    (seed, tally) -> new BlockSwap(seed, isMapped, tally).playClosed(OPENS)));
        }
        all.add(Campaign.of("G4", "rot/headers", DamageCampaigns::headers));
        all.add(Campaign.of("G4", "rot/small-index", DamageCampaigns::smallIndex));
        all.add(Campaign.of("G4", "rot/directory", (seed, tally) -> new DirectoryRot(true, tally).playAll()));
        all.add(Campaign.of("G4", "rot/killed-directory", (seed, tally) -> new DirectoryRot(false, tally).playAll()));
        return all;
    }

    /** Each bit of the headers of two segments of a small log. */
    static void headers(final long seed, final Tally tally) {
        final Specimen specimen = Specimen.of(seed, false, SMALL_BYTES);
        final SegmentRot rot = new SegmentRot(specimen, tally);
        rot.playHeaders(specimen.victim(LogFiles.LOG));
        rot.playHeaders(specimen.active());
    }

    /** Each bit of the indexes and leader epochs of a small log. */
    static void smallIndex(final long seed, final Tally tally) {
        index(Specimen.of(seed, false, SMALL_BYTES), 0, 1, 1, tally);
    }

    /** Bits of a sealed segment and of the active one, under an open log. */
    static void read(final long seed, final boolean isMapped, final int step, final Tally tally) {
        final Specimen specimen = Specimen.of(seed, isMapped);
        final SegmentRot rot = new SegmentRot(specimen, tally);
        final int first = Math.floorMod(seed, step);
        rot.play(specimen.victim(LogFiles.LOG), first, step);
        rot.play(specimen.active(), first, step);
    }

    /** Bits of any segment, half of them in headers, before an open. */
    static void open(final long seed, final boolean isMapped, final int count, final Tally tally) {
        final Random random = new Random(seed);
        final Specimen specimen = Specimen.of(seed, isMapped);
        final OpenRot rot = new OpenRot(specimen, tally);
        for (int i = 0; i < count; i++) {
            final PlacedBatch batch =
                    specimen.batches().get(random.nextInt(specimen.batches().size()));
            final int bytes = i % 2 == 0 ? batch.bytes().length : RecordBatchDescriptor.HEADER_BYTES;
            rot.flipInSegment(batch.path(), (batch.position() + random.nextInt(bytes)) * Byte.SIZE + random.nextInt(8));
        }
    }

    /**
     * Bits of the indexes of a sealed segment and of the active one, and of the leader epochs: under an open log, and before opens that
     * believe the indexes, look at some of the batches, and at all of them.
     */
    static void index(final Specimen specimen, final int first, final int step, final int openStep, final Tally tally) {
        final IndexRot rot = new IndexRot(specimen, tally);
        final OpenRot open = new OpenRot(specimen, tally);
        for (final String path : List.of(
                specimen.victim(LogFiles.OFFSET_INDEX),
                specimen.victim(LogFiles.TIME_INDEX),
                specimen.active(LogFiles.OFFSET_INDEX),
                specimen.active(LogFiles.TIME_INDEX),
                Specimen.DIRECTORY + "/" + LogFiles.LEADER_EPOCHS)) {
            if (!path.endsWith(LogFiles.LEADER_EPOCHS)) {
                rot.play(path, Math.floorMod(first, step), step);
                rot.playOpened(path, Math.floorMod(first, openStep), openStep);
            }
            final int bits = specimen.disk().content(path).length * Byte.SIZE;
            for (int bit = Math.floorMod(first, openStep); bit < bits; bit += openStep) {
                open.flipInOther(path, bit);
            }
        }
        for (int i = 0; i + 1 < specimen.batches().size(); i++) {
            if (specimen.batches().get(i).path().equals(specimen.active())) {
                open.cutBehind(i);
            }
        }
    }

    /** Lengths of all files of the log; those of a segment at the edges of batches as well. */
    static void cut(final long seed, final boolean isMapped, final int step, final Tally tally) {
        final Specimen specimen = Specimen.of(seed, isMapped);
        final OpenRot rot = new OpenRot(specimen, tally);
        for (final String path : specimen.disk().paths()) {
            final boolean isSegment = path.endsWith(LogFiles.LOG);
            final int bytes = specimen.disk().content(path).length;
            for (int length = Math.floorMod(seed, step); length < bytes; length += step) {
                if (isSegment) {
                    rot.cutSegment(path, length);
                } else {
                    rot.cutOther(path, length);
                }
            }
        }
        for (int i = Math.floorMod(seed, step); i < specimen.batches().size(); i += step) {
            rot.cutSegment(
                    specimen.batches().get(i).path(), specimen.batches().get(i).position());
        }
    }
}
