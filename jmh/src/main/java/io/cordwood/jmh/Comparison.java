package io.cordwood.jmh;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One row of the table: a piece of work, done by us and by others.
 *
 * @param group name by which it is asked for on the command line.
 * @param work in words.
 * @param ours what we do.
 * @param peers who do the same work.
 * @param floor what the machine needs for the least that the work consists of; null if that is not measured.
 * @param isGarbageFree whether we are to allocate nothing.
 * @param isInQuick whether a quick run measures it too.
 */
record Comparison(
        String group,
        String work,
        Subject ours,
        List<Peer> peers,
        @Nullable Floor floor,
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
        this(group, work, ours, List.of(), null, false, true);
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
        final List<Peer> more = new ArrayList<>(peers);
        more.add(new Peer(name, subject, goal));
        return new Comparison(group, work, ours, more, floor, isGarbageFree, isInQuick);
    }

    /**
     * The same row with a floor.
     *
     * @param subject the least that must be done.
     * @param within how many times its time we may take; 0 if it is there for information.
     * @return the row.
     */
    Comparison over(final Subject subject, final double within) {
        return new Comparison(group, work, ours, peers, new Floor(subject, within), isGarbageFree, isInQuick);
    }

    /**
     * The same row, in which we are to allocate nothing.
     *
     * @return the row.
     */
    Comparison garbageFree() {
        return new Comparison(group, work, ours, peers, floor, true, isInQuick);
    }

    /**
     * The same row, left out of quick runs.
     *
     * @return the row.
     */
    Comparison fullRunsOnly() {
        return new Comparison(group, work, ours, peers, floor, isGarbageFree, false);
    }

    /**
     * All that is measured for this row.
     *
     * @return the others first, so that in each round ours comes right behind them.
     */
    List<Subject> subjects() {
        final List<Subject> subjects = new ArrayList<>();
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
     */
    record Peer(String name, Subject subject, double goal) {}

    /**
     * The least that the work consists of.
     *
     * @param subject what is measured.
     * @param within how many times its time we may take; 0 if it is there for information.
     */
    record Floor(Subject subject, double within) {}
}
