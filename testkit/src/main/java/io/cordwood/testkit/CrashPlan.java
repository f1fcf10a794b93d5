package io.cordwood.testkit;

import java.util.function.Consumer;
import java.util.function.UnaryOperator;

/** The settings of a {@link CrashExplorer}. */
record CrashPlan(
        String name,
        long seed,
        int randomStates,
        int tearsEvery,
        int nestedDepth,
        int nestedRandomStates,
        int nestedFineDepth,
        int oneIn,
        int nestedOneIn,
        CrashStateWatcher states,
        Consumer<CrashReport> progress,
        UnaryOperator<String> replayCommand) {}
