/**
 * A disk that lies, for those who test what must survive it: a log, a store, or an integrator's own code over {@code Storage}.
 *
 * <p>{@link io.cordwood.testkit.SimulatedStorage} stands in for the real disk. What was forced is on its platter, what was not is
 * pending, and a {@link io.cordwood.testkit.PowerCut} decides about each {@link io.cordwood.testkit.Pending} change:
 *
 * <pre>
 *   disk = new SimulatedStorage(clock)
 *     ... the code under test appends, forces, dies ...
 *   disk = disk.powerCut(PowerCut.random(new Random(seed)))
 *     ... the code under test opens again: is everything there that was promised? ...
 * </pre>
 *
 * <p>{@link io.cordwood.testkit.FaultyStorage} stands before this disk or a real one, lets acts fail, fall short, be slow or lie, by rules that
 * are read at a glance or made from a seed, and tells of all of them.
 *
 * <p>What a log owes then is known by its {@link io.cordwood.testkit.LogHistory}, which the test tells of each act;
 * {@link io.cordwood.testkit.LogChecker} opens what is left, and says what is missing, invented, or different the second time.
 *
 * <p>For code that runs on several machines {@link io.cordwood.testkit.SimulatedScheduler} moves a
 * {@link io.cordwood.testkit.SimulatedClock} from task to task, and {@link io.cordwood.testkit.SimulatedNetwork} carries messages:
 *
 * <pre>
 *   clock = new SimulatedClock(startMs);  scheduler = new SimulatedScheduler(clock, seed)
 *   network = new SimulatedNetwork(scheduler, clock, seed)
 *   network.listen(node, handler) ...  scheduler.after(delayMs, "round of node 1", task) ...
 *   scheduler.runFor(60_000)  ... the checks; scheduler.trace() has one hash for one seed, in each JVM ...
 * </pre>
 *
 * {@code io.cordwood.testkit.contract} holds what every storage is held to, this one and the real one alike. Nothing here owns
 * a thread, a clock or a source of randomness: the same arguments give the same states. Read {@code SimulatedStorage} first.
 */
@NullMarked
package io.cordwood.testkit;

import org.jspecify.annotations.NullMarked;
