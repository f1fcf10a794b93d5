package io.cordwood.simulation.crash;

import io.cordwood.testkit.PowerCut;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What is done to one log: each script makes at least 60 acts and 3 segments. */
final class LogScripts {
    /** Further than one segment reaches. */
    private static final long FAR = 1L << 33;

    private LogScripts() {}

    /** The scripts by their names. */
    static Map<String, Consumer<LogLife>> all() {
        final Map<String, Consumer<LogLife>> scripts = new TreeMap<>();
        scripts.put("append", LogScripts::append);
        scripts.put("gather", LogScripts::gather);
        scripts.put("roll", LogScripts::roll);
        scripts.put("flush", LogScripts::flush);
        scripts.put("retention", LogScripts::retention);
        scripts.put("prefix", LogScripts::prefix);
        scripts.put("truncation", LogScripts::truncation);
        scripts.put("anew", LogScripts::anew);
        scripts.put("close", LogScripts::close);
        scripts.put("recovery", LogScripts::recovery);
        scripts.put("replica", LogScripts::replica);
        scripts.put("workload", LogScripts::workload);
        return scripts;
    }

    /** Batches that are published one by one, and a force now and then. */
    private static void append(final LogLife log) {
        for (int i = 0; i < 36; i++) {
            log.append(1 + i % 3, 90 + 40 * (i % 5));
            if (i % 6 == 5) {
                log.flush();
            }
            if (i % 13 == 12) {
                log.nextEpoch();
            }
        }
    }

    /** Several batches for each write, so that one write spans many sectors, and rolls amid what is gathered. */
    private static void gather(final LogLife log) {
        for (int i = 0; i < 24; i++) {
            log.gather(1, 300).gather(2, 60 + 30 * (i % 7)).gather(1, 10).gather(3, 100);
            if (i % 8 == 3) {
                log.nextEpoch();
            }
            log.publish();
            if (i % 4 == 2) {
                log.flush();
            }
        }
    }

    /** Rolls by hand: what was forced before, in between or after; also of nearly nothing. */
    private static void roll(final LogLife log) {
        for (int i = 0; i < 8; i++) {
            log.append(2, 200);
            if (i % 3 == 0) {
                log.flush();
            }
            log.append(1, 40 + 100 * i);
            log.roll();
            if (i % 3 == 1) {
                log.nextEpoch().append(1, 70).flush();
            }
        }
        log.flush();
    }

    /** Forces beside appends and rolls, as a thread of its own would do them. */
    private static void flush(final LogLife log) {
        for (int i = 0; i < 8; i++) {
            final int size = 60 * i;
            log.append(1, 50 + size);
            log.flushBeside(() -> log.append(2, 100 + size).append(1, 300));
            log.append(1, 80);
            log.flushBeside(log::roll);
            log.flush();
        }
    }

    private static void retention(final LogLife log) {
        for (int i = 0; i < 24; i++) {
            log.append(2, 150 + 10 * i);
            if (i % 3 == 2) {
                log.flush();
            }
            if (i % 5 == 4) {
                log.nextEpoch();
            }
            if (i % 6 == 5) {
                log.roll().retain(5_000).work();
            }
        }
        log.append(1, 100).retain(0).work();
        log.append(1, 100).flush();
    }

    /** The start moves into a segment, to an edge, and to the end. */
    private static void prefix(final LogLife log) {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 12; i++) {
                log.append(3, 150);
                if (i % 4 == 3) {
                    log.flush();
                }
            }
            log.nextEpoch().deletePrefix(log.base(0) + 4).work();
            log.append(1, 60).deletePrefix(log.base(1)).work();
            log.append(2, 60).flush();
        }
        log.deletePrefix(log.endOffset()).work();
        log.append(2, 100).flush();
    }

    /** Into a batch, to an edge of one or of a segment, into a segment further back, of what was forced and of what was not. */
    private static void truncation(final LogLife log) {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 14; i++) {
                log.append(3, 100 + 20 * round);
            }
            log.flush().nextEpoch().append(2, 300);
            log.truncate(log.endOffset() - 1);
            log.append(1, 333).flush();
            log.truncate(log.endOffset() - 8);
            log.nextEpoch().append(2, 222).append(1, 111);
            log.truncate(log.base(log.segmentCount() - 1));
            log.append(2, 77).flush();
            log.append(3, 250).roll().append(1, 44);
            log.truncate(log.base(log.segmentCount() - 1) - 4);
            log.nextEpoch()
                    .append(3, 180)
                    .roll()
                    .append(2, 130)
                    .roll()
                    .append(1, 90)
                    .roll()
                    .append(1, 30)
                    .flush();
            // Of several segments that were forced: what is left of them must have no hole.
            log.truncate(log.base(log.segmentCount() - 3) - 2);
            log.nextEpoch().append(2, 140).flush();
        }
    }

    /** All is taken back and the log begins elsewhere: ahead, behind, and where it ended. */
    private static void anew(final LogLife log) {
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 16; i++) {
                log.append(2, 200 + 30 * round);
                if (i % 7 == 3) {
                    log.flush();
                }
            }
            log.startAnew(round == 0 ? log.endOffset() + 1_000 : round == 1 ? 5 : log.endOffset());
            log.nextEpoch().append(2, 90).append(1, 300).flush();
        }
    }

    private static void close(final LogLife log) {
        for (int life = 0; life < 4; life++) {
            for (int i = 0; i < 9; i++) {
                log.append(2, 100 + 25 * i);
            }
            if (life % 2 == 0) {
                log.nextEpoch().flush().append(1, 60);
            }
            log.close();
        }
    }

    /** The power goes, or the process dies, and the log that is recovered goes on. */
    private static void recovery(final LogLife log) {
        final Random random = new Random(4);
        for (int life = 0; life < 7; life++) {
            for (int i = 0; i < 7; i++) {
                log.append(1 + i % 3, 50 + 60 * i);
                if (i == life % 5) {
                    log.flush();
                }
            }
            if (life % 3 == 1) {
                log.nextEpoch().roll().append(1, 500);
            }
            log.die(life % 4 == 3 ? null : PowerCut.random(random));
            log.append(1, 111 + life).flush();
        }
    }

    /** What a leader's cleaner has left: offsets are missing within segments, in front of rolls, and far ahead. */
    private static void replica(final LogLife log) {
        final Random random = new Random(9);
        for (int life = 0; life < 4; life++) {
            for (int i = 0; i < 9; i++) {
                log.replicate(i % 3 == 1 ? 5 * i : 0, 1 + i % 3, 60 + 50 * i);
                if (i == 2 * life) {
                    log.flush();
                }
                if (i % 4 == 3) {
                    log.nextEpoch();
                }
            }
            log.flushBeside(() -> log.replicate(40, 1, 200).roll().replicate(0, 2, 90));
            log.roll().replicate(life == 2 ? FAR : 1_000, 1, 300).flush();
            log.nextEpoch().replicate(3, 2, 120).truncate(log.base(log.segmentCount() - 1));
            log.replicate(2, 1, 50).flush().replicate(0, 1, 70);
            log.die(life % 2 == 0 ? PowerCut.random(random) : null);
            log.replicate(0, 1, 100).flush();
        }
    }

    /** Whatever the seed says. */
    private static void workload(final LogLife log) {
        final SplittableRandom random = log.random();
        for (int i = 0; i < 45 || log.segmentsMost() < 3; i++) {
            switch (random.nextInt(20)) {
                case 0 ->
                    log.gather(1, random.nextInt(300))
                            .gather(2, random.nextInt(200))
                            .publish();
                case 1, 2, 3 -> log.flush();
                case 4 -> log.roll();
                case 5 -> log.nextEpoch().append(1, random.nextInt(100));
                case 6 -> log.flushBeside(() -> log.append(2, random.nextInt(300)));
                case 7 -> log.truncate(random.nextLong(log.startOffset(), log.endOffset() + 1));
                case 8 ->
                    log.deletePrefix(random.nextLong(log.startOffset(), log.endOffset() + 1))
                            .work();
                case 9 -> log.retain(random.nextInt(12_000)).work();
                case 10 -> {
                    if (random.nextInt(4) == 0) {
                        log.startAnew(random.nextInt(1_000));
                    }
                }
                case 11 -> log.die(random.nextInt(3) == 0 ? null : PowerCut.random(random));
                case 12 -> log.close();
                default -> log.append(1 + random.nextInt(3), random.nextInt(500));
            }
        }
    }
}
