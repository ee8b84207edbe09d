/* test_plans.c - tests of src/engine/units/plans.c with a made-up method: which counts share a plan, how often it is
 * made, and which plans are dropped when there is no room. */
/* CI builds: address thread */
#include "engine/units/plans.h"

#include <stddef.h>

#include "base/stop.h"
#include "count/counting.h"
#include "support/questions.h"

/* ---- A method whose plans take as many megabytes as the board has rows ---- */

static struct {
    atomic_uint made, released, without; /* without: tables */
    atomic_bool hold;
    enum nq_status prepare_as;
    bool less_will_do; /* without tables it can be prepared all the same */
} fake;

static enum nq_status fake_prepare(const struct filter *filter, const struct method_means *means,
                                   const atomic_bool *stop, void **plan)
{
    (void)filter;
    while (atomic_load(&fake.hold) && !(stop && atomic_load(stop)))
        asking_pause();
    if (stop && atomic_load(stop))
        return NQ_CANCELLED;
    if (fake.prepare_as != NQ_OK && (means->tables || !fake.less_will_do))
        return fake.prepare_as;
    *plan = malloc(1);
    assert_non_null(*plan);
    atomic_fetch_add(&fake.made, 1);
    atomic_fetch_add(&fake.without, means->tables == 0);
    return NQ_OK;
}

static struct method_memory fake_memory(const struct filter *filter, size_t tables)
{
    (void)tables;
    return (struct method_memory){.shared = filter->n * 1e6, .each = 1};
}

static void fake_release(void *plan)
{
    free(plan);
    atomic_fetch_add(&fake.released, 1);
}

static const struct method method = {
    .name = "fake", .prepare = fake_prepare, .release = fake_release, .memory = fake_memory};
static const struct method without_tables = {.name = "plain", .prepare = fake_prepare, .release = fake_release};

static struct plans *begin(size_t megabytes)
{
    struct plans *plans = plans_new(megabytes * 1000000, 3, 0);
    assert_non_null(plans);
    atomic_store(&fake.made, 0);
    atomic_store(&fake.released, 0);
    atomic_store(&fake.without, 0);
    atomic_store(&fake.hold, false);
    fake.prepare_as = NQ_OK;
    fake.less_will_do = false;
    return plans;
}

/* Everything was given back, and nothing is lost. */
static void end(struct plans *plans)
{
    plans_free(plans);
    assert_int_equal(fake.made, fake.released);
}
OWNER(end, struct plans *)

static enum nq_status take(struct plans *plans, const struct method *of, uint32_t n, const atomic_bool *stop,
                           void **plan)
{
    struct filter filter;
    const struct plan_source *source = plans_source(plans);
    filter_begin(&filter, n);
    return source->take(source->context, of, &filter, stop, plan);
}

static void *taken(struct plans *plans, uint32_t n)
{
    void *plan = NULL;
    assert_int_equal(take(plans, &method, n, NULL, &plan), NQ_OK);
    assert_non_null(plan);
    return plan;
}

static void give(struct plans *plans, void *plan)
{
    const struct plan_source *source = plans_source(plans);
    source->give(source->context, &method, plan);
}

static void assert_stats(struct plans *plans, size_t count, size_t megabytes)
{
    const struct plans_stats stats = plans_stats(plans);
    assert_int_equal(stats.plans, count);
    assert_int_equal(stats.bytes, megabytes * 1000000);
}

TEST(test_one_plan_for_all_who_count_the_same)
{
    OWNED(end) struct plans *plans = begin(100);
    void *one = taken(plans, 20), *same = taken(plans, 20), *other = taken(plans, 21);
    assert_ptr_equal(one, same);
    assert_ptr_not_equal(one, other);
    assert_stats(plans, 2, 41);
    give(plans, one);
    give(plans, same);
    give(plans, other);
    assert_stats(plans, 2, 41); /* for the next ones */
    assert_ptr_equal(taken(plans, 20), one);
    give(plans, one);
    assert_int_equal(fake.made, 2);
    assert_int_equal(fake.without, 0);
    assert_int_equal(plans_stats(plans).made, 2);
}

/* What is used stays, what was used last stays longest, and what finds no room does without. */
TEST(test_no_room)
{
    OWNED(end) struct plans *plans = begin(60);
    void *a = taken(plans, 20), *b = taken(plans, 21), *c = taken(plans, 19);
    assert_stats(plans, 3, 60);
    void *d = taken(plans, 8); /* all three are in use */
    assert_int_equal(fake.without, 1);
    assert_stats(plans, 3, 60);
    give(plans, d);
    assert_int_equal(fake.released, 1); /* one without tables is not worth keeping */
    give(plans, a);
    give(plans, b);
    give(plans, taken(plans, 20)); /* b was used longer ago */
    give(plans, c);
    d = taken(plans, 8);
    assert_int_equal(fake.without, 1);
    assert_stats(plans, 3, 47);
    assert_int_equal(fake.released, 2);
    give(plans, d);
    d = taken(plans, 61); /* it never fits: nothing is dropped for it */
    assert_int_equal(fake.without, 2);
    assert_stats(plans, 3, 47);
    give(plans, d);
    a = taken(plans, 20);
    d = taken(plans, 41); /* nor beside what is in use */
    assert_int_equal(fake.without, 3);
    assert_stats(plans, 3, 47);
    give(plans, d);
    give(plans, a);
    d = taken(plans, 60);
    assert_stats(plans, 1, 60);
    give(plans, d);
    end(plans);

    plans = begin(0);
    d = taken(plans, 8);
    assert_int_equal(fake.without, 1);
    give(plans, d);
}

TEST(test_methods_without_tables)
{
    OWNED(end) struct plans *plans = begin(100);
    const struct plan_source *source = plans_source(plans);
    void *one, *other;
    assert_int_equal(take(plans, &without_tables, 9, NULL, &one), NQ_OK);
    assert_int_equal(take(plans, &without_tables, 9, NULL, &other), NQ_OK);
    assert_ptr_not_equal(one, other);
    assert_stats(plans, 0, 0);
    source->give(source->context, &without_tables, one);
    source->give(source->context, &without_tables, other);
}

TEST(test_failures_leave_nothing)
{
    OWNED(end) struct plans *plans = begin(100);
    void *plan = NULL;
    fake.prepare_as = NQ_NOMEM;
    assert_int_equal(take(plans, &method, 20, NULL, &plan), NQ_NOMEM);
    assert_null(plan);
    assert_stats(plans, 0, 0);
    fake.prepare_as = NQ_OK;
    give(plans, taken(plans, 20));
    assert_stats(plans, 1, 20);
    fake.prepare_as = NQ_NOMEM; /* the system has less than it was thought to have: what is kept for later goes */
    fake.less_will_do = true;
    plan = taken(plans, 21);
    assert_int_equal(fake.without, 1);
    assert_stats(plans, 0, 0);
    give(plans, plan);
}

struct taker {
    struct plans *plans;
    atomic_bool stop, there;
    enum nq_status status;
    void *plan;
};

static void *run(void *context)
{
    struct taker *taker = context;
    taker->status = take(taker->plans, &method, 20, &taker->stop, &taker->plan);
    atomic_store(&taker->there, true);
    return NULL;
}

/* Threads wait for the maker of a plan; if it is stopped, another one makes the plan; a waiter can be stopped, too. */
TEST(test_waiting_for_who_makes_it)
{
    enum { TAKERS = 4 };
    OWNED(end) struct plans *plans = begin(100);
    struct taker takers[TAKERS] = {{0}};
    pthread_t threads[TAKERS];
    atomic_store(&fake.hold, true);
    for (int i = 0; i < TAKERS; i++) {
        takers[i].plans = plans;
        start(&threads[i], run, &takers[i]);
        WAIT_UNTIL(plans_stats(plans).plans == 1); /* the first one makes it */
    }
    atomic_store(&takers[1].stop, true);
    assert_int_equal(pthread_join(threads[1], NULL), 0);
    assert_int_equal(takers[1].status, NQ_CANCELLED);
    atomic_store(&takers[0].stop, true);
    assert_int_equal(pthread_join(threads[0], NULL), 0);
    assert_int_equal(takers[0].status, NQ_CANCELLED);
    assert_false(atomic_load(&takers[2].there) || atomic_load(&takers[3].there));
    atomic_store(&fake.hold, false);
    for (int i = 2; i < TAKERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(takers[i].status, NQ_OK);
    }
    assert_ptr_equal(takers[2].plan, takers[3].plan);
    assert_int_equal(fake.made, 1);
    give(plans, takers[2].plan);
    give(plans, takers[3].plan);
}

struct waiter_of_plan {
    struct taker taker;
    struct stop_aside aside;
    atomic_uint stepped_aside;
};

static void note_step(struct stop_aside *aside)
{
    struct waiter_of_plan *waiter = (struct waiter_of_plan *)((char *)aside - offsetof(struct waiter_of_plan, aside));
    atomic_fetch_add(&waiter->stepped_aside, 1);
}

static void *run_waiter(void *context)
{
    struct waiter_of_plan *waiter = context;
    stop_aside = &waiter->aside;
    return run(&waiter->taker);
}

/* A thread that waits for a plan holds the lock of plans when it looks at the stop flag: were it set aside there, for
 * as long as others need its processor, the plan could not be given to anybody. */
TEST(test_a_waiter_is_not_set_aside)
{
    OWNED(end) struct plans *plans = begin(100);
    struct taker maker = {.plans = plans};
    struct waiter_of_plan waiter = {.taker = {.plans = plans}, .aside = {.wanted = true, .step_aside = note_step}};
    pthread_t threads[2];
    atomic_store(&fake.hold, true);
    start(&threads[0], run, &maker);
    WAIT_UNTIL(plans_stats(plans).plans == 1);
    atomic_store(&waiter.taker.stop, true);
    start(&threads[1], run_waiter, &waiter);
    assert_int_equal(pthread_join(threads[1], NULL), 0);
    assert_int_equal(waiter.taker.status, NQ_CANCELLED);
    assert_int_equal(waiter.stepped_aside, 0);
    atomic_store(&fake.hold, false);
    assert_int_equal(pthread_join(threads[0], NULL), 0);
    assert_int_equal(maker.status, NQ_OK);
    give(plans, maker.plan);
}
