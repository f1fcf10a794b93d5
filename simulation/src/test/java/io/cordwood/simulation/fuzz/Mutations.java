package io.cordwood.simulation.fuzz;

import io.cordwood.simulation.Limit;
import io.cordwood.simulation.soak.Campaign;
import io.cordwood.simulation.soak.Tally;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import org.agrona.concurrent.UnsafeBuffer;

/** Good inputs, spoilt from a seed, for each decoder: nothing undocumented is thrown, and no more is allocated than the input explains. */
public final class Mutations {
    private static final int[] NUMBERS = {
        0,
        -1,
        1,
        12,
        49,
        61,
        127,
        128,
        255,
        256,
        65_535,
        1 << 20,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        Integer.MAX_VALUE - 11
    };
    private static final int EXECUTIONS = 20_000;
    private static final long INPUT_SECONDS_MOST = 30;

    private Mutations() {}

    /**
     * Lists the campaigns.
     *
     * @return one for each decoder.
     */
    public static List<Campaign> campaigns() {
        final List<Campaign> all = new ArrayList<>();
        for (final Decoder decoder : Decoder.all()) {
            all.add(Campaign.of(
                    "G14", "mutated/" + decoder.name(), (seed, tally) -> play(decoder, seed, EXECUTIONS, tally)));
        }
        return all;
    }

    static void play(final Decoder decoder, final long seed, final int executions, final Tally tally) {
        final Limit limit = new Limit(INPUT_SECONDS_MOST);
        limit.run(decoder.name() + ", seed " + seed, () -> play(decoder, seed, executions, limit));
        tally.add("mutants, " + decoder.name(), executions);
    }

    private static void play(final Decoder decoder, final long seed, final int executions, final Limit limit) {
        final Random random = new Random(seed);
        final List<byte[]> samples = Decoder.samples();
        // What is loaded once is no cost of an input.
        samples.forEach(decoder::feed);
        for (int i = 0; i < executions; i++) {
            final byte[] input = mutant(random, samples);
            final int number = i;
            limit.step(() -> words(decoder, seed, number, input));
            try {
                decoder.feedMeasured(input);
            } catch (final RuntimeException | AssertionError | OutOfMemoryError | StackOverflowError e) {
                throw new AssertionError(words(decoder, seed, number, input) + ": " + e, e);
            }
        }
    }

    private static String words(final Decoder decoder, final long seed, final int number, final byte[] input) {
        return decoder.name() + ", seed " + seed + ", input " + number + ": "
                + HexFormat.of().formatHex(input);
    }

    private static byte[] mutant(final Random random, final List<byte[]> samples) {
        byte[] bytes = samples.get(random.nextInt(samples.size())).clone();
        for (int left = 1 + random.nextInt(4); left > 0; left--) {
            bytes = mutated(random, bytes, samples);
        }
        return bytes;
    }

    private static byte[] mutated(final Random random, final byte[] bytes, final List<byte[]> samples) {
        if (bytes.length < Long.BYTES) {
            return samples.get(random.nextInt(samples.size())).clone();
        }
        final int at = random.nextInt(bytes.length);
        switch (random.nextInt(7)) {
            case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 1 -> bytes[at] = (byte) random.nextInt();
            case 2 ->
                new UnsafeBuffer(bytes)
                        .putInt(
                                Math.min(at, bytes.length - Integer.BYTES),
                                Integer.reverseBytes(NUMBERS[random.nextInt(NUMBERS.length)]));
            case 3 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 4 -> {
                return Arrays.copyOfRange(bytes, at, bytes.length);
            }
            case 5 -> {
                // A piece of another one behind the beginning of this one.
                final byte[] other = samples.get(random.nextInt(samples.size()));
                final byte[] both = Arrays.copyOf(bytes, at + other.length);
                System.arraycopy(other, 0, both, at, other.length);
                return both;
            }
            default ->
                Arrays.fill(bytes, at, Math.min(bytes.length, at + random.nextInt(16)), (byte) random.nextInt(3));
        }
        return bytes;
    }
}
