package io.cordwood.testkit;

import java.util.Locale;

/** What can be asked of a storage and its files, by the word that rules and traces use. */
enum Act {
    LIST(true),
    OPEN(false),
    RENAME(false),
    DELETE(false),
    MAKE(false),
    REMOVE(false),
    SYNC(false),
    LOCK(false),
    CLAIM(true),
    PUBLISH(false),
    VIEW(true),
    SEND(true),
    TRUNCATE(false),
    FORCE(false),
    CLOSE(false);

    private final boolean isLook;

    Act(final boolean isLook) {
        this.isLook = isLook;
    }

    /** Whether it leaves the disk as it is. */
    boolean isLook() {
        return isLook;
    }

    String word() {
        return name().toLowerCase(Locale.ROOT);
    }
}
