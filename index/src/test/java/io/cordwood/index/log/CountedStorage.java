package io.cordwood.index.log;

import io.cordwood.log.store.FileUse;
import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageException;
import io.cordwood.log.store.StorageFile;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A storage that counts the bytes that are looked at and the acts that change it, and dies at one of them. */
final class CountedStorage {
    private static final Set<String> ACTS =
            Set.of("rename", "delete", "makeDirectory", "syncDirectory", "publish", "truncate", "force");

    private static final Set<String> LOOKS = Set.of("view", "look");

    private final Storage storage;
    private long segmentBytes;
    private long indexBytes;
    private int acts;
    private int diesAt = Integer.MAX_VALUE;

    CountedStorage(final Storage disk) {
        storage = over(Storage.class, disk, "");
    }

    Storage storage() {
        return storage;
    }

    /** From this act on, counted from 1, none is done any more. */
    CountedStorage diesAt(final int act) {
        diesAt = act;
        return this;
    }

    int acts() {
        return acts;
    }

    /** Bytes of segments that were looked at, each as often as it was. */
    long segmentBytes() {
        return segmentBytes;
    }

    long indexBytes() {
        return indexBytes;
    }

    private <T> T over(final Class<T> type, final Object real, final String path) {
        final InvocationHandler handler = (self, method, args) -> call(real, path, method, args);
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private @Nullable Object call(
            final Object real, final String path, final Method method, final Object @Nullable [] args)
            throws Throwable {
        final boolean isOpen = method.getName().equals("open");
        if (ACTS.contains(method.getName()) || (isOpen && args != null && args[1] != FileUse.READ)) {
            acts++;
            if (acts >= diesAt) {
                throw new StorageException(path, method.getName(), "dead (made up by a test)", null);
            }
        }
        try {
            final Object result = method.invoke(real, args);
            if (isOpen && args != null) {
                return over(StorageFile.class, Objects.requireNonNull(result), String.valueOf(args[0]));
            }
            if (LOOKS.contains(method.getName())) {
                count(path, (int) Objects.requireNonNull(result));
            }
            return result;
        } catch (final InvocationTargetException e) {
            throw e.getTargetException();
        }
    }

    private void count(final String path, final int bytes) {
        if (path.endsWith(".log")) {
            segmentBytes += bytes;
        } else {
            indexBytes += bytes;
        }
    }
}
