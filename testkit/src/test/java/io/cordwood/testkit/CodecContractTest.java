package io.cordwood.testkit;

import io.cordwood.log.codec.Codecs;
import io.cordwood.log.codec.CompressionType;
import io.cordwood.testkit.contract.CodecContract;
import org.junit.jupiter.api.Nested;

/** Our codecs are held to what others' are. */
final class CodecContractTest {
    @Nested
    final class None extends CodecContract {
        None() {
            super(Codecs.standard().of(CompressionType.NONE));
        }
    }

    @Nested
    final class Gzip extends CodecContract {
        Gzip() {
            super(Codecs.standard().of(CompressionType.GZIP));
        }
    }

    @Nested
    final class Snappy extends CodecContract {
        Snappy() {
            super(Codecs.standard().of(CompressionType.SNAPPY));
        }
    }

    @Nested
    final class Lz4 extends CodecContract {
        Lz4() {
            super(Codecs.standard().of(CompressionType.LZ4));
        }
    }

    @Nested
    final class Zstd extends CodecContract {
        Zstd() {
            super(Codecs.standard().of(CompressionType.ZSTD));
        }
    }
}
