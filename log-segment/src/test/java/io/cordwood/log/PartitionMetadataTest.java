package io.cordwood.log;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PartitionMetadataTest {
    private static final String ID = "f8M93cjiTPy_L9C4PwjM3g";

    private final MemoryStorage storage = new MemoryStorage();

    @Test
    void whatIsWrittenIsReadAndDurable() {
        final PartitionMetadata metadata =
                new PartitionMetadata(new UUID(0x7fc3_3ddd_c8e2_4cfcL, 0xbf2f_d0b8_3f08_ccdeL));
        assertEquals(ID, metadata.topicIdText());
        metadata.write(storage, "");
        assertEquals("sync directory ", storage.takeTrace().get(4));
        assertEquals("version: 0\ntopic_id: " + ID, new String(storage.content(LogFiles.PARTITION_METADATA), US_ASCII));
        assertEquals(metadata, PartitionMetadata.read(storage, ""));
    }

    @Test
    void aMissingFileIsNoDamage() {
        assertNull(PartitionMetadata.read(storage, ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "version: 0\ntopic_id: " + ID,
                "version: 0\ntopic_id: " + ID + "\n",
                "version: 0\r\ntopic_id: " + ID + "\r\n"
            })
    void theLastLineFeedMayBeMissing(final String text) {
        assertEquals(
                ID, PartitionMetadata.parse("file", text.getBytes(US_ASCII)).topicIdText());
    }

    @ParameterizedTest
    @CsvSource({
        "'',0",
        "'version: 0',0",
        "'topic_id: f8M93cjiTPy_L9C4PwjM3g|version: 0',0",
        "'version: 9|topic_id: f8M93cjiTPy_L9C4PwjM3g',0",
        "'version: |topic_id: f8M93cjiTPy_L9C4PwjM3g',0",
        "'version: 0|',11",
        "'version: 0|topic: f8M93cjiTPy_L9C4PwjM3g',11",
        "'version: 0|topic_id: AAAA',11",
        "'version: 0|topic_id: ',11",
        "'version: 0|topic_id: f8M93cjiTPy_L9C4PwjM3',11",
        "'version: 0|topic_id: f8M93cjiTPy_L9C4PwjM3gg',11",
        "'version: 0|topic_id: f8M93cjiTPy/L9C4PwjM3g',11",
        "'version: 0|topic_id: f8M93cjiTPy_L9C4PwjM3h',11",
        "'version: 0|topic_id: AAAAAAAAAAAAAAAAAAAAAA',11",
        "'version: 0|topic_id: f8M93cjiTPy_L9C4PwjM3g|more',44",
    })
    void damageNamesTheLine(final String text, final long position) {
        storage.put(LogFiles.PARTITION_METADATA, text.replace('|', '\n').getBytes(US_ASCII));
        final CorruptLogException e =
                assertThrows(CorruptLogException.class, () -> PartitionMetadata.read(storage, ""));
        assertEquals("memory/partition.metadata", e.file());
        assertEquals(position, e.position());
    }

    @Test
    void aHugeFileIsRefusedUnread() {
        storage.put(LogFiles.PARTITION_METADATA, new byte[5000]);
        final CorruptLogException e =
                assertThrows(CorruptLogException.class, () -> PartitionMetadata.read(storage, ""));
        assertTrue(String.valueOf(e.getMessage()).contains("5000"), e::toString);
        assertEquals(List.of(), storage.takeTrace());
    }
}
