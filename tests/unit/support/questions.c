/* questions.c - what the tests of the engine share; it knows of the engine only the pool and the shape of a question.
 */
#include "support/questions.h"

#include <errno.h>
#include <time.h>

struct shared_question *shared(const struct question *question)
{
    struct shared_question *shared = question_share(question);
    assert_non_null(shared);
    return shared;
}

struct question ask_solve(uint32_t n, uint64_t limit, const char *format)
{
    struct question question = {
        .kind = ASK_SOLVE,
        .n = n,
        .base = 1,
        .format = format_find(format),
        .key = "a list",
        .path = "/list?n=some",
        .prefix = "",
        .list.cursor.algorithm = "bitboard",
        .list.limit = limit,
        .query.filter = {.n = n, .rule = rules[0]},
    };
    if (n <= FILTER_MAX_N)
        filter_begin(&question.query.filter, n);
    return question;
}

struct question ask_construct(uint32_t n, const char *format)
{
    return (struct question){
        .kind = ASK_CONSTRUCT,
        .n = n,
        .base = 1,
        .format = format_find(format),
        .key = "a construction",
        .path = "/building?n=some",
        .prefix = "",
        .query.filter.rule = rules[0],
        .construct.method = "explicit",
        .construct.last = n ? n - 1 : 0,
    };
}

struct question ask_count(uint32_t n)
{
    struct question question = ask_named("a count");
    question.n = n;
    question.query.filter.n = n;
    if (n <= FILTER_MAX_N)
        filter_begin(&question.query.filter, n);
    return question;
}

struct question ask_named(const char *key)
{
    return (struct question){.kind = ASK_COUNT,
                             .query.filter.rule = rules[0],
                             .base = 1,
                             .format = format_find("json"),
                             .key = key,
                             .path = "/count",
                             .prefix = ""};
}

struct pool *new_pool(unsigned threads, size_t capacity)
{
    struct pool *pool = pool_new(&(struct pool_options){.threads = threads, .capacity = capacity});
    assert_non_null(pool);
    return pool;
}

static bool hold(struct pool_task *task, const struct slice *slice)
{
    struct blocker *blocker = (struct blocker *)task;
    (void)slice;
    atomic_store(&blocker->in, true);
    while (sem_wait(&blocker->out) != 0) {
    }
    atomic_store(&blocker->gone, true);
    return false;
}

void blocker_begin(struct blocker *blocker, struct pool *pool)
{
    blocker->task = (struct pool_task){.run = hold};
    atomic_init(&blocker->in, false);
    atomic_init(&blocker->gone, false);
    assert_int_equal(sem_init(&blocker->out, 0, 0), 0);
    assert_true(pool_add(pool, &blocker->task));
    WAIT_UNTIL(atomic_load(&blocker->in));
}

void blocker_end(struct blocker *blocker)
{
    assert_int_equal(sem_post(&blocker->out), 0);
    WAIT_UNTIL(atomic_load(&blocker->gone));
    assert_int_equal(sem_destroy(&blocker->out), 0);
}

void sleeper_begin(struct sleeper *sleeper)
{
    atomic_init(&sleeper->woken, 0);
    assert_int_equal(sem_init(&sleeper->wake, 0, 0), 0);
}

void sleeper_end(struct sleeper *sleeper)
{
    assert_int_equal(sem_destroy(&sleeper->wake), 0);
}

void sleeper_wake(void *who)
{
    struct sleeper *sleeper = who;
    atomic_fetch_add(&sleeper->woken, 1);
    (void)sem_post(&sleeper->wake);
}

bool sleeper_sleep(struct sleeper *sleeper)
{
    struct timespec until;
    int result = clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += (time_t)(PATIENCE / CLOCK_SECOND);
    while (result == 0 && (result = sem_timedwait(&sleeper->wake, &until)) != 0 && errno == EINTR)
        result = 0;
    return result == 0;
}

void start(pthread_t *thread, void *(*run)(void *), void *context)
{
    assert_int_equal(pthread_create(thread, NULL, run, context), 0);
}
