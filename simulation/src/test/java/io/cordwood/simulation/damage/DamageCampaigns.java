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
    private static final int INDEX_STEP = 16;
    private static final int CUT_STEP = 64;

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
                    "G4", "rot/index" + store, (seed, tally) -> index(seed, isMapped, 1, INDEX_STEP, tally)));
            all.add(Campaign.of("G4", "rot/cut" + store, (seed, tally) -> cut(seed, isMapped, CUT_STEP, tally)));
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
        all.add(Campaign.of("G4", "rot/directory", (seed, tally) -> new DirectoryRot(tally).playAll()));
        return all;
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

    /** Bits of the indexes and of the leader epochs, under an open log and before an open. */
    static void index(final long seed, final boolean isMapped, final int step, final int openStep, final Tally tally) {
        final Specimen specimen = Specimen.of(seed, isMapped);
        final IndexRot rot = new IndexRot(specimen, new Random(seed), tally);
        final OpenRot open = new OpenRot(specimen, tally);
        for (final String path : List.of(
                specimen.victim(LogFiles.OFFSET_INDEX),
                specimen.victim(LogFiles.TIME_INDEX),
                Specimen.DIRECTORY + "/" + LogFiles.LEADER_EPOCHS)) {
            if (!path.endsWith(LogFiles.LEADER_EPOCHS)) {
                rot.play(path, Math.floorMod(seed, step), step);
            }
            final int bits = specimen.disk().content(path).length * Byte.SIZE;
            for (int bit = Math.floorMod(seed, openStep); bit < bits; bit += openStep) {
                open.flipInOther(path, bit);
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
