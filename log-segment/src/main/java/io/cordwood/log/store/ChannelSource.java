package io.cordwood.log.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.OpenOption;
import java.nio.file.Path;

/** Opens channels: {@link FileChannel#open(Path, OpenOption...)}, or one whose writes fall short. */
@FunctionalInterface
interface ChannelSource {
    FileChannel open(Path path, OpenOption... options) throws IOException;
}
