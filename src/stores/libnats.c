/* libnats.c - loads the client library of NATS. It knows none of its calls. */
#include "stores/libnats.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define TEXT(number) #number
#define SONAME(major, minor) "libnats.so." TEXT(major) "." TEXT(minor)

struct libnats libnats;

static char why[STORE_ERROR_MAX]; /* "": it is loaded */

#define LIBNATS_ROW(name) {#name, offsetof(struct libnats, name)},
static const struct {
    const char *name;
    size_t offset;
} calls[] = {LIBNATS_CALLS(LIBNATS_ROW)};

/* It is never unloaded: its threads outlive every connection. */
static void load(void)
{
    void *library = dlopen(SONAME(NATS_VERSION_MAJOR, NATS_VERSION_MINOR), RTLD_NOW | RTLD_LOCAL), *call = library;
    for (size_t i = 0; call && i < sizeof calls / sizeof calls[0]; i++) {
        call = dlsym(library, calls[i].name);
        memcpy((char *)&libnats + calls[i].offset, &call, sizeof call);
    }
    if (!call)
        (void)snprintf(why, sizeof why, "the client library of NATS cannot be loaded: %s", dlerror());
}

bool libnats_load(char error[static STORE_ERROR_MAX])
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    (void)pthread_once(&once, load);
    if (*why)
        memcpy(error, why, sizeof why);
    return !*why;
}
