/* test_chore.c - tests of src/engine/run/chore.c: a chore is carried out once, in the pool, and wakes once; one that is
 * dismissed, while it waits or runs, wakes at once and stops; its state outlives who asked, and no chore outlives the
 * service. */
/* CI builds: address thread */
#include "support/failing_memory.h"

#include "engine/run/chore.c"
#include "support/questions.h"

/* The state of a chore, and what has become of it. */
struct errand {
    atomic_bool hold; /* it comes to no end until it is stopped */
    atomic_uint begun, done, stopped, freed;
    struct sleeper sleeper;
    struct chore *chore;
};

static void run_errand(void *state, const atomic_bool *stop)
{
    struct errand *errand = state;
    atomic_fetch_add(&errand->begun, 1);
    assert_int_equal(atomic_load(&errand->freed), 0);
    while (atomic_load(&errand->hold) && !stop_wanted(stop))
        asking_pause();
    atomic_fetch_add(stop_wanted(stop) ? &errand->stopped : &errand->done, 1);
}

static void free_errand(void *state)
{
    atomic_fetch_add(&((struct errand *)state)->freed, 1);
}

struct chore_fixture {
    struct pool *pool;
    struct chores *chores;
};

static void chore_fixture_begin(struct chore_fixture *fixture, unsigned threads, size_t queue)
{
    fixture->pool = new_pool(threads, queue);
    fixture->chores = chores_new(fixture->pool);
    assert_non_null(fixture->chores);
}

static void chore_fixture_end(struct chore_fixture *fixture)
{
    CHECKED(chores_check(fixture->chores));
    chores_close(fixture->chores);
    pool_stop(fixture->pool);
    CHECKED(chores_check(fixture->chores));
    chores_free(fixture->chores);
    pool_free(fixture->pool);
}

static void errand_begin(struct errand *errand, struct chore_fixture *fixture, bool hold)
{
    *errand = (struct errand){.hold = hold};
    sleeper_begin(&errand->sleeper);
    errand->chore = chore_begin(fixture->chores, &(struct chore_order){.run = run_errand,
                                                                       .free = free_errand,
                                                                       .state = errand,
                                                                       .client = 7,
                                                                       .wake = sleeper_wake,
                                                                       .who = &errand->sleeper});
    assert_non_null(errand->chore);
}

/* Waits until it wakes, gives the reference back, and waits until the state is freed. */
static void errand_end(struct errand *errand, enum nq_status status)
{
    assert_true(sleeper_sleep(&errand->sleeper));
    assert_int_equal(pending_status(&errand->chore->pending), status);
    pending_close(&errand->chore->pending);
    WAIT_UNTIL(atomic_load(&errand->freed) == 1);
    assert_int_equal(atomic_load(&errand->sleeper.woken), 1);
    sleeper_end(&errand->sleeper);
}

static void errand_dismiss(struct errand *errand, enum nq_status why)
{
    pending_cancel(&errand->chore->pending, why);
}

TEST(test_each_is_carried_out_once)
{
    enum { MANY = 200 };
    static struct errand errands[MANY];
    SCOPED(chore_fixture, fixture, 2, MANY);
    for (int i = 0; i < MANY; i++)
        errand_begin(&errands[i], &fixture, false);
    CHECKED(chores_check(fixture.chores));
    for (int i = 0; i < MANY; i++) {
        errand_end(&errands[i], NQ_OK);
        assert_int_equal(atomic_load(&errands[i].done), 1);
    }
}

/* While it runs: it wakes at once, and is told to stop; the state is freed when both have done with it. */
TEST(test_dismissed_while_it_runs)
{
    struct errand errand;
    SCOPED(chore_fixture, fixture, 1, 4);
    errand_begin(&errand, &fixture, true);
    WAIT_UNTIL(atomic_load(&errand.begun) == 1);
    errand_dismiss(&errand, NQ_CANCELLED);
    errand_dismiss(&errand, NQ_TIMEOUT); /* the first one counts */
    errand_end(&errand, NQ_CANCELLED);
    assert_int_equal(atomic_load(&errand.stopped), 1);
}

/* While it waits for a thread: its function is never called, and its place in the queue is free. */
TEST(test_dismissed_while_it_waits)
{
    struct blocker blocker;
    struct errand errand, next, refused;
    SCOPED(chore_fixture, fixture, 1, 1);
    blocker_begin(&blocker, fixture.pool);
    errand_begin(&errand, &fixture, false);
    errand_begin(&refused, &fixture, false);
    errand_end(&refused, NQ_BUSY);
    errand_dismiss(&errand, NQ_TIMEOUT);
    errand_end(&errand, NQ_TIMEOUT);
    errand_begin(&next, &fixture, false);
    blocker_end(&blocker);
    errand_end(&next, NQ_OK);
    assert_int_equal(atomic_load(&errand.begun) + atomic_load(&refused.begun), 0);
}

/* After it is done: nothing happens. */
TEST(test_dismissed_too_late)
{
    struct errand errand;
    SCOPED(chore_fixture, fixture, 1, 4);
    errand_begin(&errand, &fixture, false);
    WAIT_UNTIL(pending_status(&errand.chore->pending) == NQ_OK);
    errand_dismiss(&errand, NQ_CANCELLED);
    errand_end(&errand, NQ_OK);
}

TEST(test_close_ends_all)
{
    enum { MANY = 20 };
    static struct errand errands[MANY];
    struct errand late;
    SCOPED(chore_fixture, fixture, 2, MANY);
    for (int i = 0; i < MANY; i++)
        errand_begin(&errands[i], &fixture, true);
    chores_close(fixture.chores);
    for (int i = 0; i < MANY; i++)
        errand_end(&errands[i], NQ_CLOSED);
    errand_begin(&late, &fixture, false);
    errand_end(&late, NQ_CLOSED);
    assert_int_equal(atomic_load(&late.begun), 0);
}

static void *dismiss_all(void *context)
{
    struct errand *errands = context;
    for (int i = 0; errands[i].chore; i++)
        errand_dismiss(&errands[i], NQ_CANCELLED);
    return NULL;
}

/* Whichever comes first, each wakes once, and what is done is NQ_OK. */
TEST(test_ends_and_dismissals_meet)
{
    enum { MANY = 300 };
    static struct errand errands[MANY + 1];
    pthread_t thread;
    unsigned done = 0;
    SCOPED(chore_fixture, fixture, 2, MANY);
    for (int i = 0; i < MANY; i++)
        errand_begin(&errands[i], &fixture, false);
    start(&thread, dismiss_all, errands);
    for (int i = 0; i < MANY; i++)
        assert_true(sleeper_sleep(&errands[i].sleeper));
    pthread_join(thread, NULL);
    for (int i = 0; i < MANY; i++) {
        const enum nq_status status = pending_status(&errands[i].chore->pending);
        assert_true(status == NQ_CANCELLED || (status == NQ_OK && atomic_load(&errands[i].begun) == 1));
        done += status == NQ_OK;
        pending_close(&errands[i].chore->pending);
        WAIT_UNTIL(atomic_load(&errands[i].freed) == 1);
        assert_int_equal(atomic_load(&errands[i].sleeper.woken), 1);
        sleeper_end(&errands[i].sleeper);
    }
    assert_true(done <= MANY);
}

TEST(test_out_of_memory)
{
    struct errand errand = {.hold = false};
    SCOPED(chore_fixture, fixture, 1, 4);
    failing_after = 0;
    assert_null(chores_new(fixture.pool));
    assert_null(
        chore_begin(fixture.chores, &(struct chore_order){.run = run_errand, .free = free_errand, .state = &errand}));
    failing_after = SIZE_MAX;
    assert_int_equal(atomic_load(&errand.freed), 1);
}
