package io.cordwood.jmh;

import io.cordwood.log.codec.Codec;
import io.cordwood.log.codec.Codecs;
import io.cordwood.log.store.Storage;
import java.nio.file.Path;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * Parts of the toolkit that an integrator may have replaced: classes are named on the command line, and what is measured as ours
 * runs with them.
 */
@State(Scope.Benchmark)
public class Parts {
    /** Class of the storage, with a public constructor that takes the path of its root. */
    @Param("io.cordwood.log.store.DiskStorage")
    public String storage = "io.cordwood.log.store.DiskStorage";

    /** Classes of codecs, separated by {@code +}, each with a public constructor without arguments; the others are ours. */
    @Param("")
    public String codecs = "";

    /** Made by JMH. */
    public Parts() {}

    /**
     * Makes a storage.
     *
     * @param root directory of it.
     * @return to be closed by the caller.
     */
    Storage storage(final Path root) {
        try {
            return Class.forName(storage)
                    .asSubclass(Storage.class)
                    .getConstructor(Path.class)
                    .newInstance(root);
        } catch (final ReflectiveOperationException e) {
            throw new IllegalArgumentException("no Storage to be made of a path: " + storage, e);
        }
    }

    /**
     * Makes the codecs.
     *
     * @return ours, with those that were named in their place.
     */
    Codecs codecs() {
        Codecs all = Codecs.standard();
        for (final String name : codecs.isEmpty() ? new String[0] : codecs.split("\\+", -1)) {
            try {
                all = all.with(Class.forName(name)
                        .asSubclass(Codec.class)
                        .getConstructor()
                        .newInstance());
            } catch (final ReflectiveOperationException e) {
                throw new IllegalArgumentException("no Codec to be made without arguments: " + name, e);
            }
        }
        return all;
    }
}
