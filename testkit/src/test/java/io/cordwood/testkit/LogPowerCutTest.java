package io.cordwood.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The production log on the simulated disk: what was acknowledged as forced is there after any power cut. */
final class LogPowerCutTest {
    private static final int RANDOM_CUTS = 16;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatIsForcedIsThereAfterACutBetweenAnyTwoSteps(final boolean mapped) {
        final SimulatedStorage disk = Disk.empty();
        final LogLives lives = new LogLives(mapped);
        lives.begin(disk);
        final TreeSet<Long> states = new TreeSet<>();
        for (int step = 0; step < 40; step++) {
            step(lives, step);
            explore(disk, lives, states);
        }
        assertTrue(lives.segmentCount() >= 3, lives.segmentCount() + " segments");
        assertTrue(states.size() > 250, states.size() + " distinct states");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLogLivesThroughManyCutsAndKills(final boolean mapped) {
        for (int seed = 0; seed < 12; seed++) {
            final Random random = new Random(seed);
            final LogLives lives = new LogLives(mapped);
            SimulatedStorage disk = Disk.empty();
            for (int life = 0; life < 15; life++) {
                lives.begin(disk);
                for (int steps = random.nextInt(30); steps > 0; steps--) {
                    switch (random.nextInt(8)) {
                        case 0 -> lives.flush();
                        case 1 -> lives.roll();
                        case 2, 3 -> lives.publish();
                        default -> lives.append(1 + random.nextInt(2_000));
                    }
                }
                disk = random.nextInt(4) == 0 ? disk.kill() : disk.powerCut(PowerCut.random(random));
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "false, force *.log 1+ dropped",
        "true, force *.log 1+ dropped",
        "false, force */00000000000000000000.log 2+ dropped",
        "true, force */00000000000000000000.log 2+ dropped",
        "false, sync topics/t-0 1+ dropped",
        "false, sync topics/t-0 2+ dropped",
        "false, sync topics 1+ dropped",
        "false, sync . 1+ dropped",
    })
    void aForceThatIsLeftOutIsFound(final boolean mapped, final String rule) {
        final SimulatedStorage disk = Disk.empty();
        final FaultyStorage faulty = new FaultyStorage(disk, rule);
        final LogLives lives = new LogLives(mapped);
        lives.begin(faulty);
        String found = null;
        for (int step = 0; step < 40 && found == null; step++) {
            step(lives, step);
            found = lives.wrongOn(disk.afterPowerCut(PowerCut.nothing()));
        }
        assertEquals(List.of(), faulty.unused());
        assertNotNull(found);
    }

    /** All that was forced is dropped; the power takes the name of the segment behind it, and leaves the dropped ones theirs. */
    @Test
    void aLogOfWhichAllIsDroppedKeepsItsEnd() {
        final SimulatedStorage disk = Disk.empty();
        final LogLives lives = new LogLives(false);
        lives.begin(disk);
        lives.append(100);
        lives.append(100);
        lives.flush();
        lives.dropAll();
        final SimulatedStorage left = disk.afterPowerCut(change -> change.path().endsWith(".deleted"));
        lives.begin(left);
        assertEquals(2, lives.endOffset());
    }

    /** 40 of these make 4 segments; every fifth is a flush, and so is the one after a roll. */
    private static void step(final LogLives lives, final int step) {
        switch (step % 10) {
            case 4, 9 -> lives.flush();
            case 8 -> lives.roll();
            case 2 -> {
                lives.append(700);
                lives.append(30);
                lives.publish();
            }
            default -> {
                lives.append(100 + 40 * step);
                lives.publish();
            }
        }
    }

    /** None, all, each beginning, each act alone, all but one, and some at random. */
    private static void explore(final SimulatedStorage disk, final LogLives lives, final Set<Long> states) {
        final TreeSet<Integer> acts = new TreeSet<>();
        disk.pending().forEach(change -> acts.add(change.act()));
        final List<PowerCut> cuts = new ArrayList<>(List.of(PowerCut.nothing(), PowerCut.everything()));
        for (final int act : acts) {
            cuts.add(PowerCut.prefix(act));
            cuts.add(change -> change.act() == act);
            cuts.add(change -> change.act() != act);
        }
        for (int seed = 0; seed < RANDOM_CUTS; seed++) {
            cuts.add(PowerCut.random(new Random(seed)));
        }
        for (final PowerCut cut : cuts) {
            final SimulatedStorage left = disk.afterPowerCut(cut);
            if (states.add(left.platterHash())) {
                lives.check(left);
            }
        }
    }
}
