package io.cordwood.simulation.fuzz;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import io.cordwood.index.SparseIndexes;
import io.cordwood.log.Log;
import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Holds the list of decoders complete: whichever class of the engine takes numbers out of bytes or text is fed by a decoder, or is here
 * with the reason why not. A class that is new stands in neither list, and fails this.
 */
final class DecodersTest {
    private static final String ENGINE = "io.cordwood.";

    /** Classes that parse, without their package's beginning, and a decoder that comes to each. */
    private static final Map<String, String> FED = fed();

    /** Classes that read what the process itself has written or the system tells. */
    private static final Map<String, String> NOT_FED = Map.of(
            "log.record.BatchBuilder", "copies what its caller gives it to encode",
            "log.LogAppender", "reads the ring that the requests of this process were written to",
            "log.store.DiskStorage", "looks for dots in paths that the program names",
            "log.store.Mapping", "moves bytes and looks at none",
            "log.store.OpenFiles", "reads the limit of open files from the system");

    private static final Set<String> TEXT_PARSERS = Set.of("parseInt", "parseLong", "parseShort", "decode", "load");
    private static final Set<String> PARSING_CLASSES = Set.of(
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Short",
            "java.util.Base64$Decoder",
            "java.util.HexFormat",
            "java.util.Properties");
    private static final Set<String> TEXT_TAKERS = Set.of("charAt", "split", "lines", "toCharArray");

    private static Map<String, String> fed() {
        final Map<String, String> fed = new TreeMap<>();
        put(fed, "index/dump", "index.EntryKind", "index.OffsetIndexDescriptor", "index.TimeIndexDescriptor");
        put(fed, "segment/read", "log.BatchCursor", "log.BatchSearch", "log.ReadRun");
        put(fed, "segment/open", "log.BatchScan", "log.SegmentScan");
        put(fed, "segment/transactions", "log.SegmentTails");
        put(fed, "checkpoint/offsets", "log.CheckpointLines");
        put(fed, "clean-shutdown", "log.CleanShutdownMarker", "log.SmallFile");
        put(fed, "settings", "log.ConfigReader");
        put(fed, "names", "log.LogFiles", "log.PartitionName");
        put(fed, "meta.properties", "log.MetaProperties");
        put(fed, "partition.metadata", "log.PartitionMetadata");
        put(fed, "codec/gzip", "log.codec.GzipCodec", "log.codec.CodecBuffer");
        put(fed, "codec/lz4", "log.codec.Lz4Block", "log.codec.Lz4Codec", "log.codec.NativeInput");
        put(fed, "codec/snappy", "log.codec.SnappyCodec");
        put(fed, "codec/zstd", "log.codec.ZstdFrames");
        put(fed, "batch/validated", "log.record.BatchHeader", "log.record.Crc32c");
        put(fed, "batch/validated", "log.record.RecordBatchFlyweight", "log.record.RecordBatchDescriptor");
        put(fed, "mended/batch", "log.record.BatchValidator", "log.record.RawBytes");
        put(fed, "batch/read", "log.record.ControlRecord", "log.record.LegacyMessages");
        put(fed, "batch/read", "log.record.RecordFlyweight", "log.record.RecordReader", "log.record.Varint");
        return fed;
    }

    private static void put(final Map<String, String> fed, final String decoder, final String... classes) {
        Stream.of(classes).forEach(name -> fed.put(name, decoder));
    }

    @Test
    void eachClassThatParsesIsFed() {
        final SortedSet<String> listed = new TreeSet<>(FED.keySet());
        listed.addAll(NOT_FED.keySet());
        assertEquals(FED.size() + NOT_FED.size(), listed.size(), "a class is in both lists");
        final SortedSet<String> parsing = parsing();
        final SortedSet<String> missing = new TreeSet<>(parsing);
        missing.removeAll(listed);
        listed.removeAll(parsing);
        assertEquals(Set.of(), missing, "give these a decoder, or a reason in NOT_FED");
        assertEquals(Set.of(), listed, "these take no bytes apart any more");
    }

    @Test
    void theListNamesDecoders() {
        final Set<String> names = Decoder.all().stream().map(Decoder::name).collect(Collectors.toSet());
        assertEquals(Decoder.all().size(), names.size(), "two have one name");
        assertTrue(names.containsAll(FED.values()), "of " + FED + " only " + names + " exist");
    }

    private static SortedSet<String> parsing() {
        final Collection<JavaClass> engine = new ClassFileImporter()
                        .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
                        .importPackagesOf(Log.class, SparseIndexes.class)
                        .stream()
                        .filter(each -> each.getName().startsWith(ENGINE + "log.")
                                || each.getName().startsWith(ENGINE + "index."))
                        .toList();
        final SortedSet<String> parsing = new TreeSet<>();
        for (final JavaClass each : engine) {
            if (each.getMethodCallsFromSelf().stream().anyMatch(DecodersTest::isParsing)) {
                // What is nested belongs to the class around it.
                parsing.add(each.getName().substring(ENGINE.length()).replaceFirst("\\$.*", ""));
            }
        }
        return parsing;
    }

    private static boolean isParsing(final JavaMethodCall call) {
        final JavaClass owner = call.getTargetOwner();
        final String name = call.getName();
        final boolean isBuffer = owner.isAssignableTo("org.agrona.DirectBuffer")
                || owner.isAssignableTo("java.nio.ByteBuffer")
                || owner.getName().equals("org.agrona.UnsafeApi");
        final boolean isText = PARSING_CLASSES.contains(owner.getName()) && TEXT_PARSERS.contains(name);
        final boolean isTaken = owner.isAssignableTo(CharSequence.class) && TEXT_TAKERS.contains(name);
        if (isText || isTaken || owner.getSimpleName().equals("RawBytes")) {
            return true;
        }
        return isBuffer && (name.startsWith("get") || name.startsWith("parse") || name.equals("byteArray"));
    }
}
