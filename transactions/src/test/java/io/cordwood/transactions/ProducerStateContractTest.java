package io.cordwood.transactions;

import io.cordwood.testkit.contract.DerivedStateContract;
import java.util.List;

/** Producers and their transactions, as every derived state: what follows from the batches, but for all but the last batch of each producer. */
final class ProducerStateContractTest extends DerivedStateContract<ProducerState> {
    ProducerStateContractTest() {
        super(
                (storage, directory) -> new ProducerState(storage, directory, ProducerConfig.defaults()),
                ProducerStateContractTest::content);
    }

    private static Object content(final ProducerState state) {
        return List.of(
                state.firstUndecidedOffset(),
                state.producers().stream()
                        .map(ProducerStateContractTest::lastOf)
                        .toList());
    }

    /** A snapshot has no more. */
    private static ProducerEntry lastOf(final ProducerEntry entry) {
        final int count = entry.batches().size();
        return new ProducerEntry(
                entry.producerId(),
                entry.epoch(),
                entry.coordinatorEpoch(),
                entry.lastTimestamp(),
                entry.transactionFirst(),
                entry.batches().subList(Math.max(0, count - 1), count));
    }

    /** Producers are clients, whose records may go while they go on. */
    @Override
    protected Object retained(final Object ofAll, final Object ofThoseLeft) {
        return ofAll;
    }
}
