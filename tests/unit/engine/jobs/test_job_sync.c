/* test_job_sync.c - tests of src/engine/jobs/jobs.c: several processes change one job, each without the others'
 * changes for a while; no change is lost, clients see an end when it is stored, and records of other releases or
 * questions are told apart. */
/* CI builds: address thread */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/job_process.h"

extern const struct store_class store_memory;

/* ---- A store that is shared ---- */

static struct {
    pthread_mutex_t lock;
    void *self;
    unsigned users;
    atomic_bool held;    /* between reading and writing a record */
    atomic_uint passes;  /* so many writes go on nevertheless */
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
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_get(void *self, enum store_kind kind, const char *key, struct bytes *value)
{
    (void)self;
    if (kind == STORE_JOB && atomic_load(&shelf.starved))
        return NQ_NOMEM;
    pthread_mutex_lock(&shelf.lock);
    const enum nq_status status = store_memory.get(shelf.self, kind, key, value);
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static bool may_pass(void)
{
    unsigned passes = atomic_load(&shelf.passes);
    while (passes && !atomic_compare_exchange_weak(&shelf.passes, &passes, passes - 1)) {
    }
    return passes;
}

static enum nq_status shared_swap(void *self, const struct store_fact *fact, const void *former, size_t size)
{
    struct bytes value = {0};
    (void)self;
    atomic_fetch_add(&shelf.waiting, 1);
    while (atomic_load(&shelf.held) && !may_pass())
        asking_pause();
    atomic_fetch_sub(&shelf.waiting, 1);
    pthread_mutex_lock(&shelf.lock);
    const bool found = store_memory.get(shelf.self, fact->kind, fact->key, &value) == NQ_OK;
    const enum nq_status status =
        store_is_former(found ? &value : NULL, former, size) ? store_memory.put(shelf.self, fact, 1) : NQ_AGAIN;
    pthread_mutex_unlock(&shelf.lock);
    bytes_free(&value);
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
    pthread_mutex_unlock(&shelf.lock);
    return status;
}

static enum nq_status shared_check(void *self, bool all)
{
    (void)self, (void)all;
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
    .swap = shared_swap,
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
    atomic_store(&shelf.held, false); /* where a test has failed in between: it would never end */
    atomic_store(&shelf.starved, false);
    memory_journal_settle(&one.kept); /* while the other still exists */
    memory_journal_settle(&other.kept);
    replica_end(&one);
    replica_end(&other);
    assert_int_equal(shelf.users, 0);
    return 0;
}

/* A test with both processes. */
#define WITH_PAIR(test) TEST_WITH(test, pair_begin, pair_end)

static void next_pair(void)
{
    pair_end(NULL);
    pair_begin(NULL);
}

static void enter_as(struct replica *replica, const char *name, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_enter_as(&replica->process, "a", principal_named(name, 9), id), NQ_OK);
}

static void enter(struct replica *replica, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_enter(&replica->process, "a", id), NQ_OK);
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
static char *stored(const char *id)
{
    struct bytes text = {0};
    assert_int_equal(shared_get(&shelf, STORE_JOB, id, &text), NQ_OK);
    return bytes_take(&text);
}

static void receive(struct replica *replica, const char *id, const char *text)
{
    jobs_receive(replica->process.jobs, id, text, strlen(text));
}

/* All changes are stored, and both processes have received them. */
static void pair_meets(const char *id)
{
    memory_journal_settle(&one.kept);
    memory_journal_settle(&other.kept);
    OWNED(free) char *text = stored(id);
    receive(&one, id, text);
    receive(&other, id, text);
}

/* Then both see the same, and so it is stored. */
static void assert_both(const char *id, enum job_state state, unsigned owners)
{
    pair_meets(id);
    for (int i = 0; i < 2; i++) {
        struct replica *replica = i ? &other : &one;
        assert_int_equal(process_owners(&replica->process, id), owners);
        if (job_state_over(state))
            process_expect(&replica->process, id, state, "");
        else
            assert_false(process_sees_end(&replica->process, id));
    }
    expect_stored_job(&one.kept, id, job_state_name(state), owners);
}

/* ---- Owners ---- */

WITH_PAIR(test_two_come)
{
    char id[JOB_ID_SIZE], same[JOB_ID_SIZE];
    enter_as(&one, "ann", id);
    enter_as(&other, "bob", same); /* it has not received it */
    assert_string_equal(same, id);
    assert_both(id, JOB_RUNNING, 2);
    enter_as(&one, "bob", id); /* who is there already */
    enter_as(&other, "eve", id);
    assert_both(id, JOB_RUNNING, 3);
}

/* A process that has read before another one wrote does not overwrite that. */
WITH_PAIR(test_one_comes_while_another_process_writes)
{
    char id[JOB_ID_SIZE];
    enter(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    const unsigned refused = atomic_load(&shelf.refused);
    atomic_store(&shelf.held, true);
    enter_as(&one, "ann", id);
    enter_as(&other, "bob", id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 2); /* both have read the same */
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 3);
    assert_int_equal(atomic_load(&shelf.refused) - refused, 1);
}

WITH_PAIR(test_two_leave)
{
    char id[JOB_ID_SIZE];
    enter_as(&one, "ann", id);
    enter_as(&other, "bob", id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "ann");
    assert_false(process_sees_end(&one.process, id)); /* bob is there */
    cancel(&other, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
    WAIT_UNTIL(idle(&one) && idle(&other));
}

/* Who leaves twice takes nobody along, and may come again. */
WITH_PAIR(test_one_leaves_twice)
{
    char id[JOB_ID_SIZE];
    enter_as(&one, "ann", id);
    enter_as(&one, "bob", id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "ann");
    cancel(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 1);
    enter_as(&other, "ann", id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "bob");
    cancel(&other, id, "ann");
    assert_both(id, JOB_CANCELLED, 0);
}

/* The last one leaves on one process while another one comes on the other, or the same one again: the job goes on, on
 * both. */
WITH_PAIR(test_one_comes_when_the_last_one_leaves)
{
    char id[JOB_ID_SIZE];
    for (int kind = 0; kind < 4; kind++) {
        struct replica *left = kind % 2 ? &one : &other, *entered = kind % 2 ? &other : &one;
        const char *comes = kind < 2 ? "ann" : "bob";
        next_pair();
        enter_as(&one, "ann", id);
        assert_both(id, JOB_RUNNING, 1);
        WAIT_UNTIL(!idle(&one) && !idle(&other));
        cancel(left, id, "ann");
        assert_int_equal(process_state(&left->process, id), JOB_CANCELLED);
        if (kind % 2)
            memory_journal_settle(&left->kept);
        enter_as(entered, comes, id);
        assert_both(id, JOB_RUNNING, 1);
        const unsigned slices = atomic_load(&left->process.fixture.script.slices);
        WAIT_UNTIL(atomic_load(&left->process.fixture.script.slices) > slices + 9); /* it is counted again */
        cancel(left, id, comes);
        assert_both(id, JOB_CANCELLED, 0);
        WAIT_UNTIL(idle(&one) && idle(&other));
    }
}

/* The store has written a record, but the connection failed before it could return that; meanwhile the other process
 * changes what was written. */
WITH_PAIR(test_lost_reply)
{
    static const char *const names[] = {"ann", "bob", "cal", "dan", "eve", "fay"};
    char id[JOB_ID_SIZE];
    enter(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    for (unsigned round = 0; round < 3; round++) {
        atomic_store(&shelf.mute, true);
        enter_as(&one, names[2 * round], id);
        WAIT_UNTIL(!atomic_load(&shelf.mute));
        enter_as(&other, names[2 * round + 1], id); /* on what was written */
        assert_both(id, JOB_RUNNING, 3 + 2 * round);
    }
    atomic_store(&shelf.mute, true);
    cancel(&one, id, "ann");
    WAIT_UNTIL(!atomic_load(&shelf.mute));
    enter_as(&other, "ann", id); /* who is not to leave once more */
    assert_both(id, JOB_RUNNING, 7);
    atomic_store(&shelf.mute, true);
    enter_as(&one, "eve", id);
    WAIT_UNTIL(!atomic_load(&shelf.mute));
    cancel(&other, id, "eve"); /* who is not to come once more */
    assert_both(id, JOB_RUNNING, 6);
}

/* Who has come on one process can leave on another that does not know of it. */
WITH_PAIR(test_one_leaves_where_it_is_not_known)
{
    static const char client[] = "@0123456789abcdef";
    struct principal principal = {.limited = true, .seconds = 1, .jobs = 9};
    char id[JOB_ID_SIZE];
    memcpy(principal.address, client, sizeof client);
    enter_as(&one, "ann", id);
    enter_as(&one, "bob", id);
    assert_both(id, JOB_RUNNING, 2);
    atomic_store(&shelf.held, true);
    assert_int_equal(process_enter_as(&one.process, "a", principal, id), NQ_OK);
    cancel(&other, id, client);
    assert_int_equal(process_owners(&other.process, id), 2);
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 2);
    atomic_store(&shelf.held, true);
    assert_int_equal(process_enter_as(&one.process, "a", principal, id), NQ_OK); /* where it has left before */
    cancel(&other, id, client);
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "ann");
    cancel(&one, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
}

/* Owners outlive the process where they came. */
WITH_PAIR(test_process_ends)
{
    char id[JOB_ID_SIZE];
    enter_as(&one, "ann", id);
    enter_as(&other, "bob", id);
    assert_both(id, JOB_RUNNING, 2);
    enter_as(&one, "cal", id);
    replica_end(&one);
    replica_begin(&one);
    assert_both(id, JOB_RUNNING, 3);
    cancel(&one, id, "ann");
    cancel(&other, id, "bob");
    cancel(&one, id, "cal");
    assert_both(id, JOB_CANCELLED, 0);
}

/* ---- Beginnings and ends ---- */

WITH_PAIR(test_begun_again)
{
    char id[JOB_ID_SIZE];
    enter_as(&one, "ann", id);
    assert_both(id, JOB_RUNNING, 1);
    OWNED(free) char *early = stored(id);
    cancel(&one, id, "ann");
    memory_journal_settle(&one.kept);
    OWNED(free) char *late = stored(id);
    enter_as(&other, "bob", id); /* which runs, as far as this process knows */
    assert_both(id, JOB_RUNNING, 1);
    receive(&one, id, early); /* an old record */
    receive(&one, id, late);
    receive(&other, id, late);
    assert_false(process_sees_end(&one.process, id) || process_sees_end(&other.process, id));
    assert_both(id, JOB_RUNNING, 1);
    cancel(&one, id, "ann"); /* who has left: the job is bob's */
    assert_both(id, JOB_RUNNING, 1);
    cancel(&one, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
}

/* A result stays, whoever comes and leaves meanwhile. */
WITH_PAIR(test_done)
{
    char id[JOB_ID_SIZE];
    for (int settled = 0; settled < 2; settled++) {
        next_pair();
        enter(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        if (settled)
            enter_as(&other, "bob", id);
        else
            cancel(&other, id, "");
        if (settled)
            memory_journal_settle(&other.kept);
        atomic_store(&one.process.fixture.script.hold, false);
        process_expect(&one.process, id, JOB_DONE, "a");
        pair_meets(id);
        process_expect(&one.process, id, JOB_DONE, "a");
        process_expect(&other.process, id, JOB_DONE, "a");
        assert_int_equal(process_owners(&one.process, id), settled ? 2 : 0);
        assert_int_equal(process_owners(&other.process, id), settled ? 2 : 0);
        expect_stored_job(&one.kept, id, "done", settled ? 2 : 0);
        WAIT_UNTIL(idle(&one) && idle(&other));
    }
}

/* A failure is the end of its run for whoever comes before the process has received it. */
WITH_PAIR(test_failed)
{
    char id[JOB_ID_SIZE];
    for (int late = 0; late < 2; late++) {
        next_pair();
        enter_as(&one, "ann", id);
        assert_both(id, JOB_RUNNING, 1);
        if (!late) {
            enter_as(&other, "bob", id);
            memory_journal_settle(&other.kept);
        }
        one.process.fixture.script.finish_as = NQ_LIMIT;
        atomic_store(&one.process.fixture.script.hold, false);
        process_expect(&one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
        atomic_store(&one.process.fixture.script.hold, true);
        memory_journal_settle(&one.kept);
        if (late)
            enter_as(&other, "bob", id); /* it has not received it */
        pair_meets(id);
        for (int i = 0; i < 2; i++)
            process_expect(i ? &other.process : &one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
        expect_stored_job(&one.kept, id, "failed", 2);
        WAIT_UNTIL(idle(&one) && idle(&other));
        enter_as(&other, "cal", id); /* it begins again, for this one alone */
        assert_both(id, JOB_RUNNING, 1);
    }
}

/* It fails and begins again before the failure is stored. */
WITH_PAIR(test_failed_and_begun_again)
{
    char id[JOB_ID_SIZE];
    enter(&one, id);
    memory_journal_settle(&one.kept);
    atomic_store(&shelf.held, true);
    enter(&one, id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    one.process.fixture.script.finish_as = NQ_LIMIT;
    atomic_store(&one.process.fixture.script.hold, false);
    process_expect(&one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
    atomic_store(&one.process.fixture.script.hold, true);
    enter(&one, id);
    assert_int_equal(process_owners(&one.process, id), 1);
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 1);
    cancel(&one, id, "");
    assert_both(id, JOB_CANCELLED, 0);
}

/* A job that a process has not received is found in the store. */
WITH_PAIR(test_sought)
{
    char id[JOB_ID_SIZE];
    struct job_view view;
    enter_as(&one, "ann", id);
    memory_journal_settle(&one.kept);
    assert_int_equal(jobs_look(other.process.jobs, id, false, &view), NQ_NONE);
    assert_true(jobs_seek(other.process.jobs, id, false));
    memory_journal_settle(&other.kept);
    assert_int_equal(process_owners(&other.process, id), 1);
    assert_false(jobs_seek(other.process.jobs, id, false)); /* it exists */
    enter_as(&one, "bob", id);
    memory_journal_settle(&one.kept);
    assert_int_equal(jobs_cancel(other.process.jobs, id, "bob"), NQ_DENIED);
    assert_true(jobs_seek(other.process.jobs, id, true));
    memory_journal_settle(&other.kept);
    cancel(&other, id, "bob");
    assert_false(jobs_seek(other.process.jobs, "no id", true));
    assert_true(jobs_seek(other.process.jobs, "0123456789abcdef", true));
    memory_journal_settle(&other.kept);
    assert_int_equal(jobs_look(other.process.jobs, "0123456789abcdef", false, &view), NQ_NONE);
    assert_false(jobs_unread(other.process.jobs, "0123456789abcdef", false)); /* the store was asked, */
    assert_true(jobs_unread(other.process.jobs, "0123456789abcdef", true));   /* or not */
    assert_false(jobs_unread(other.process.jobs, "no id", true));
    assert_false(jobs_stats(other.process.jobs).unread); /* of a store that is shared it is not known */
    assert_both(id, JOB_RUNNING, 1);
}

/* A store that does not answer may have any job. */
WITH_PAIR(test_sought_in_vain)
{
    char id[JOB_ID_SIZE];
    enter(&one, id);
    memory_journal_settle(&one.kept);
    assert_false(jobs_unread(one.process.jobs, "0123456789abcdef", false));
    atomic_store(&shelf.held, true);
    cancel(&one, id, "");
    WAIT_UNTIL(jobs_unread(one.process.jobs, "0123456789abcdef", false)); /* it is silent */
    assert_false(jobs_unread(one.process.jobs, "no id", false));
    atomic_store(&shelf.held, false);
    WAIT_UNTIL(!jobs_unread(one.process.jobs, "0123456789abcdef", false));
}

/* ---- Random changes ---- */

enum { REPLICAS = 3, NAMES = 4, STEPS = 400, ROUNDS = THREAD_SANITIZED ? 4 : 15 };

struct scene {
    struct replica replicas[REPLICAS];
    bool held[NAMES]; /* the name owns the job */
    char id[JOB_ID_SIZE];
    uint64_t dice;
};

static void receive_now(struct scene *scene, struct replica *replica)
{
    BYTES(text);
    if (shared_get(&shelf, STORE_JOB, scene->id, &text) == NQ_OK)
        jobs_receive(replica->process.jobs, scene->id, text.data, text.size);
}

/* Some name does something, somewhere. */
static void step(struct scene *scene)
{
    const unsigned who = facts_below(&scene->dice, NAMES);
    struct replica *replica = &scene->replicas[facts_below(&scene->dice, REPLICAS)];
    char name[8];
    (void)snprintf(name, sizeof name, "n%u", who);
    switch (facts_below(&scene->dice, 5)) {
    case 0:
    case 1: {
        char id[JOB_ID_SIZE];
        const enum nq_status status = process_enter_as(&replica->process, "a", principal_named(name, 9), id);
        if (status == NQ_BUSY) /* its flight has not ended */
            break;
        assert_int_equal(status, NQ_OK);
        assert_string_equal(id, scene->id);
        scene->held[who] = true;
        break;
    }
    case 2:
        if (!scene->held[who])
            break;
        for (int i = 0; i < REPLICAS; i++) /* that it came is stored before a client knows of it */
            memory_journal_settle(&scene->replicas[i].kept);
        if (jobs_seek(replica->process.jobs, scene->id, true))
            memory_journal_settle(&replica->kept);
        cancel(replica, scene->id, name);
        scene->held[who] = false;
        break;
    case 3: memory_journal_settle(&replica->kept); break;
    default: receive_now(scene, replica); break;
    }
    CHECKED(jobs_check(replica->process.jobs));
    CHECKED(journal_check(replica->kept.journal));
}

static void assert_exact(struct scene *scene)
{
    unsigned all = 0;
    for (int i = 0; i < REPLICAS; i++)
        memory_journal_settle(&scene->replicas[i].kept);
    for (int i = 0; i < NAMES; i++)
        all += scene->held[i];
    for (int i = 0; i < REPLICAS; i++) {
        struct process *process = &scene->replicas[i].process;
        receive_now(scene, &scene->replicas[i]);
        assert_int_equal(process_owners(process, scene->id), all);
        assert_int_equal(process_sees_end(process, scene->id), all == 0);
    }
}

TEST(test_random_changes)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct scene scene = {.dice = (uint64_t)round};
        for (int i = 0; i < REPLICAS; i++)
            replica_begin(&scene.replicas[i]);
        enter_as(&scene.replicas[0], "n0", scene.id);
        scene.held[0] = true;
        for (int i = 0; i < STEPS; i++) {
            step(&scene);
            if (i % 50 == 49)
                assert_exact(&scene);
        }
        for (unsigned who = 0; who < NAMES; who++) {
            char name[8];
            (void)snprintf(name, sizeof name, "n%u", who);
            if (scene.held[who])
                cancel(&scene.replicas[who % REPLICAS], scene.id, name);
            scene.held[who] = false;
        }
        assert_exact(&scene);
        for (int i = 0; i < REPLICAS; i++)
            WAIT_UNTIL(idle(&scene.replicas[i]));
        for (int i = 0; i < REPLICAS; i++)
            replica_end(&scene.replicas[i]);
    }
}

/* ---- What clients see: the end of a job when it is stored ---- */

/* The caller ends the view. */
static struct job_view seen_by_one(const char *id)
{
    struct job_view view;
    memset(&view, 0xa5, sizeof view);
    assert_int_equal(jobs_look(one.process.jobs, id, false, &view), NQ_OK);
    return view;
}

static bool seems_over(const char *id)
{
    struct job_view view = seen_by_one(id);
    const bool over = job_state_over(view.state), stored = view.stored;
    assert_true(over == (view.finished != 0));
    assert_true(over || !view.result);
    job_view_free(&view);
    return over && (stored || atomic_load(&shelf.held) || atomic_load(&shelf.starved));
}

static bool seems_stored(const char *id)
{
    struct job_view view = seen_by_one(id);
    const bool stored = view.stored;
    job_view_free(&view);
    return stored;
}

/* eta: in seconds; -1: not known. */
static void assert_seems(const char *id, enum job_state state, double eta, bool stored)
{
    ENDED_BY(job_view_free) struct job_view view = seen_by_one(id);
    assert_int_equal(view.state, state);
    assert_int_equal(view.stored, stored);
    assert_int_equal(view.result != NULL, state == JOB_DONE);
    assert_true(view.eta_s == eta);
}

/* It is done, but the store has not got that yet. A flight is none any more before its job knows its end. */
static bool seems_to_end(const char *id)
{
    struct job_view view = seen_by_one(id);
    const bool ends = view.state == JOB_RUNNING && view.eta_s == 0;
    job_view_free(&view);
    return ends;
}

/* Clients see an end when the store has it. */
WITH_PAIR(test_an_end_is_stored_first)
{
    char id[JOB_ID_SIZE];
    for (int given = 0; given < 2; given++) {
        next_pair();
        enter(&one, id);
        memory_journal_settle(&one.kept);
        WAIT_UNTIL(!jobs_seek(one.process.jobs, id, false)); /* it exists, and is stored */
        atomic_store(&shelf.held, true);
        if (given)
            cancel(&one, id, "");
        atomic_store(&one.process.fixture.script.hold, false);
        WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
        assert_seems(id, JOB_RUNNING, given ? -1 : 0, !given); /* its start is stored, that nobody is left is not */
        assert_true(jobs_seek(one.process.jobs, id, false));   /* something is to be stored */
        atomic_store(&shelf.held, false);
        WAIT_UNTIL(seems_over(id));
        assert_seems(id, given ? JOB_CANCELLED : JOB_DONE, -1, true);
        expect_stored_job(&one.kept, id, given ? "cancelled" : "done", !given);
    }
}

/* What is shown of a job is stored, or is said not to be: its start, and its end. */
WITH_PAIR(test_changes_are_stored_one_by_one)
{
    char id[JOB_ID_SIZE];
    atomic_store(&shelf.held, true);
    enter(&one, id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    atomic_store(&one.process.fixture.script.hold, false);
    WAIT_UNTIL(seems_to_end(id));
    assert_seems(id, JOB_RUNNING, 0, false);
    enter_as(&one, "ann", id); /* a job that is over, though nobody knows, takes no more owners */
    atomic_store(&shelf.passes, 1);
    WAIT_UNTIL(seems_stored(id));
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    assert_seems(id, JOB_RUNNING, 0, true);
    atomic_store(&shelf.held, false);
    WAIT_UNTIL(seems_over(id));
    assert_seems(id, JOB_DONE, -1, true);
    assert_int_equal(process_owners(&one.process, id), 1);
}

/* A store that is broken or slow is not waited for; an end that clients have seen is not withdrawn when it works again.
 */
WITH_PAIR(test_an_end_that_cannot_be_stored)
{
    char id[JOB_ID_SIZE];
    for (int starved = 0; starved < 2; starved++) {
        atomic_bool *fault = starved ? &shelf.starved : &shelf.held;
        next_pair();
        enter(&one, id);
        memory_journal_settle(&one.kept);
        atomic_store(fault, true);
        atomic_store(&one.process.fixture.script.hold, false);
        WAIT_UNTIL(seems_over(id));
        assert_seems(id, JOB_DONE, -1, false);
        atomic_store(fault, false);
        for (bool over = false; !over; over = seems_over(id)) {
            ENDED_BY(job_view_free) struct job_view view = seen_by_one(id);
            assert_int_equal(view.state, JOB_DONE);
        }
        assert_seems(id, JOB_DONE, -1, true);
    }
}

/* A client that has waited for the store in vain sees the end all the same. */
WITH_PAIR(test_end_shown_anyway)
{
    char id[JOB_ID_SIZE];
    enter(&one, id);
    memory_journal_settle(&one.kept);
    atomic_store(&shelf.held, true);
    cancel(&one, id, "");
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    assert_seems(id, JOB_RUNNING, -1, false);
    assert_int_equal(process_state(&one.process, id), JOB_CANCELLED); /* from now on, to every client */
    assert_seems(id, JOB_CANCELLED, -1, false);
    atomic_store(&shelf.held, false);
    WAIT_UNTIL(seems_over(id));
    assert_seems(id, JOB_CANCELLED, -1, true);
    atomic_store(&shelf.held, true);
    enter(&one, id); /* it begins again: its next end must be stored first */
    atomic_store(&one.process.fixture.script.hold, false);
    WAIT_UNTIL(seems_to_end(id) && atomic_load(&shelf.waiting) == 1);
    assert_false(seems_over(id));
    atomic_store(&shelf.held, false);
    WAIT_UNTIL(seems_over(id));
    assert_seems(id, JOB_DONE, -1, true);
}

/* ---- Records that this release has not written, or that are of another question ---- */

/* A record with numbers of shares is changed as any other. */
WITH_PAIR(test_records_of_earlier_releases)
{
    static const char text[] = "{\"release\":\"0.0.1\",\"key\":\"a\",\"path\":\"/count?a\",\"trace\":\"\","
                               "\"state\":\"running\",\"created\":1700000000,\"finished\":0,\"why\":\"\",\"units\":0,"
                               "\"restored\":0,\"nodes\":0,\"shares\":3,\"joined\":false,"
                               "\"holders\":{\"ann\":{\"shares\":2,\"joined\":true}}}";
    const char *id = "0123456789abcdef";
    char same[JOB_ID_SIZE];
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    process_resume(&one.process, &one.reopened);
    process_resume(&other.process, &other.reopened);
    assert_int_equal(process_owners(&one.process, id), 2); /* ann, and who had no name */
    assert_int_equal(process_enter_as(&one.process, "a", principal_named("ann", 9), same), NQ_OK);
    assert_string_equal(same, id);
    cancel(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 1);
    cancel(&other, id, "bob"); /* of whom nobody knows whether he was the nameless one */
    assert_both(id, JOB_CANCELLED, 0);
}

/* As if the store's record of a job were a release's, which the other process receives. */
static void receive_as_of(const char *release, const char *id)
{
    OWNED(free) char *text = stored(id);
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    assert_int_equal(json_object_set_new(json, "release", json_string(release)), 0);
    text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    receive(&other, id, text);
}

static void assert_stored_release(const char *id, const char *release)
{
    OWNED(json_decref) json_t *json = stored_job(&other.kept, id);
    assert_string_equal(json_string_value(json_object_get(json, "release")), release);
}

/* Servers of a later release take a question that this one cannot read: it does not end their job. */
WITH_PAIR(test_question_of_a_later_release)
{
    char id[JOB_ID_SIZE];
    other.reopened.rejects = true;
    static const char *const names[] = {"ann", "bob", "cal"};
    for (unsigned i = 0; i < 3; i++) {
        enter_as(&one, names[i], id);
        memory_journal_settle(&one.kept);
        receive_as_of("99.0.0", id);
        assert_int_equal(process_state(&other.process, id), JOB_QUEUED);
        assert_int_equal(process_owners(&other.process, id), i + 1);
    }
    assert_int_equal(other.reopened.opened, 1); /* not tried again with every record */
    cancel(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 2);
    assert_stored_release(id, "99.0.0"); /* for others like this one */
    WAIT_UNTIL(!idle(&one));
    cancel(&other, id, "bob");
    cancel(&other, id, "cal");
    expect_stored_job(&other.kept, id, "cancelled", 0);
    assert_stored_release(id, "99.0.0"); /* so that its servers can read that */
    assert_int_equal(jobs_stats(other.process.jobs).failed, 0);
    assert_true(process_news_are(&other.process, ""));
}

WITH_PAIR(test_question_of_an_earlier_release)
{
    char id[JOB_ID_SIZE];
    struct job_view view;
    other.reopened.rejects = true;
    enter(&one, id);
    memory_journal_settle(&one.kept);
    receive_as_of("0.0.1", id);
    view = process_look(&other.process, id);
    assert_int_equal(view.state, JOB_FAILED);
    assert_int_equal(view.fault.why, FAULT_RETIRED);
    job_view_free(&view);
    expect_stored_job(&other.kept, id, "failed", 1);
}

/* The end of the job of question "a", as a build has stored it. */
static const char *end_of(const char *build, const char *body)
{
    static char text[400];
    const long long now = (long long)time(NULL);
    (void)snprintf(text, sizeof text,
                   "{\"release\":\"%s\",\"key\":\"a\",\"path\":\"/count?a\",\"state\":\"done\",\"created\":%lld,"
                   "\"finished\":%lld,\"why\":\"\",\"units\":0,\"restored\":0,\"nodes\":0,"
                   "\"version\":253402300799000000,\"shares\":1,\"body\":\"%s\"}",
                   build, now, now, body);
    return text;
}

static bool is_stored(const char *id, const char *words)
{
    char *text = stored(id);
    const bool found = strstr(text, words);
    free(text);
    return found;
}

static const char other_build[] = NQ_VERSION "+g0123456789ab";

/* Its result is no fact for this build, which goes on counting, and stores its own. */
WITH_PAIR(test_result_of_another_build)
{
    char id[JOB_ID_SIZE];
    enter(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    const char *text = end_of(other_build, "their words");
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    receive(&one, id, text);
    assert_false(process_sees_end(&one.process, id));
    atomic_store(&one.process.fixture.script.hold, false);
    process_expect(&one.process, id, JOB_DONE, "a");
    WAIT_UNTIL(!is_stored(id, "their words"));
    assert_true(is_stored(id, "\"release\":\"" NQ_VERSION "\""));
    receive(&one, id, end_of(other_build, "their words"));
    process_expect(&one.process, id, JOB_DONE, "a");
}

/* Where the job is not known it can be read, and is no answer to a new question. */
WITH_PAIR(test_result_of_another_build_alone)
{
    static const char id[] = "0123456789abcdef";
    char own[JOB_ID_SIZE];
    receive(&one, id, end_of(other_build, "their words"));
    process_expect(&one.process, id, JOB_DONE, "their words");
    enter(&one, own);
    assert_string_not_equal(own, id);
}

/* The job of a question that only another build can read ends as it ends there. */
WITH_PAIR(test_question_that_only_another_build_reads)
{
    char id[JOB_ID_SIZE];
    other.reopened.rejects = true;
    enter(&one, id);
    memory_journal_settle(&one.kept);
    receive_as_of(other_build, id);
    assert_int_equal(process_state(&other.process, id), JOB_QUEUED);
    receive(&other, id, end_of(other_build, "their words"));
    process_expect(&other.process, id, JOB_DONE, "their words");
}

/* A record of another question under the same id, which is 64 bits of a hash, is not this job's. */
WITH_PAIR(test_record_of_another_question)
{
    static const char format[] =
        "{\"release\":\"" NQ_VERSION
        "\",\"key\":\"b\",\"path\":\"/count?b\",\"state\":\"%s\",\"created\":%lld,\"finished\":"
        "%lld,\"why\":\"\",\"units\":0,\"restored\":0,\"nodes\":0,\"version\":253402300799000000,\"shares\":7%s}";
    const long long now = (long long)time(NULL);
    char id[JOB_ID_SIZE], text[400];
    enter(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    (void)snprintf(text, sizeof text, format, "running", now, 0LL, "");
    receive(&one, id, text);
    assert_int_equal(process_owners(&one.process, id), 1);
    (void)snprintf(text, sizeof text, format, "done", now, now, ",\"body\":\"of b\"");
    receive(&one, id, text);
    assert_false(process_sees_end(&one.process, id));
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    enter_as(&one, "bob", id); /* reads the store's record, and replaces it */
    expect_stored_job(&one.kept, id, "running", 2);
    assert_both(id, JOB_RUNNING, 2);
    atomic_store(&one.process.fixture.script.hold, false);
    process_expect(&one.process, id, JOB_DONE, "a");
}
