/* shared_store.h - a store in memory that several processes share, and two processes on it. */
#ifndef TESTS_UNIT_SUPPORT_SHARED_STORE_H
#define TESTS_UNIT_SUPPORT_SHARED_STORE_H

#include <stdlib.h>
#include <string.h>

#include "support/job_process.h"

extern const struct store_class store_memory;

/* ---- A store that is shared ---- */

static struct {
    pthread_mutex_t lock;
    void *self;
    unsigned users, writes;
    atomic_bool held;    /* between reading and writing a record */
    atomic_uint waiting; /* processes, there */
    atomic_uint refused; /* writes, for another one has come first */
    atomic_bool mute;    /* the next write succeeds, but returns that it did not */
    atomic_bool starved; /* it is out of memory */
} shelf = {.lock = PTHREAD_MUTEX_INITIALIZER};

static enum nq_status shared_open(const char *where, const struct store_options *options, void **self,
                                  char error[static STORE_ERROR_MAX])
{
    (void)where, (void)self;
    if (shelf.users++ == 0)
        assert_int_equal(store_memory.open(NULL, options, &shelf.self, error), NQ_OK);
    *self = &shelf;
    return NQ_OK;
}

static void shared_close(void *self)
{
    (void)self;
    if (--shelf.users == 0)
        store_memory.close(shelf.self);
}

static enum nq_status shared_put(void *self, const struct store_fact *facts, size_t count)
{
    (void)self;
    pthread_mutex_lock(&shelf.lock);
    const enum nq_status status = store_memory.put(shelf.self, facts, count);
    shelf.writes++;
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    (void)self;
    pthread_mutex_lock(&shelf.lock);
    const enum nq_status status = store_memory.get(shelf.self, kind, key, value);
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_look(void *self, enum store_kind kind, const char *key, struct bytes *value,
                                  struct store_version *version)
{
    (void)self;
    if (atomic_load(&shelf.starved))
        return NQ_NOMEM;
    pthread_mutex_lock(&shelf.lock);
    version->last = shelf.writes;
    const enum nq_status status = store_memory.get(shelf.self, kind, key, value);
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_replace(void *self, const struct store_fact *fact, const struct store_version *version)
{
    (void)self;
    atomic_fetch_add(&shelf.waiting, 1);
    while (atomic_load(&shelf.held))
        asking_pause();
    atomic_fetch_sub(&shelf.waiting, 1);
    pthread_mutex_lock(&shelf.lock);
    const enum nq_status status = version->last == shelf.writes ? store_memory.put(shelf.self, fact, 1) : NQ_AGAIN;
    shelf.writes += status == NQ_OK;
    pthread_mutex_unlock(&shelf.lock);
    atomic_fetch_add(&shelf.refused, status == NQ_AGAIN);
    return status == NQ_OK && atomic_exchange(&shelf.mute, false) ? NQ_BROKEN : status;
}

static enum nq_status shared_each(void *self, enum store_kind kind, const char *prefix, store_visit *visit,
                                  void *context)
{
    (void)self;
    pthread_mutex_lock(&shelf.lock);
    const enum nq_status status = store_memory.each(shelf.self, kind, prefix, visit, context);
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_delete_prefix(void *self, enum store_kind kind, const char *prefix)
{
    (void)self;
    pthread_mutex_lock(&shelf.lock);
    const enum nq_status status = store_memory.delete_prefix(shelf.self, kind, prefix);
    shelf.writes++;
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_check(void *self)
{
    (void)self;
    return NQ_OK;
}

static struct store_stats shared_stats(const void *self)
{
    (void)self;
    return (struct store_stats){0};
}

static const char *shared_trouble(const void *self)
{
    (void)self;
    return "unknown";
}

static const struct store_class store_shared = {
    .name = "shared",
    .open = shared_open,
    .put = shared_put,
    .look = shared_look,
    .replace = shared_replace,
    .get = shared_get,
    .each = shared_each,
    .delete_prefix = shared_delete_prefix,
    .check = shared_check,
    .stats = shared_stats,
    .trouble = shared_trouble,
    .close = shared_close,
};

/* ---- Processes that share it ---- */

struct replica {
    struct memory_journal kept;
    struct process process;
    struct reopened reopened;
};

/* Its counts do not end until `hold` is cleared. */
static void replica_begin(struct replica *replica)
{
    *replica = (struct replica){.reopened = {0}};
    memory_journal_begin_on(&replica->kept, &store_shared);
    process_begin(&replica->process, &replica->kept, 1, 10, 10);
    replica->process.fixture.script.hold = true;
    process_resume(&replica->process, &replica->reopened);
}

static void replica_end(struct replica *replica)
{
    process_end(&replica->process);
    memory_journal_end(&replica->kept);
}

static struct replica one, other;

static int pair_begin(void **state)
{
    (void)state;
    replica_begin(&one);
    replica_begin(&other);
    return 0;
}

static int pair_end(void **state)
{
    (void)state;
    memory_journal_settle(&one.kept); /* while the other still exists */
    memory_journal_settle(&other.kept);
    replica_end(&one);
    replica_end(&other);
    assert_int_equal(shelf.users, 0);
    return 0;
}

/* A test with both processes. */
#define WITH_PAIR(test) TEST_WITH(test, pair_begin, pair_end)

static inline void next_pair(void)
{
    pair_end(NULL);
    pair_begin(NULL);
}

static void subscribe(struct replica *replica, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_subscribe(&replica->process, "a", id), NQ_OK);
}

static void cancel(struct replica *replica, const char *id, const char *name)
{
    assert_int_equal(jobs_cancel(replica->process.jobs, id, name), NQ_OK);
}

static bool idle(struct replica *replica)
{
    return flights_stats(replica->process.fixture.flights).running == 0;
}

/* The store's record of a job; the caller frees. */
static inline char *stored(const char *id)
{
    struct bytes text = {0};
    assert_int_equal(shared_get(&shelf, STORE_JOB, id, &text), NQ_OK);
    return bytes_take(&text);
}

static inline void receive(struct replica *replica, const char *id, const char *text)
{
    jobs_receive(replica->process.jobs, id, text, strlen(text));
}

/* All changes are stored, and both processes have received them. */
static inline void pair_meets(const char *id)
{
    memory_journal_settle(&one.kept);
    memory_journal_settle(&other.kept);
    char *text = stored(id);
    receive(&one, id, text);
    receive(&other, id, text);
    free(text);
}

/* Then both see the same, and so it is stored. */
static inline void assert_both(const char *id, enum job_state state, unsigned subscriptions)
{
    pair_meets(id);
    for (int i = 0; i < 2; i++) {
        struct replica *replica = i ? &other : &one;
        assert_int_equal(process_subscriptions(&replica->process, id), subscriptions);
        if (job_state_over(state))
            process_expect(&replica->process, id, state, "");
        else
            assert_false(process_sees_end(&replica->process, id));
    }
    expect_stored_job(&one.kept, id, job_state_name(state), subscriptions);
}

#endif
