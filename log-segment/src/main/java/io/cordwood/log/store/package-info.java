/**
 * Files, and nothing but files: where bytes are kept, how they become content, and when they are durable.
 *
 * <p>{@link io.cordwood.log.store.Storage} is one directory tree, {@link io.cordwood.log.store.StorageFile} one append-only
 * file in it. A writer claims bytes, fills them in and publishes them:
 *
 * <pre>
 *   0            durable        length()        claimed
 *   |--- forced ---|--- content ---|--- claimed ---|
 *                                  ^ publish() moves this with one write or one release store
 * </pre>
 *
 * <p>Readers look through a {@link io.cordwood.log.store.FileView}, which owns or holds the memory that it shows, so no view
 * can outlive its bytes. {@link io.cordwood.log.store.DiskStorage} is the real disk. Read {@code StorageFile} first.
 */
@NullMarked
package io.cordwood.log.store;

import org.jspecify.annotations.NullMarked;
