package io.cordwood.simulation.races;

import io.cordwood.log.store.Storage;
import io.cordwood.log.store.StorageFile;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Any storage; lets somebody else step before and after each act on it, on the same thread. What that one does is not stepped into. */
final class SteppingStorage implements InvocationHandler {
    /** What is no act: asks what the object knows by itself. */
    private static final Set<String> QUESTIONS =
            Set.of("length", "isMapped", "describe", "toString", "hashCode", "equals");

    private final Object target;
    private final Steps steps;

    /** Who steps waits for the one who is stepped into. */
    static final class Waiting extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    /** Who steps, and whether it does just now. */
    static final class Steps {
        private @Nullable Runnable step;
        private boolean isStepping;
        private int count;
        private int looksLeft;

        /** So many acts of who steps are allowed before it counts as waiting. */
        void allow(final int looks) {
            looksLeft = looks;
        }

        /** From now on, until null. */
        void begin(final @Nullable Runnable newStep) {
            step = newStep;
        }

        int count() {
            return count;
        }

        private void take() {
            final Runnable next = step;
            if (isStepping && --looksLeft < 0) {
                throw new Waiting();
            }
            if (next != null && !isStepping) {
                isStepping = true;
                try {
                    count++;
                    next.run();
                } finally {
                    isStepping = false;
                }
            }
        }
    }

    private SteppingStorage(final Object target, final Steps steps) {
        this.target = target;
        this.steps = steps;
    }

    static Storage of(final Storage storage, final Steps steps) {
        return (Storage) proxy(Storage.class, storage, steps);
    }

    private static Object proxy(final Class<?> kind, final Object target, final Steps steps) {
        return Proxy.newProxyInstance(kind.getClassLoader(), new Class<?>[] {kind}, new SteppingStorage(target, steps));
    }

    @Override
    public @Nullable Object invoke(
            final Object proxy, final Method method, final @Nullable Object @Nullable [] arguments) throws Throwable {
        final boolean isAct = !QUESTIONS.contains(method.getName());
        try {
            if (isAct) {
                steps.take();
            }
            final Object result = method.invoke(target, arguments);
            if (isAct) {
                steps.take();
            }
            return result instanceof StorageFile file ? proxy(StorageFile.class, file, steps) : result;
        } catch (final InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
