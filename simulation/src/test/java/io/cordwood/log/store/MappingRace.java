package io.cordwood.log.store;

import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;

/**
 * Two who look at a mapped file beside one who takes the mapping away: {@link Mapping}, {@link ReadMapping}, {@link RecentSet} and what
 * {@link OpenFiles} does with them. A mapping that somebody looks at is mapped, and one that nobody has any more is not.
 */
public final class MappingRace {
    private final OpenFiles files = RaceFiles.open();
    private final Place place = RaceFiles.enter(files);
    private final ReadMapping first = new ReadMapping(files, place, ReadMapping.Kind.SEALED);
    private final ReadMapping second = new ReadMapping(files, place, ReadMapping.Kind.SEALED);

    /** Creates two handles of a file, of which the first has it mapped. */
    public MappingRace() {
        first.refuse();
        second.refuse();
        first.show(RaceFiles.map(files, place));
    }

    /** Looks through one handle. */
    @Operation(nonParallelGroup = "one")
    public void lookThroughFirst() {
        look(first);
    }

    /** Looks through the other. */
    @Operation(nonParallelGroup = "one")
    public void lookThroughSecond() {
        look(second);
    }

    /** Another thread looks. */
    @Operation(nonParallelGroup = "other")
    public void otherLooksThroughFirst() {
        look(first);
    }

    /** Another thread lets the second handle take over what the first has, which drives that out. */
    @Operation(nonParallelGroup = "other")
    public void share() {
        // As a handle does when it is made: once.
        if (second.mapping() == null) {
            second.share(RaceFiles.BYTES);
        }
    }

    /** Takes away what was outgrown. */
    @Operation(nonParallelGroup = "owner")
    public void renew() {
        first.renew();
    }

    /** Drives out what nobody looks at. */
    @Operation(nonParallelGroup = "owner")
    public void evict() {
        files.close();
    }

    /** Closes. */
    @Operation(nonParallelGroup = "owner")
    public void close() {
        first.close();
    }

    private void look(final ReadMapping file) {
        final Mapping held = file.hold();
        if (held != null) {
            // An address that is not mapped must not be touched, so the list is asked.
            final boolean isMapped = place.mappings().contains(held);
            held.release();
            if (!isMapped) {
                throw new IllegalStateException("a mapping that is looked at is unmapped");
            }
        }
    }

    /** Nothing stays mapped that nobody owns. */
    @Validate
    public void validate() {
        first.close();
        second.close();
        if (!place.mappings().isEmpty() || files.mappingCount() != 0) {
            throw new IllegalStateException("still mapped: " + place.mappings() + ", counted " + files.mappingCount());
        }
    }
}
