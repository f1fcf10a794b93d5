package io.cordwood.simulation.kill;

import io.cordwood.log.AppendAs;
import io.cordwood.log.AppendTicket;
import io.cordwood.log.DirectoryConfig;
import io.cordwood.log.FlushAgent;
import io.cordwood.log.Log;
import io.cordwood.log.LogAppender;
import io.cordwood.log.LogConfig;
import io.cordwood.log.LogDirectory;
import io.cordwood.log.LogRequest;
import io.cordwood.log.MetaProperties;
import io.cordwood.log.PartitionName;
import io.cordwood.log.store.DiskStorage;
import io.cordwood.simulation.Partitions;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Appends numbered batches through a {@link LogAppender} without end, now and then rolls, truncates and deletes, and says on its
 * standard output what was acknowledged, one line each:
 * <pre>
 *   a OFFSET NUMBER     the batch is acknowledged
 *   cutting OFFSET      what lies at or above may go
 *   cut OFFSET          it has gone
 *   dropping OFFSET     what lies below may go
 * </pre>
 */
final class AppendingProcess {
    /** Runs that are under way at once, at most. */
    static final int TICKETS = 8;

    static final PartitionName NAME = new PartitionName("t", 0);

    private static final int CHANGE_EVERY = 40;
    private static final LogConfig CONFIG = LogConfig.of(Map.of(
            "segment.bytes",
            "16384",
            "segment.index.bytes",
            "4096",
            "index.interval.bytes",
            "1000",
            "file.delete.delay.ms",
            "1",
            "retention.ms",
            "-1"));

    private final Log log;
    private final LogAppender appender;
    private final AppendAs terms;
    private final Random random;
    private final AppendTicket[] tickets = new AppendTicket[TICKETS];
    private final long[] numbers = new long[TICKETS];
    private final NumberedBatch batches = new NumberedBatch();
    private final PrintStream out = new PrintStream(System.out, false, StandardCharsets.US_ASCII);
    private final IdleStrategy idle = new BackoffIdleStrategy();
    private long next;

    private AppendingProcess(
            final Log log, final LogAppender appender, final AppendAs terms, final Random random, final long next) {
        this.log = log;
        this.appender = appender;
        this.terms = terms;
        this.random = random;
        this.next = next;
        for (int i = 0; i < TICKETS; i++) {
            tickets[i] = appender.newTicket();
        }
    }

    /**
     * Starts it.
     *
     * @param arguments directory, whether mapped, whether forced, seed, number of the first batch.
     */
    public static void main(final String[] arguments) {
        final DiskStorage storage = new DiskStorage(Path.of(arguments[0]));
        final LogDirectory directory = open(storage);
        final Log log = open(directory, Boolean.parseBoolean(arguments[1]));
        final LogAppender appender = new LogAppender(log, System::currentTimeMillis, 1 << 14);
        final FlushAgent flusher = new FlushAgent(System::currentTimeMillis);
        flusher.add(log);
        final boolean isForced = Boolean.parseBoolean(arguments[2]);
        final AppendAs terms = isForced ? AppendAs.client(0).forced() : AppendAs.client(0);
        final AppendingProcess process = new AppendingProcess(
                log, appender, terms, new Random(Long.parseLong(arguments[3])), Long.parseLong(arguments[4]));
        AgentRunner.startOnThread(new AgentRunner(new BackoffIdleStrategy(), AppendingProcess::giveUp, null, appender));
        AgentRunner.startOnThread(new AgentRunner(new BackoffIdleStrategy(), AppendingProcess::giveUp, null, flusher));
        try {
            process.run(directory);
        } catch (final RuntimeException | Error e) {
            giveUp(e);
        }
    }

    static LogDirectory open(final DiskStorage storage) {
        final LogDirectory directory = LogDirectory.openOwned(
                storage, new DirectoryConfig(1_000, 20, 50), MetaProperties.fresh(new UUID(1, 2), "cluster", 1));
        directory.create(NAME, null);
        return directory;
    }

    static Log open(final LogDirectory directory, final boolean isMapped) {
        return Partitions.open(directory, NAME, CONFIG, isMapped, System.currentTimeMillis());
    }

    private static void giveUp(final Throwable cause) {
        cause.printStackTrace(System.err);
        Runtime.getRuntime().halt(3);
    }

    private void run(final LogDirectory directory) {
        while (true) {
            offerAndCollect();
            out.flush();
            directory.doWork(System.currentTimeMillis());
            final RuntimeException failure = directory.failure();
            if (failure != null) {
                throw failure;
            }
            if (random.nextInt(CHANGE_EVERY) == 0) {
                awaitAll();
                change(directory);
            }
        }
    }

    private void offerAndCollect() {
        int done = 0;
        for (int i = 0; i < TICKETS; i++) {
            done += collect(i) && offer(i) ? 1 : 0;
        }
        idle.idle(done);
    }

    private boolean offer(final int i) {
        final int length = batches.make(next);
        if (!appender.offer(tickets[i], new UnsafeBuffer(batches.memory(), 0, length), 0, length, terms)) {
            return false;
        }
        numbers[i] = next++;
        return true;
    }

    /** Says the outcome of the ticket's last run; false if there is none yet. */
    private boolean collect(final int i) {
        final long outcome = tickets[i].outcome();
        if (outcome == AppendTicket.PENDING) {
            return false;
        }
        if (outcome >= 0) {
            if (numbers[i] > 0) {
                out.println("a " + outcome + " " + numbers[i]);
            }
        } else if (numbers[i] > 0) {
            throw new IllegalStateException("batch " + numbers[i] + " got " + outcome, tickets[i].failure());
        }
        numbers[i] = 0;
        return true;
    }

    private void awaitAll() {
        for (int i = 0; i < TICKETS; i++) {
            while (!collect(i)) {
                idle.idle();
            }
        }
        out.flush();
    }

    private void change(final LogDirectory directory) {
        final long start = log.startOffset();
        final long end = log.endOffset();
        final int what = random.nextInt(4);
        if (what == 0) {
            await(LogRequest.roll(), directory);
        } else if (what == 1) {
            final long offset = Math.max(start, end - random.nextInt(60));
            say("cutting " + offset);
            say("cut " + await(LogRequest.truncateTo(offset), directory));
        } else if (what == 2) {
            final long offset = start + (end - start) / 2;
            say("dropping " + offset);
            await(LogRequest.deletePrefix(offset, end), directory);
        } else {
            await(LogRequest.flush(), directory);
        }
    }

    private void say(final String line) {
        out.println(line);
        out.flush();
    }

    /** The directory is asked as well: a truncation waits until it has lowered the recovery point. */
    private long await(final LogRequest request, final LogDirectory directory) {
        log.request(request);
        while (!request.isDone()) {
            directory.doWork(System.currentTimeMillis());
            idle.idle();
        }
        return request.result();
    }
}
