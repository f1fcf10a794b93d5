package io.cordwood.log.store;

/**
 * What a directory says of one of its entries.
 *
 * @param name of the entry, without the directory.
 * @param length in bytes; 0 for a directory.
 * @param modifiedMs time of the last change, milliseconds since the epoch.
 * @param isDirectory true for a directory.
 */
public record FileStatus(String name, long length, long modifiedMs, boolean isDirectory) {}
