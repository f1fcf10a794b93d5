package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table: a piece of work, done by us and by others.
 *
 * @param group name by which it is asked for on the command line.
 * @param work in words.
 * @param ours what we do.
 * @param peers who do the same work.
 * @param floor what the machine needs for the least that the work consists of; null if that is not measured.
 * @param peak whose throughput, measured before all others, sets the pace of the row: work is due at half of it; null if nobody waits
 *     for the next piece of work.
 * @param isGarbageFree whether we are to allocate nothing.
 * @param isInQuick whether a quick run measures it too.
 */
record Comparison(
        String group,
        String work,
        Subject ours,
        List<Peer> peers,
        @Nullable Floor floor,
        @Nullable Subject peak,
        boolean isGarbageFree,
        boolean isInQuick) {
    Comparison {
        peers = List.copyOf(peers);
    }

    /**
     * A row without anybody to be measured against.
     *
     * @param group name by which it is asked for on the command line.
     * @param work in words.
     * @param ours what we do.
     */
    Comparison(final String group, final String work, final Subject ours) {
        this(group, work, ours, List.of(), null, null, false, true);
    }

    /**
     * The same row with one peer more.
     *
     * @param name of the peer, for the table.
     * @param subject the same work done by it.
     * @param goal how many times its throughput is to be reached; 0 if it is there for information.
     * @return the row.
     */
    Comparison beside(final String name, final Subject subject, final double goal) {
        return beside(new Peer(name, subject, goal, new TreeMap<>()));
    }

    /**
     * The same row with one peer more, whose percentiles are held against ours.
     *
     * @param name of the peer, for the table.
     * @param subject the same work done by it.
     * @param percentiles by label, how many times lower ours are to be; less than 1 if they may be higher.
     * @return the row.
     */
    Comparison besideLatency(final String name, final Subject subject, final Map<String, Double> percentiles) {
        return beside(new Peer(name, subject, 0, new TreeMap<>(percentiles)));
    }

    private Comparison beside(final Peer peer) {
        final List<Peer> more = new ArrayList<>(peers);
        more.add(peer);
        return new Comparison(group, work, ours, more, floor, peak, isGarbageFree, isInQuick);
    }

    /**
     * The same row with a floor.
     *
     * @param subject the least that must be done.
     * @param within how many times its time we may take; 0 if it is there for information.
     * @return the row.
     */
    Comparison over(final Subject subject, final double within) {
        return over(new Floor(subject, within, new TreeMap<>()));
    }

    /**
     * The same row with a floor, whose percentiles are held against ours.
     *
     * @param subject the least that must be done.
     * @param percentiles by label, how many times theirs ours may be.
     * @return the row.
     */
    Comparison overLatency(final Subject subject, final Map<String, Double> percentiles) {
        return over(new Floor(subject, 0, new TreeMap<>(percentiles)));
    }

    private Comparison over(final Floor least) {
        return new Comparison(group, work, ours, peers, least, peak, isGarbageFree, isInQuick);
    }

    /**
     * The same row, at a fixed pace.
     *
     * @param subject at half of whose throughput the work is due.
     * @return the row.
     */
    Comparison atHalfThePeakOf(final Subject subject) {
        return new Comparison(group, work, ours, peers, floor, subject, isGarbageFree, isInQuick);
    }

    /**
     * The same row, in which we are to allocate nothing.
     *
     * @return the row.
     */
    Comparison garbageFree() {
        return new Comparison(group, work, ours, peers, floor, peak, true, isInQuick);
    }

    /**
     * The same row, left out of quick runs.
     *
     * @return the row.
     */
    Comparison fullRunsOnly() {
        return new Comparison(group, work, ours, peers, floor, peak, isGarbageFree, false);
    }

    /**
     * All that is measured for this row.
     *
     * @return the others first, so that in each round ours comes right behind them; the one that sets the pace before all.
     */
    List<Subject> subjects() {
        final List<Subject> subjects = new ArrayList<>();
        if (peak != null) {
            subjects.add(peak);
        }
        if (floor != null) {
            subjects.add(floor.subject());
        }
        peers.forEach(peer -> subjects.add(peer.subject()));
        subjects.add(ours);
        return subjects;
    }

    /**
     * Somebody else who does the work.
     *
     * @param name for the table.
     * @param subject what is measured.
     * @param goal how many times its throughput is to be reached; 0 if it is there for information.
     * @param percentiles by label, how many times lower ours are to be.
     */
    record Peer(String name, Subject subject, double goal, SortedMap<String, Double> percentiles) {
        boolean hasGoal() {
            return goal > 0 || !percentiles.isEmpty();
        }
    }

    /**
     * The least that the work consists of.
     *
     * @param subject what is measured.
     * @param within how many times its time we may take; 0 if that is there for information.
     * @param percentiles by label, how many times theirs ours may be.
     */
    record Floor(Subject subject, double within, SortedMap<String, Double> percentiles) {
        boolean hasGoal() {
            return within > 0 || !percentiles.isEmpty();
        }
    }
}
