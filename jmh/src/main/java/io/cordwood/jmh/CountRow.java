package io.cordwood.jmh;

/**
 * Work of ours that is counted.
 *
 * @param group name by which it is asked for on the command line.
 * @param name in words; its bound is found by it.
 * @param subject what is run.
 * @param calls of the benchmark's method in one iteration.
 * @param perCall operations that one call does.
 */
record CountRow(String group, String name, Subject subject, int calls, int perCall) {
    int operations() {
        return calls * perCall;
    }
}
