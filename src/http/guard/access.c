/* access.c - a file, and the keyring that was last read from it. Keys are looked up under the lock, so that a keyring
 * that was replaced is in nobody's hands when it is freed. */
#include "http/guard/access.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/lock.h"

struct access {
    const char *path;
    struct lock lock; /* guards: */
    struct keyring *keyring;
};

/* Reads up to one byte more than a file may have. -1: errno says why. */
static ssize_t read_bytes(int file, char *text)
{
    size_t size = 0;
    ssize_t got = 1;
    while (got > 0 && size <= KEYRING_TEXT_MAX) {
        got = read(file, text + size, KEYRING_TEXT_MAX + 1 - size);
        if (got > 0)
            size += (size_t)got;
    }
    return got < 0 ? -1 : (ssize_t)size;
}

/* NULL with an error. Regular files only: reading anything else might not end. */
static struct keyring *read_file(const char *path, char error[static ACCESS_ERROR_MAX])
{
    struct stat info;
    struct keyring *keyring = NULL;
    char *text = malloc(KEYRING_TEXT_MAX + 1), why[KEYRING_ERROR_MAX] = "out of memory";
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file < 0 || fstat(file, &info) != 0) {
        (void)snprintf(why, sizeof why, "%s", strerrordesc_np(errno));
    } else if (!S_ISREG(info.st_mode)) {
        (void)snprintf(why, sizeof why, "it is not a file");
    } else if (text) {
        const ssize_t size = read_bytes(file, text);
        if (size < 0)
            (void)snprintf(why, sizeof why, "%s", strerrordesc_np(errno));
        else if (size > KEYRING_TEXT_MAX)
            (void)snprintf(why, sizeof why, "it has more than %d bytes", KEYRING_TEXT_MAX);
        else
            keyring = keyring_read(text, (size_t)size, why);
    }
    if (!keyring)
        (void)snprintf(error, ACCESS_ERROR_MAX, "%.300s: %s", path, why);
    if (file >= 0)
        close(file);
    free(text);
    return keyring;
}

struct access *access_open(const char *path, char error[static ACCESS_ERROR_MAX])
{
    struct access *access = calloc(1, sizeof *access);
    struct keyring *keyring = read_file(path, error);
    if (!access || !keyring) {
        free(keyring);
        if (!access)
            (void)snprintf(error, ACCESS_ERROR_MAX, "out of memory");
        free(access);
        return NULL;
    }
    access->path = path;
    access->keyring = keyring;
    lock_init(&access->lock, LOCK_ACCESS);
    return access;
}

void access_close(struct access *access)
{
    if (!access)
        return;
    free(access->keyring);
    lock_destroy(&access->lock);
    free(access);
}

bool access_reload(struct access *access, char error[static ACCESS_ERROR_MAX])
{
    struct keyring *keyring = read_file(access->path, error);
    if (!keyring)
        return false;
    lock_take(&access->lock);
    struct keyring *before = access->keyring;
    access->keyring = keyring;
    lock_release(&access->lock);
    free(before);
    return true;
}

size_t access_count(struct access *access)
{
    lock_take(&access->lock);
    const size_t count = keyring_count(access->keyring);
    lock_release(&access->lock);
    return count;
}

bool access_find(struct access *access, const char *key, size_t size, struct holder *holder)
{
    lock_take(&access->lock);
    const struct holder *found = keyring_find(access->keyring, key, size);
    if (found)
        *holder = *found;
    lock_release(&access->lock);
    return found;
}
