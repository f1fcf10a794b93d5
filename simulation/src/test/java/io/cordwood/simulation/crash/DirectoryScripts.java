package io.cordwood.simulation.crash;

import io.cordwood.testkit.PowerCut;
import java.util.Map;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What is done to a data directory: each script makes at least 60 acts, and 3 segments of one log. */
final class DirectoryScripts {
    private DirectoryScripts() {}

    /** The scripts by their names. */
    static Map<String, Consumer<DirectoryLife>> all() {
        final Map<String, Consumer<DirectoryLife>> scripts = new TreeMap<>();
        scripts.put("checkpoints", DirectoryScripts::checkpoints);
        scripts.put("partitions", DirectoryScripts::partitions);
        scripts.put("shutdown", DirectoryScripts::shutdown);
        scripts.put("restart", DirectoryScripts::restart);
        scripts.put("broker", DirectoryScripts::broker);
        return scripts;
    }

    private static void fill(final LogWriter log, final int batches, final int valueBytes) {
        for (int i = 0; i < batches; i++) {
            log.append(2, valueBytes + 20 * i);
        }
    }

    /** Recovery points and starts move up, and down before a truncation. */
    private static void checkpoints(final DirectoryLife directory) {
        final LogWriter first = directory.create(0);
        final LogWriter second = directory.create(1);
        for (int round = 0; round < 4; round++) {
            fill(first, 6, 200);
            first.flush();
            fill(second, 2, 100);
            directory.work(100);
            fill(first, 3, 150);
            second.flush();
            directory.work(100);
        }
        first.deletePrefix(first.base(1) + 2).work();
        directory.work(100);
        first.truncate(first.endOffset() - 7);
        fill(first.nextEpoch(), 2, 90);
        second.startAnew(100);
        fill(second, 2, 300);
        second.flush();
        directory.work(100);
        first.flush();
        directory.work(100);
    }

    /** Made, deleted, made again under the same name, with its log closed or not. */
    private static void partitions(final DirectoryLife directory) {
        for (int round = 0; round < 2; round++) {
            final LogWriter log = directory.create(0);
            fill(log, 14, 180 + round);
            log.flush();
            directory.work(100);
            fill(log, 1, 60);
            directory.create(1 + round);
            directory.delete(0, round == 0).work(100);
            final LogWriter again = directory.create(0);
            fill(again, 3, 250);
            directory.work(600);
            again.nextEpoch();
            fill(again, 2, 70);
            again.flush();
            directory.delete(0, true).work(600);
        }
    }

    private static void shutdown(final DirectoryLife directory) {
        directory.create(0);
        directory.create(1);
        for (int life = 0; life < 4; life++) {
            fill(directory.log(0), 5, 200 + 10 * life);
            if (life % 2 == 0) {
                directory.log(1).nextEpoch();
                fill(directory.log(1), 2, 100);
                directory.log(0).flush();
                directory.work(200);
            }
            directory.close();
        }
    }

    /** The power goes, or the process dies, and what is recovered goes on. */
    private static void restart(final DirectoryLife directory) {
        final Random random = new Random(9);
        directory.create(0);
        for (int life = 0; life < 6; life++) {
            fill(directory.log(0), 4, 150 + 30 * life);
            if (life % 2 == 0) {
                directory.log(0).flush();
                directory.work(200);
            }
            if (life == 2) {
                fill(directory.create(1), 3, 120);
            }
            if (life == 4) {
                directory.delete(1, false);
            }
            directory.log(0).append(1, 333);
            directory.die(life % 3 == 2 ? null : PowerCut.random(random));
            directory.log(0).append(1, 50).flush();
        }
    }

    /** Whatever the seed says. */
    private static void broker(final DirectoryLife directory) {
        final SplittableRandom random = directory.random();
        directory.create(0);
        for (int i = 0; i < 18 || directory.segmentsMost() < 3; i++) {
            final int partition = random.nextInt(2);
            if (!directory.has(partition)) {
                directory.create(partition);
            }
            final LogWriter log = directory.log(partition);
            switch (random.nextInt(16)) {
                case 0, 1 -> log.flush();
                case 2 -> log.roll().nextEpoch();
                case 3 -> log.truncate(random.nextLong(log.startOffset(), log.endOffset() + 1));
                case 4 ->
                    log.deletePrefix(random.nextLong(log.startOffset(), log.endOffset() + 1))
                            .work();
                case 5, 6, 7 -> directory.work(100L * random.nextInt(6));
                case 8 -> {
                    if (partition > 0) {
                        directory.delete(partition, random.nextBoolean());
                    }
                }
                case 9 -> directory.close();
                case 10 -> directory.die(random.nextInt(3) == 0 ? null : PowerCut.random(random));
                default -> fill(log, 1 + random.nextInt(4), random.nextInt(400));
            }
        }
    }
}
