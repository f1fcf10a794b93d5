package io.cordwood.simulation.model;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Objects;

/** A storage that is never forced: for lives in which processes die and power does not, and which are many. */
final class UnforcedStorage {
    private UnforcedStorage() {}

    static Storage over(final Storage disk) {
        return without("syncDirectory", Storage.class, disk);
    }

    private static <T> T without(final String skipped, final Class<T> type, final T real) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (self, method, args) -> {
            if (method.getName().equals(skipped)) {
                return null;
            }
            try {
                final Object result = method.invoke(real, args);
                return method.getName().equals("open")
                        ? without("force", StorageFile.class, (StorageFile) Objects.requireNonNull(result))
                        : result;
            } catch (final InvocationTargetException e) {
                throw e.getTargetException();
            }
        }));
    }
}
