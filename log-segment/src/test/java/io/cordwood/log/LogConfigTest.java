package io.cordwood.log;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.cordwood.log.record.TimestampType;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogConfigTest {
    @Test
    void everyPropertyReachesItsAccessor() {
        final LogConfig config = LogConfig.of(Map.ofEntries(
                Map.entry("segment.bytes", "101"),
                Map.entry("segment.ms", "102"),
                Map.entry("segment.jitter.ms", "103"),
                Map.entry("segment.index.bytes", "104"),
                Map.entry("index.interval.bytes", "105"),
                Map.entry("retention.ms", "106"),
                Map.entry("retention.bytes", "107"),
                Map.entry("flush.messages", "108"),
                Map.entry("flush.ms", "109"),
                Map.entry("file.delete.delay.ms", "110"),
                Map.entry("max.message.bytes", "111"),
                Map.entry("decompressed.bytes.max", "112"),
                Map.entry("message.timestamp.type", "LogAppendTime"),
                Map.entry("message.timestamp.before.max.ms", "113"),
                Map.entry("message.timestamp.after.max.ms", "114"),
                Map.entry("compression.type", "zstd"),
                Map.entry("compression.gzip.level", "5"),
                Map.entry("compression.lz4.level", "6"),
                Map.entry("compression.zstd.level", "-7"),
                Map.entry("preallocate", "true"),
                Map.entry("cleanup.policy", "delete")));
        assertEquals(101, config.segmentBytes());
        assertEquals(102, config.segmentMs());
        assertEquals(103, config.segmentJitterMs());
        assertEquals(104, config.segmentIndexBytes());
        assertEquals(105, config.indexIntervalBytes());
        assertEquals(106, config.retentionMs());
        assertEquals(107, config.retentionBytes());
        assertEquals(108, config.flushMessages());
        assertEquals(109, config.flushMs());
        assertEquals(110, config.fileDeleteDelayMs());
        assertEquals(111, config.maxMessageBytes());
        assertEquals(112, config.decompressedBytesMax());
        assertEquals(TimestampType.LOG_APPEND_TIME, config.timestampType());
        assertEquals(113, config.timestampBeforeMaxMs());
        assertEquals(114, config.timestampAfterMaxMs());
        assertEquals("zstd", config.compressionType());
        assertEquals(4, config.compressionCodecId());
        assertEquals(5, config.compressionGzipLevel());
        assertEquals(6, config.compressionLz4Level());
        assertEquals(-7, config.compressionZstdLevel());
        assertTrue(config.isPreallocated());
        assertEquals(21, config.toProperties().size());
    }

    @ParameterizedTest
    @CsvSource({"producer,-1", "uncompressed,0", "gzip,1", "snappy,2", "lz4,3", "zstd,4"})
    void aCompressionTypeIsACodecId(final String name, final int id) {
        final LogConfig config = LogConfig.defaults().with("compression.type", name);
        assertEquals(id, config.compressionCodecId());
        assertEquals(name, config.compressionType());
    }

    @Test
    void propertiesGiveTheSameSettingsBack() {
        final LogConfig config =
                LogConfig.of(Map.of("segment.bytes", " 4096 ", "retention.ms", "-1", "preallocate", "TRUE"));
        assertEquals(config, LogConfig.of(config.toProperties()));
        assertEquals(config.hashCode(), LogConfig.of(config.toProperties()).hashCode());
        assertNotEquals(config, LogConfig.defaults());
        assertEquals("4096", config.toProperties().get("segment.bytes"));
        assertEquals("true", config.toProperties().get("preallocate"));
        assertThrows(
                UnsupportedOperationException.class, () -> config.toProperties().put("segment.bytes", "1"));
    }

    @Test
    void withChangesOneSettingAndLeavesTheOriginalAlone() {
        final LogConfig config = LogConfig.defaults().with("segment.bytes", "2048");
        assertEquals(2048, config.segmentBytes());
        assertEquals(1 << 30, LogConfig.defaults().segmentBytes());
        final Map<String, String> expected = new TreeMap<>(LogConfig.defaults().toProperties());
        expected.put("segment.bytes", "2048");
        assertEquals(expected, config.toProperties());
    }

    @Test
    void kafkasInternalSegmentBytesWins() {
        assertEquals(
                4096, LogConfig.of(Map.of("internal.segment.bytes", "4096")).segmentBytes());
        final LogConfig both = LogConfig.of(Map.of("internal.segment.bytes", "4096", "segment.bytes", "9999999"));
        assertEquals(4096, both.segmentBytes());
        assertEquals(512, both.with("segment.bytes", "512").segmentBytes());
        assertFalse(both.toProperties().containsKey("internal.segment.bytes"));
    }

    @Test
    void compactionIsRefusedWithTheReason() {
        for (final String policy : new String[] {"compact", "compact,delete", "delete,compact"}) {
            final ConfigException e =
                    assertThrows(ConfigException.class, () -> LogConfig.of(Map.of("cleanup.policy", policy)));
            assertEquals("cleanup.policy", e.field());
            assertEquals(policy, e.value());
            assertTrue(e.limit().contains("module"), e.limit());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"min.insync.replicas", "delete.retention.ms", "remote.storage.enable", "segment.byte", ""})
    void othersAreRefusedByName(final String name) {
        final ConfigException e = assertThrows(ConfigException.class, () -> LogConfig.of(Map.of(name, "1")));
        assertEquals(name, e.field());
        assertEquals("1", e.value());
        assertTrue(e.limit().contains("segment.index.bytes"), e.limit());
    }

    @ParameterizedTest
    @CsvSource({
        "segment.bytes,60,61",
        "segment.index.bytes,11,12",
        "retention.bytes,-2,-1",
        "decompressed.bytes.max,0,1",
    })
    void ourOwnLowerBoundsNameFieldValueAndLimit(final String name, final String refused, final String least) {
        final ConfigException e = assertThrows(ConfigException.class, () -> LogConfig.of(Map.of(name, refused)));
        assertEquals(name, e.field());
        assertEquals(refused, e.value());
        assertTrue(e.limit().contains("from " + least + " to "), e.limit());
        assertEquals(least, LogConfig.of(Map.of(name, least)).toProperties().get(name));
    }
}
