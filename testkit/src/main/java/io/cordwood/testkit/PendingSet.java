package io.cordwood.testkit;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What is pending at one moment, and the sets of it that are tried. Immutable. */
final class PendingSet {
    private static final int RANDOM_KINDS = 4;

    private final List<Pending> changes;

    /** Numbers of the changes, in the order of their acts. */
    private final int[] byAct;

    /** For each change the number of its act among those that are pending. */
    private final int[] actOf;

    private final int actCount;

    /** Number of the first sector of the last write; -1 if no write is pending. */
    private final int lastWrite;

    PendingSet(final List<Pending> changes) {
        this.changes = changes;
        this.byAct = IntStream.range(0, changes.size())
                .boxed()
                .sorted(Comparator.comparingInt(i -> changes.get(i).act()))
                .mapToInt(i -> i)
                .toArray();
        this.actOf = new int[changes.size()];
        int acts = 0;
        for (int i = 0; i < byAct.length; i++) {
            if (i > 0
                    && changes.get(byAct[i]).act() != changes.get(byAct[i - 1]).act()) {
                acts++;
            }
            actOf[byAct[i]] = acts;
        }
        this.actCount = byAct.length == 0 ? 0 : acts + 1;
        this.lastWrite = lastWrite();
    }

    private int lastWrite() {
        int last = -1;
        for (int i = 0; i < changes.size(); i++) {
            if (changes.get(i).kind() == Pending.Kind.SECTOR && (last < 0 || actOf[i] > actOf[last])) {
                last = i;
            }
        }
        return last;
    }

    private boolean isOfLastWrite(final Pending change) {
        final Pending last = changes.get(lastWrite);
        return change.kind() != Pending.Kind.NAME
                && change.act() == last.act()
                && change.path().equals(last.path());
    }

    /**
     * The sets to try.
     *
     * @param isFine false for whole acts alone.
     * @param randomCount how many by the seed.
     * @param tearsEvery after how many bytes of the last write the next tear follows; 0 for none within a sector.
     */
    List<CrashState> states(final boolean isFine, final int randomCount, final int tearsEvery) {
        final List<CrashState> states = new ArrayList<>();
        states.add(CrashState.NONE);
        if (changes.isEmpty()) {
            return states;
        }
        states.add(CrashState.ALL);
        for (int i = 1; i < byAct.length; i++) {
            if (isFine || actOf[byAct[i]] != actOf[byAct[i - 1]]) {
                states.add(new CrashState('p', i));
            }
        }
        for (int act = 0; act < actCount && actCount > 1; act++) {
            states.add(new CrashState('w', act));
            states.add(new CrashState('v', act));
        }
        for (int i = 0; isFine && i < byAct.length && actCount < byAct.length; i++) {
            states.add(new CrashState('o', i));
            states.add(new CrashState('b', i));
        }
        // Of two changes all four sets are there already.
        for (int i = 0; i < randomCount && changes.size() > 2; i++) {
            states.add(new CrashState('r', i));
        }
        if (tearsEvery > 0 && lastWrite >= 0) {
            addTears(states, tearsEvery);
        }
        return states;
    }

    /** Whether there is such a set, tried or not. */
    boolean has(final CrashState state) {
        final int number = state.number();
        return switch (state.kind()) {
            case 'n', 'k' -> true;
            case 'a' -> !changes.isEmpty();
            case 'p' -> number > 0 && number < changes.size();
            case 'w', 'v' -> number < actCount;
            case 'o', 'b' -> number < changes.size();
            case 't', 's' -> number > 0 && number < lastWriteBytes();
            default -> changes.size() > 2;
        };
    }

    private void addTears(final List<CrashState> states, final int every) {
        final long length = lastWriteBytes();
        for (int at = every; at < length; at += every) {
            states.add(new CrashState('t', at));
            states.add(new CrashState('s', at));
        }
    }

    /** From the first to the last sector of the last write; 0 if no write is pending. */
    long lastWriteBytes() {
        if (lastWrite < 0) {
            return 0;
        }
        long end = 0;
        for (final Pending change : changes) {
            if (change.kind() == Pending.Kind.SECTOR && isOfLastWrite(change)) {
                end = Math.max(end, change.position() + Image.SECTOR_BYTES);
            }
        }
        return end - changes.get(lastWrite).position();
    }

    /** For each change whether it survives. */
    boolean[] kept(final CrashState state, final long seed) {
        final int number = state.number();
        final boolean[] kept = new boolean[changes.size()];
        switch (state.kind()) {
            case 'n' -> {}
            case 'a', 'k' -> Arrays.fill(kept, true);
            case 'p' -> IntStream.range(0, Math.min(number, kept.length)).forEach(i -> kept[byAct[i]] = true);
            case 't', 's' -> {
                for (int i = 0; i < kept.length; i++) {
                    kept[i] = lastWrite >= 0 && (actOf[i] < actOf[lastWrite] || isOfLastWrite(changes.get(i)));
                }
            }
            case 'r' -> atRandom(kept, number, new SplittableRandom(Image.mix(seed, number)));
            default -> {
                final boolean isOfChange = state.kind() == 'o' || state.kind() == 'b';
                final boolean isAlone = state.kind() == 'o' || state.kind() == 'w';
                for (int i = 0; i < kept.length; i++) {
                    kept[i] = ((isOfChange ? i : actOf[i]) == number) == isAlone;
                }
            }
        }
        return kept;
    }

    private void atRandom(final boolean[] kept, final int number, final SplittableRandom random) {
        switch (number % RANDOM_KINDS) {
            case 0 -> {
                for (int i = 0; i < kept.length; i++) {
                    kept[i] = random.nextBoolean();
                }
            }
            case 1 -> {
                final int lost = 1 + random.nextInt(3);
                Arrays.fill(kept, true);
                for (int i = 0; i < lost; i++) {
                    kept[random.nextInt(kept.length)] = false;
                }
            }
            case 2 -> eachFileByItself(kept, random);
            default -> {
                // Up to some change all, from there on by the coin.
                final int sure = random.nextInt(kept.length);
                for (int i = 0; i < kept.length; i++) {
                    kept[byAct[i]] = i < sure || random.nextBoolean();
                }
            }
        }
    }

    /** A disk is often behind with some files and not with others. */
    private void eachFileByItself(final boolean[] kept, final SplittableRandom random) {
        final Map<String, Integer> upTo = new HashMap<>();
        for (final int i : byAct) {
            final Pending change = changes.get(i);
            final int act = upTo.computeIfAbsent(
                    change.kind() == Pending.Kind.NAME ? "" : change.path(), path -> random.nextInt(actCount + 1));
            kept[i] = actOf[i] < act;
        }
    }

    /** Whether a write of several sectors survives in part. */
    boolean isTorn(final CrashState state, final boolean[] kept) {
        if (state.isTear()) {
            return true;
        }
        final int[] sectors = new int[actCount];
        final int[] keptSectors = new int[actCount];
        for (int i = 0; i < kept.length; i++) {
            if (changes.get(i).kind() == Pending.Kind.SECTOR) {
                sectors[actOf[i]]++;
                keptSectors[actOf[i]] += kept[i] ? 1 : 0;
            }
        }
        for (int i = 0; i < actCount; i++) {
            if (keptSectors[i] > 0 && keptSectors[i] < sectors[i]) {
                return true;
            }
        }
        return false;
    }

    int actCount() {
        return actCount;
    }

    int size() {
        return changes.size();
    }

    /** The changes that survive, or those that do not, in words. */
    String words(final boolean[] kept, final boolean areWanted) {
        final StringBuilder words = new StringBuilder();
        for (final int i : byAct) {
            if (kept[i] == areWanted) {
                final Pending change = changes.get(i);
                words.append(words.isEmpty() ? "" : ", ")
                        .append(change.act())
                        .append(' ')
                        .append(change.kind().name().toLowerCase(Locale.ROOT))
                        .append(' ')
                        .append(change.path());
                if (change.kind() != Pending.Kind.NAME) {
                    words.append('@').append(change.position());
                }
            }
        }
        return words.isEmpty() ? "nothing" : words.toString();
    }

    /** A cut that leaves what is named. It is asked in the order of the changes, once. */
    PowerCut leaving(final CrashState state, final boolean[] kept) {
        if (state.isTear() && lastWrite >= 0) {
            return new Tear(kept, changes.get(lastWrite).position() + state.number(), state.kind() == 's');
        }
        final int[] at = new int[1];
        return change -> kept[at[0]++];
    }

    private final class Tear implements PowerCut {
        private final boolean[] kept;
        private final long position;
        private final boolean isShort;
        private int at;

        Tear(final boolean[] kept, final long position, final boolean isShort) {
            this.kept = kept;
            this.position = position;
            this.isShort = isShort;
        }

        @Override
        public boolean survives(final Pending change) {
            return kept[at++];
        }

        @Override
        public long upTo(final Pending change) {
            final boolean isCut = isOfLastWrite(change) && (isShort || change.kind() == Pending.Kind.SECTOR);
            return isCut ? position : Long.MAX_VALUE;
        }
    }
}
