/**
 * {@link io.cordwood.simulation.crash.FaultCampaignTest}: a disk whose acts fail, each in turn. And power cuts at every act of the production log, with its indexes, on a simulated disk: {@link
 * io.cordwood.simulation.crash.CrashCampaigns} lists the scenarios, each on both stores, {@link
 * io.cordwood.simulation.crash.LogScenario} says what is checked after each cut.
 *
 * <pre>
 *   CrashCampaigns ── script ──> LogLife ── acts ──> Log ──> SimulatedStorage
 *                                   `── promises ──> LogHistory <── found ── LogScenario.check
 * </pre>
 */
@NullMarked
package io.cordwood.simulation.crash;

import org.jspecify.annotations.NullMarked;
