/* test_engine_job_store.c - tests of src/engine/job_store.c: of what several processes make of one job, and each
 * without knowing of the others for a while, nothing is lost and nothing is there twice. */
#include <stdlib.h>
#include <string.h>

#include "employing.h"

/* The table of stores with one that all who open it share. */
#define store_nats store_shared
#include "stores/stores.c"
#undef store_nats

/* ---- A store that is shared, and may be slow to tell what it has done ---- */

static struct {
    pthread_mutex_t lock;
    void *self;
    unsigned users, writes;
    atomic_bool held;    /* who has read what is to be changed waits before it is */
    atomic_uint waiting; /* so many do */
    atomic_uint refused; /* had to read again */
    atomic_bool mute;    /* what is written next is not told so */
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

/* Reads, changes and writes, unless somebody has written in between: NQ_AGAIN. */
static enum nq_status try_to_amend(enum store_kind kind, const char *key, store_change *change, void *context)
{
    struct bytes value = {0}, next = {0};
    pthread_mutex_lock(&shelf.lock);
    const unsigned writes = shelf.writes;
    enum nq_status status = store_memory.get(shelf.self, kind, key, &value);
    pthread_mutex_unlock(&shelf.lock);
    status = change(context, key, status == NQ_OK ? value.data : NULL, value.size, &next);
    atomic_fetch_add(&shelf.waiting, 1);
    while (status == NQ_OK && atomic_load(&shelf.held))
        asking_pause();
    atomic_fetch_sub(&shelf.waiting, 1);
    pthread_mutex_lock(&shelf.lock);
    const struct store_fact fact = {kind, key, next.data, next.size};
    if (status == NQ_OK)
        status = writes == shelf.writes ? store_memory.put(shelf.self, &fact, 1) : NQ_AGAIN;
    shelf.writes += status == NQ_OK;
    pthread_mutex_unlock(&shelf.lock);
    bytes_free(&value);
    bytes_free(&next);
    return status;
}

static enum nq_status shared_amend(void *self, enum store_kind kind, const char *key, store_change *change,
                                   void *context)
{
    enum nq_status status;
    (void)self;
    while ((status = try_to_amend(kind, key, change, context)) == NQ_AGAIN)
        atomic_fetch_add(&shelf.refused, 1);
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

static struct store_figures shared_figures(const void *self)
{
    (void)self;
    return (struct store_figures){0};
}

static const char *shared_trouble(const void *self)
{
    (void)self;
    return "nobody knows";
}

const struct store_class store_shared = {
    .name = "shared",
    .summary = "in memory, for all",
    .open = shared_open,
    .put = shared_put,
    .amend = shared_amend,
    .get = shared_get,
    .each = shared_each,
    .delete_prefix = shared_delete_prefix,
    .check = shared_check,
    .figures = shared_figures,
    .trouble = shared_trouble,
    .close = shared_close,
};

/* ---- Processes that share it ---- */

struct replica {
    struct archive archive;
    struct process process;
    struct reopened reopened;
};

/* What it counts comes to no end until it is let. */
static void replica_begin(struct replica *replica)
{
    *replica = (struct replica){.reopened = {0}};
    archive_begin_at(&replica->archive, "shared");
    process_begin(&replica->process, &replica->archive, 1, 10, 10);
    replica->process.field.script.hold = true;
    process_resume(&replica->process, &replica->reopened);
}

static void replica_end(struct replica *replica)
{
    process_end(&replica->process);
    archive_end(&replica->archive);
}

static struct replica one, other;

static void pair_begin(void)
{
    replica_begin(&one);
    replica_begin(&other);
}

static void pair_end(void)
{
    archive_settle(&one.archive); /* while the other may still hear of it */
    archive_settle(&other.archive);
    replica_end(&one);
    replica_end(&other);
    assert_int_equal(shelf.users, 0);
}

/* What the store has of a job; the caller frees. */
static char *stored(const char *id)
{
    struct bytes text = {0};
    assert_int_equal(shared_get(&shelf, STORE_JOB, id, &text), NQ_OK);
    return bytes_take(&text);
}

static void hear_text(struct replica *replica, const char *id, const char *text)
{
    jobs_hear(replica->process.jobs, id, text, strlen(text));
}

/* All that was done is stored, and everybody knows. */
static void pair_meets(const char *id)
{
    archive_settle(&one.archive);
    archive_settle(&other.archive);
    char *text = stored(id);
    hear_text(&one, id, text);
    hear_text(&other, id, text);
    free(text);
}

/* After they have met: both see the same, and so it is stored. */
static void assert_both(const char *id, enum job_state state, unsigned shares)
{
    pair_meets(id);
    for (int i = 0; i < 2; i++) {
        struct replica *replica = i ? &other : &one;
        assert_int_equal(process_shares(&replica->process, id), shares);
        if (job_state_over(state))
            process_expect(&replica->process, id, state, "");
        else
            assert_false(process_sees_end(&replica->process, id));
    }
    archive_expect(&one.archive, id, job_state_name(state), shares);
}

static void take(struct replica *replica, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_take(&replica->process, "a", id), NQ_OK);
}

static void take_as(struct replica *replica, const char *name, bool own, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_join_as(&replica->process, "a", asker_named(name, 9), own, id), NQ_OK);
}

static void give(struct replica *replica, const char *id, const char *name)
{
    assert_int_equal(jobs_cancel(replica->process.jobs, id, name), NQ_OK);
}

static bool idle(struct replica *replica)
{
    return flights_figures(replica->process.field.flights).running == 0;
}

/* ---- Shares ---- */

static void test_taken_at_once(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE], same[JOB_ID_SIZE];
    pair_begin();
    take(&one, id);
    take(&other, same); /* it has not heard of it */
    assert_string_equal(same, id);
    assert_both(id, JOB_RUNNING, 2);
    take(&one, id);
    take(&other, id);
    take(&other, id);
    assert_both(id, JOB_RUNNING, 5);
    pair_end();
}

/* Who reads before another has written does not write over it. */
static void test_taken_while_another_is_written(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    const unsigned refused = atomic_load(&shelf.refused);
    atomic_store(&shelf.held, true);
    take(&one, id);
    take(&other, id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 2); /* both have read the same */
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 3);
    assert_int_equal(atomic_load(&shelf.refused) - refused, 1);
    pair_end();
}

static void test_given_back_at_once(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take(&one, id);
    take(&other, id);
    assert_both(id, JOB_RUNNING, 2);
    give(&one, id, "");
    give(&other, id, "");
    assert_false(process_sees_end(&one.process, id)); /* as far as it knows the other's is left */
    assert_both(id, JOB_CANCELLED, 0);
    WAIT_UNTIL(idle(&one) && idle(&other));
    pair_end();
}

/* More given back than there were: the one share is gone, and none that comes later. */
static void test_one_share_given_back_twice(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take_as(&one, "ann", true, id);
    take_as(&one, "bob", true, id);
    assert_both(id, JOB_RUNNING, 2);
    give(&one, id, "ann");
    give(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 1);
    take_as(&other, "ann", true, id);
    assert_both(id, JOB_RUNNING, 2);
    give(&one, id, "bob");
    give(&other, id, "ann");
    assert_both(id, JOB_CANCELLED, 0);
    pair_end();
}

/* The last share is given back while another takes one: it goes on, on both. */
static void test_given_back_while_another_is_taken(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    for (int first = 0; first < 2; first++) {
        struct replica *giver = first ? &one : &other, *taker = first ? &other : &one;
        pair_begin();
        take(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        WAIT_UNTIL(!idle(&one) && !idle(&other));
        give(giver, id, "");
        assert_int_equal(process_state(&giver->process, id), JOB_CANCELLED);
        if (first)
            archive_settle(&giver->archive);
        take(taker, id);
        assert_both(id, JOB_RUNNING, 1);
        const unsigned slices = atomic_load(&giver->process.field.script.slices);
        WAIT_UNTIL(atomic_load(&giver->process.field.script.slices) > slices + 9); /* it is searched for again */
        give(giver, id, "");
        assert_both(id, JOB_CANCELLED, 0);
        WAIT_UNTIL(idle(&one) && idle(&other));
        pair_end();
    }
}

/* Who only asks has one share, wherever they ask. */
static void test_those_who_only_ask(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take_as(&one, "ann", false, id);
    take_as(&other, "ann", false, id);
    take_as(&other, "bob", false, id);
    assert_both(id, JOB_RUNNING, 2);
    give(&other, id, "ann");
    take_as(&one, "ann", true, id);
    assert_both(id, JOB_RUNNING, 2);
    pair_end();
}

/* The store has written, and was not there any more to say so. */
static void test_a_word_that_was_lost(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    for (unsigned round = 1; round < 4; round++) {
        atomic_store(&shelf.mute, true);
        take(&one, id);
        WAIT_UNTIL(!atomic_load(&shelf.mute));
        take(&other, id); /* on what was written */
        assert_both(id, JOB_RUNNING, 1 + 2 * round);
    }
    atomic_store(&shelf.mute, true);
    give(&one, id, "");
    WAIT_UNTIL(!atomic_load(&shelf.mute));
    give(&other, id, "");
    assert_both(id, JOB_RUNNING, 5);
    pair_end();
}

/* Shares are names', not those of the process that was told: that may end. */
static void test_a_process_ends(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take_as(&one, "ann", true, id);
    take_as(&other, "ann", true, id);
    assert_both(id, JOB_RUNNING, 2);
    take_as(&one, "bob", true, id);
    replica_end(&one);
    replica_begin(&one);
    assert_both(id, JOB_RUNNING, 3);
    give(&one, id, "ann");
    give(&other, id, "ann");
    give(&one, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
    pair_end();
}

/* ---- Beginnings and ends ---- */

static void test_begun_again(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take_as(&one, "ann", true, id);
    assert_both(id, JOB_RUNNING, 1);
    char *early = stored(id);
    give(&one, id, "ann");
    archive_settle(&one.archive);
    char *late = stored(id);
    take_as(&other, "bob", true, id); /* it takes it for running */
    assert_both(id, JOB_RUNNING, 1);
    hear_text(&one, id, early); /* old news */
    hear_text(&one, id, late);
    hear_text(&other, id, late);
    assert_false(process_sees_end(&one.process, id) || process_sees_end(&other.process, id));
    assert_both(id, JOB_RUNNING, 1);
    assert_int_equal(jobs_cancel(one.process.jobs, id, "ann"), NQ_DENIED); /* of those that begin it again */
    give(&one, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
    free(early);
    free(late);
    pair_end();
}

/* What one has found is found for all, whoever takes or gives shares meanwhile. */
static void test_done(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    for (int settled = 0; settled < 2; settled++) {
        pair_begin();
        take(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        if (settled)
            take(&other, id);
        else
            give(&other, id, "");
        if (settled)
            archive_settle(&other.archive);
        atomic_store(&one.process.field.script.hold, false);
        process_expect(&one.process, id, JOB_DONE, "a");
        pair_meets(id);
        process_expect(&one.process, id, JOB_DONE, "a");
        process_expect(&other.process, id, JOB_DONE, "a");
        assert_int_equal(process_shares(&one.process, id), settled ? 2 : 0);
        assert_int_equal(process_shares(&other.process, id), settled ? 2 : 0);
        archive_expect(&one.archive, id, "done", settled ? 2 : 0);
        WAIT_UNTIL(idle(&one) && idle(&other));
        pair_end();
    }
}

/* One fails. Who takes a share before they can know of it has one in a job that failed; afterwards it begins again. */
static void test_failed(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    for (int known = 0; known < 2; known++) {
        pair_begin();
        take(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        if (!known) {
            take(&other, id);
            archive_settle(&other.archive);
        }
        one.process.field.script.finish_as = NQ_LIMIT;
        atomic_store(&one.process.field.script.hold, false);
        process_expect(&one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
        atomic_store(&one.process.field.script.hold, true);
        archive_settle(&one.archive);
        if (known)
            take(&other, id); /* it has not heard */
        pair_meets(id);
        if (known) {
            assert_both(id, JOB_RUNNING, 1);
        } else {
            for (int i = 0; i < 2; i++)
                process_expect(i ? &other.process : &one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
            archive_expect(&one.archive, id, "failed", 2);
        }
        pair_end();
    }
}

/* It fails and is begun again before the store has heard of the former: what it then has is not made of what was. */
static void test_failed_and_begun_again(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    pair_begin();
    take(&one, id);
    archive_settle(&one.archive);
    atomic_store(&shelf.held, true);
    take(&one, id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    one.process.field.script.finish_as = NQ_LIMIT;
    atomic_store(&one.process.field.script.hold, false);
    process_expect(&one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
    atomic_store(&one.process.field.script.hold, true);
    take(&one, id);
    assert_int_equal(process_shares(&one.process, id), 1);
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 1);
    give(&one, id, "");
    assert_both(id, JOB_CANCELLED, 0);
    pair_end();
}

/* A job that the store has and a process has not heard of is found when it is asked for. */
static void test_sought(void **state)
{
    (void)state;
    char id[JOB_ID_SIZE];
    struct job_view view;
    pair_begin();
    take_as(&one, "ann", true, id);
    archive_settle(&one.archive);
    assert_int_equal(jobs_look(other.process.jobs, id, &view), NQ_NONE);
    assert_true(jobs_seek(other.process.jobs, id, false));
    archive_settle(&other.archive);
    assert_int_equal(process_shares(&other.process, id), 1);
    assert_false(jobs_seek(other.process.jobs, id, false)); /* it is known */
    take_as(&one, "bob", true, id);
    archive_settle(&one.archive);
    assert_int_equal(jobs_cancel(other.process.jobs, id, "bob"), NQ_DENIED);
    assert_true(jobs_seek(other.process.jobs, id, true));
    archive_settle(&other.archive);
    give(&other, id, "bob");
    assert_false(jobs_seek(other.process.jobs, "no id", true));
    assert_true(jobs_seek(other.process.jobs, "0123456789abcdef", true));
    archive_settle(&other.archive);
    assert_int_equal(jobs_look(other.process.jobs, "0123456789abcdef", &view), NQ_NONE);
    assert_both(id, JOB_RUNNING, 1);
    pair_end();
}

/* What a release had written that knew nothing of versions is changed as any other. */
static void test_records_of_earlier_releases(void **state)
{
    (void)state;
    static const char text[] = "{\"release\":\"0.0.1\",\"key\":\"a\",\"path\":\"/count?a\",\"trace\":\"\","
                               "\"state\":\"running\",\"created\":1700000000,\"finished\":0,\"why\":\"\",\"units\":0,"
                               "\"restored\":0,\"nodes\":0,\"shares\":3,\"joined\":false,"
                               "\"holders\":{\"ann\":{\"shares\":2,\"joined\":true}}}";
    const char *id = "0123456789abcdef";
    char same[JOB_ID_SIZE];
    replica_begin(&one);
    replica_begin(&other);
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    process_resume(&one.process, &one.reopened);
    process_resume(&other.process, &other.reopened);
    assert_int_equal(process_shares(&one.process, id), 3);
    take_as(&one, "ann", false, same);
    assert_string_equal(same, id);
    give(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 2);
    give(&one, id, "ann");
    give(&other, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
    pair_end();
}

/* ---- Anything in any order ---- */

enum { REPLICAS = 3, NAMES = 4, STEPS = 400, ROUNDS = 15 };

struct scene {
    struct replica replicas[REPLICAS];
    unsigned held[NAMES]; /* shares that a name was told of and has not given back */
    char id[JOB_ID_SIZE];
    uint64_t dice;
};

static void hear_now(struct scene *scene, struct replica *replica)
{
    struct bytes text = {0};
    if (shared_get(&shelf, STORE_JOB, scene->id, &text) == NQ_OK)
        jobs_hear(replica->process.jobs, scene->id, text.data, text.size);
    bytes_free(&text);
}

/* Somebody does something, somewhere. What they are told is so. */
static void step(struct scene *scene)
{
    const unsigned who = facts_below(&scene->dice, NAMES);
    struct replica *replica = &scene->replicas[facts_below(&scene->dice, REPLICAS)];
    char name[8];
    (void)snprintf(name, sizeof name, "n%u", who);
    switch (facts_below(&scene->dice, 5)) {
    case 0:
    case 1: {
        const enum nq_status status = process_join_as(&replica->process, "a", asker_named(name, 9), true, scene->id);
        assert_true(status == NQ_OK || status == NQ_BUSY); /* it is just being cancelled */
        scene->held[who] += status == NQ_OK;
        break;
    }
    case 2:
        if (!scene->held[who])
            break;
        for (int i = 0; i < REPLICAS; i++) /* what was taken is stored when it is told */
            archive_settle(&scene->replicas[i].archive);
        if (jobs_seek(replica->process.jobs, scene->id, true))
            archive_settle(&replica->archive);
        give(replica, scene->id, name);
        scene->held[who]--;
        break;
    case 3: archive_settle(&replica->archive); break;
    default: hear_now(scene, replica); break;
    }
}

static void assert_exact(struct scene *scene)
{
    unsigned all = 0;
    for (int i = 0; i < REPLICAS; i++)
        archive_settle(&scene->replicas[i].archive);
    for (int i = 0; i < NAMES; i++)
        all += scene->held[i];
    for (int i = 0; i < REPLICAS; i++) {
        struct process *process = &scene->replicas[i].process;
        hear_now(scene, &scene->replicas[i]);
        assert_int_equal(process_shares(process, scene->id), all);
        assert_int_equal(process_sees_end(process, scene->id), all == 0);
    }
}

static void test_anything(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        struct scene scene = {.dice = (uint64_t)round};
        for (int i = 0; i < REPLICAS; i++)
            replica_begin(&scene.replicas[i]);
        take_as(&scene.replicas[0], "n0", true, scene.id);
        scene.held[0]++;
        for (int i = 0; i < STEPS; i++) {
            step(&scene);
            if (i % 50 == 49)
                assert_exact(&scene);
        }
        for (unsigned who = 0; who < NAMES; who++) {
            char name[8];
            (void)snprintf(name, sizeof name, "n%u", who);
            for (; scene.held[who]; scene.held[who]--)
                give(&scene.replicas[who % REPLICAS], scene.id, name);
        }
        assert_exact(&scene);
        for (int i = 0; i < REPLICAS; i++)
            WAIT_UNTIL(idle(&scene.replicas[i]));
        for (int i = 0; i < REPLICAS; i++)
            replica_end(&scene.replicas[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken_at_once),
        cmocka_unit_test(test_taken_while_another_is_written),
        cmocka_unit_test(test_given_back_at_once),
        cmocka_unit_test(test_one_share_given_back_twice),
        cmocka_unit_test(test_given_back_while_another_is_taken),
        cmocka_unit_test(test_those_who_only_ask),
        cmocka_unit_test(test_a_word_that_was_lost),
        cmocka_unit_test(test_a_process_ends),
        cmocka_unit_test(test_begun_again),
        cmocka_unit_test(test_done),
        cmocka_unit_test(test_failed),
        cmocka_unit_test(test_failed_and_begun_again),
        cmocka_unit_test(test_sought),
        cmocka_unit_test(test_records_of_earlier_releases),
        cmocka_unit_test(test_anything),
    };
    return cmocka_run_group_tests_name("job_store", tests, NULL, NULL);
}
