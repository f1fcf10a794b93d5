package io.cordwood.simulation.crash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.testkit.FaultyStorage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A disk that fails at each act of a log's life in turn, once or for good. Where it may fail is found by a life without a failure, so
 * that no act is left out.
 */
final class FaultCampaignTest {
    /** Acts that need room. */
    private static final List<String> FULL = List.of("open", "rename", "make", "claim", "publish");

    private static final List<String> SHORT = List.of("publish", "send");

    /** G6, where it is noticed that the bytes are lost: the machine stops, which is what a log that is off line asks for. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void afterAFailedForceNothingIsAcknowledgedAndWhatWasIsThereAfterAPowerCut(final boolean isMapped) {
        final List<String> rules = new ArrayList<>();
        counts(isMapped).forEach((act, count) -> {
            for (int n = 1; n <= count; n++) {
                if (act.equals("force")) {
                    rules.add("force * " + n + " eio");
                    rules.add("force * " + n + "+ eio");
                    rules.add("force * " + n + " lost");
                } else if (act.equals("sync")) {
                    rules.add("sync * " + n + " eio");
                    rules.add("sync * " + n + "+ eio");
                }
            }
        });
        assertTrue(rules.size() >= 100, rules.size() + " sites");
        run(isMapped, rules);
    }

    /** G7. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whateverFailsIsToldAndWhatWasAcknowledgedIsStillThere(final boolean isMapped) {
        final List<String> rules = new ArrayList<>();
        int acts = 0;
        int growing = 0;
        for (final Map.Entry<String, Integer> entry : counts(isMapped).entrySet()) {
            final String act = entry.getKey();
            for (int n = 1; n <= entry.getValue(); n++) {
                if (!act.equals("claim")) {
                    rules.add(act + " * " + n + " eio");
                }
                if (FULL.contains(act)) {
                    rules.add(act + " * " + n + " enospc");
                }
                if (SHORT.contains(act)) {
                    rules.add(act + " * " + n + " short=70");
                }
            }
            acts += act.equals("claim") ? 0 : entry.getValue();
            growing += FULL.contains(act) ? entry.getValue() : 0;
        }
        for (int n = 1; n <= acts; n++) {
            rules.add("* * " + n + "+ eio");
        }
        for (int n = 1; n <= growing; n++) {
            rules.add("* * " + n + "+ enospc");
        }
        assertTrue(rules.size() >= 100, rules.size() + " sites");
        run(isMapped, rules);
    }

    private static void run(final boolean isMapped, final List<String> rules) {
        final List<String> wrong = new ArrayList<>();
        int failures = 0;
        for (int i = 0; i < rules.size(); i++) {
            final String rule = rules.get(i);
            final FaultLife life = new FaultLife(isMapped, rule);
            try {
                live(rule.endsWith(" lost") ? life.endingAtFailedForce() : life).finish(i);
                assertEquals(List.of(), life.storage().unused());
                failures += life.failures();
            } catch (final RuntimeException | AssertionError e) {
                final List<String> trace = life.storage().trace();
                wrong.add(rule + ": " + e + "\n  after " + trace.subList(Math.max(0, trace.size() - 6), trace.size()));
            }
        }
        assertTrue(wrong.isEmpty(), wrong.size() + " of " + rules.size() + ":\n" + String.join("\n", wrong));
        assertTrue(failures >= rules.size(), failures + " failures by " + rules.size() + " rules");
    }

    private static FaultLife live(final FaultLife life) {
        return life.append(1, 100)
                .append(3, 100)
                .gatherAndPublish(2, 80)
                .flush()
                .append(2, 300)
                .nextEpoch()
                .append(2, 400)
                .append(1, 700)
                .flush()
                .append(1, 90)
                .roll()
                .append(2, 60)
                .read()
                .reopen(true)
                .append(1, 900)
                .append(1, 900)
                .flush()
                .checked()
                .retain(5000)
                .deletePrefix(1)
                .append(2, 200)
                .truncate(1, false)
                .append(1, 100)
                .flush()
                .truncate(1, true)
                .append(1, 1200)
                .append(1, 1200)
                .reopen(false)
                .append(1, 50)
                .flush()
                .checked()
                .startAnew(100)
                .append(2, 70)
                .flush()
                .reopen(true);
    }

    /** How often each act is done if nothing fails. */
    private static Map<String, Integer> counts(final boolean isMapped) {
        final FaultLife sound = live(new FaultLife(isMapped));
        final FaultyStorage storage = sound.storage();
        final Map<String, Integer> counts = new TreeMap<>();
        for (final String line : storage.trace()) {
            counts.merge(line.substring(0, line.indexOf(' ')), 1, Integer::sum);
        }
        assertEquals(0, sound.failures());
        sound.finish(0);
        return counts;
    }
}
