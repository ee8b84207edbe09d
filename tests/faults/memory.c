/* memory.c - a library to be preloaded, which makes allocations of the process fail as a file says (NQ_FAULT_MEMORY
 * names it; memory.js, which writes it, has the same layout). It knows nothing of what is allocated, or of
 * whom. It takes the allocator's place in front of glibc's own, so it goes with the plain build only: a sanitizer has
 * its own. */
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* glibc's allocator by the names under which it stays when the usual ones are taken. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *data);

/* While `armed`, allocations are counted (`seen`), and `most` of them fail (`failed`) from the first-th on, counted
 * from 1; 0: none does. `live` are those there are now, taken and not given back, whether armed or not. */
struct orders {
    _Atomic uint64_t armed, first, most, seen, failed, live;
};

/* Where there are no orders, or none yet. */
static struct orders nobody, *_Atomic current = &nobody;

__attribute__((constructor)) static void open_orders(void)
{
    const char *path = getenv("NQ_FAULT_MEMORY");
    const int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    void *shared = mmap(NULL, sizeof(struct orders), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (shared != MAP_FAILED) {
        atomic_store(&((struct orders *)shared)->live, atomic_load(&nobody.live));
        atomic_store(&current, shared);
    }
    (void)close(file);
}

static struct orders *said(void)
{
    return atomic_load_explicit(&current, memory_order_relaxed);
}

/* Whether the next allocation is to fail. */
static bool fails(void)
{
    struct orders *orders = said();
    if (!atomic_load(&orders->armed))
        return false;
    const uint64_t first = atomic_load(&orders->first), number = atomic_fetch_add(&orders->seen, 1) + 1;
    if (!first || number < first || number - first >= atomic_load(&orders->most))
        return false;
    atomic_fetch_add(&orders->failed, 1);
    errno = ENOMEM;
    return true;
}

/* One more, unless there was no memory for it. */
static void *taken(void *data)
{
    if (data)
        atomic_fetch_add_explicit(&said()->live, 1, memory_order_relaxed);
    return data;
}

void *malloc(size_t size)
{
    return fails() ? NULL : taken(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : taken(__libc_calloc(count, size));
}

void *realloc(void *data, size_t size)
{
    if (fails())
        return NULL;
    return data ? __libc_realloc(data, size) : taken(__libc_malloc(size));
}

void *memalign(size_t alignment, size_t size)
{
    return fails() ? NULL : taken(__libc_memalign(alignment, size));
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return memalign(alignment, size);
}

int posix_memalign(void **data, size_t alignment, size_t size)
{
    void *found = memalign(alignment, size);
    if (!found)
        return ENOMEM;
    *data = found;
    return 0;
}

void free(void *data)
{
    if (data)
        atomic_fetch_sub_explicit(&said()->live, 1, memory_order_relaxed);
    __libc_free(data);
}
