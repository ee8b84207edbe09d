/* chore.c - chores on threads of the pool, and a list of them so that they end when the service does. */
#include "engine/run/chore.h"

#include <assert.h>
#include <stdlib.h>

struct chores {
    struct pool *pool;
    struct lock lock; /* of the list */
    struct chore *list;
    bool closed;
};

struct chores *chores_new(struct pool *pool)
{
    struct chores *chores = calloc(1, sizeof *chores);
    if (!chores)
        return NULL;
    chores->pool = pool;
    lock_init(&chores->lock, LOCK_CHORES);
    return chores;
}

void chores_free(struct chores *chores)
{
    if (!chores)
        return;
    assert(!chores->list);
    lock_destroy(&chores->lock);
    free(chores);
}

/* ---- The list ---- */

/* False: no more chores are accepted. */
static bool list(struct chore *chore)
{
    struct chores *chores = chore->home;
    lock_take(&chores->lock);
    const bool open = !chores->closed;
    if (open) {
        chore->next = chores->list;
        chore->at = &chores->list;
        if (chore->next)
            chore->next->at = &chore->next;
        chores->list = chore;
    }
    lock_release(&chores->lock);
    return open;
}

static void unlist(struct chore *chore)
{
    lock_assert(&chore->home->lock);
    if (!chore->at)
        return;
    *chore->at = chore->next;
    if (chore->next)
        chore->next->at = chore->at;
    chore->at = NULL;
    chore->next = NULL;
}

/* ---- One chore ---- */

/* The first end counts, and wakes who asked. Its status is there before the function is told to stop, so that one that
 * stopped is never taken for one that was carried out. */
static void end(struct chore *chore, enum nq_status status)
{
    const bool first = pending_end(&chore->pending, status);
    lock_none_held();
    atomic_store(&chore->stop, true);
    lock_take(&chore->home->lock);
    unlist(chore);
    lock_release(&chore->home->lock);
    if (first)
        pending_notify(&chore->pending);
}

static bool run(struct pool_task *task, const struct slice *slice)
{
    struct chore *chore = (struct chore *)((char *)task - offsetof(struct chore, task));
    (void)slice;
    if (pending_status(&chore->pending) == NQ_AGAIN)
        chore->order.run(chore->order.state, &chore->stop);
    end(chore, NQ_OK); /* unless it was cancelled */
    pending_unref(&chore->pending);
    return false;
}

static void cancel(struct pending *pending, enum nq_status why)
{
    struct chore *chore = (struct chore *)pending;
    end(chore, why);
    pool_hurry(&chore->task); /* or it would keep its place in the queue; the caller's reference keeps the task */
}

static void chore_free(struct pending *pending)
{
    struct chore *chore = (struct chore *)pending;
    assert(!chore->at);
    chore->order.free(chore->order.state);
    free(chore);
}

static const struct pending_class chore_class = {.cancel = cancel, .free = chore_free};

struct chore *chore_begin(struct chores *chores, const struct chore_order *order)
{
    struct chore *chore = malloc(sizeof *chore);
    if (!chore) {
        order->free(order->state);
        return NULL;
    }
    *chore = (struct chore){.pending = PENDING_ONCE(&chore_class, order->wake, order->who),
                            .order = *order,
                            .task = {.run = run, .turn.client = order->client},
                            .home = chores};
    const bool open = list(chore);
    if (open && pool_try_add(chores->pool, &chore->task))
        return chore;
    end(chore, open ? NQ_BUSY : NQ_CLOSED);
    pending_unref(&chore->pending); /* the pool's */
    return chore;
}

void chores_close(struct chores *chores)
{
    struct chore *chore;
    if (!chores)
        return;
    do {
        lock_take(&chores->lock);
        chores->closed = true;
        chore = chores->list;
        if (chore) {
            unlist(chore);
            pending_ref(&chore->pending);
        }
        lock_release(&chores->lock);
        if (chore) {
            cancel(&chore->pending, NQ_CLOSED);
            pending_unref(&chore->pending);
        }
    } while (chore);
}

#ifdef CHECKS
void chores_check(struct chores *chores)
{
    struct chore *const *at = &chores->list;
    if (!lock_take_to_check(&chores->lock))
        return;
    for (const struct chore *chore = chores->list; chore; at = &chore->next, chore = chore->next) {
        assert(chore->home == chores && chore->at == at);
        assert(atomic_load(&chore->pending.references) >= 1);
    }
    assert(!chores->closed || !chores->list);
    lock_release(&chores->lock);
}
#endif
