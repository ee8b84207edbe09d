/* test_job_sync.c - tests of src/engine/jobs/job_sync.c: several processes change one job, each without the others'
 * changes for a while; no change is lost or made twice. */
/* CI builds: address thread */
#include <stdlib.h>
#include <string.h>

#include "support/shared_store.h"

static void subscribe_as(struct replica *replica, const char *name, bool own, char id[static JOB_ID_SIZE])
{
    assert_int_equal(process_join_as(&replica->process, "a", principal_named(name, 9), own, id), NQ_OK);
}

/* ---- Subscriptions ---- */

WITH_PAIR(test_concurrent_subscriptions)
{
    char id[JOB_ID_SIZE], same[JOB_ID_SIZE];
    subscribe(&one, id);
    subscribe(&other, same); /* it has not received it */
    assert_string_equal(same, id);
    assert_both(id, JOB_RUNNING, 2);
    subscribe(&one, id);
    subscribe(&other, id);
    subscribe(&other, id);
    assert_both(id, JOB_RUNNING, 5);
}

/* A process that has read before another one wrote does not overwrite that. */
WITH_PAIR(test_subscribed_while_another_writes)
{
    char id[JOB_ID_SIZE];
    subscribe(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    const unsigned refused = atomic_load(&shelf.refused);
    atomic_store(&shelf.held, true);
    subscribe(&one, id);
    subscribe(&other, id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 2); /* both have read the same */
    atomic_store(&shelf.held, false);
    assert_both(id, JOB_RUNNING, 3);
    assert_int_equal(atomic_load(&shelf.refused) - refused, 1);
}

WITH_PAIR(test_concurrent_cancels)
{
    char id[JOB_ID_SIZE];
    subscribe(&one, id);
    subscribe(&other, id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "");
    cancel(&other, id, "");
    assert_false(process_sees_end(&one.process, id)); /* one subscription is left here */
    assert_both(id, JOB_CANCELLED, 0);
    WAIT_UNTIL(idle(&one) && idle(&other));
}

/* More cancels than subscriptions of a name: later subscriptions are not affected. */
WITH_PAIR(test_one_subscription_given_back_twice)
{
    char id[JOB_ID_SIZE];
    subscribe_as(&one, "ann", true, id);
    subscribe_as(&one, "bob", true, id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "ann");
    cancel(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 1);
    subscribe_as(&other, "ann", true, id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "bob");
    cancel(&other, id, "ann");
    assert_both(id, JOB_CANCELLED, 0);
}

/* The last subscription is given back on one while the other adds one: the job goes on, on both. */
WITH_PAIR(test_cancelled_while_another_subscribes)
{
    char id[JOB_ID_SIZE];
    for (int first = 0; first < 2; first++) {
        struct replica *canceller = first ? &one : &other, *subscriber = first ? &other : &one;
        next_pair();
        subscribe(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        WAIT_UNTIL(!idle(&one) && !idle(&other));
        cancel(canceller, id, "");
        assert_int_equal(process_state(&canceller->process, id), JOB_CANCELLED);
        if (first)
            memory_journal_settle(&canceller->kept);
        subscribe(subscriber, id);
        assert_both(id, JOB_RUNNING, 1);
        const unsigned slices = atomic_load(&canceller->process.fixture.script.slices);
        WAIT_UNTIL(atomic_load(&canceller->process.fixture.script.slices) > slices + 9); /* it is counted again */
        cancel(canceller, id, "");
        assert_both(id, JOB_CANCELLED, 0);
        WAIT_UNTIL(idle(&one) && idle(&other));
    }
}

/* A name has one common subscription, on whatever server its requests took too long. */
WITH_PAIR(test_one_common_subscription)
{
    char id[JOB_ID_SIZE];
    subscribe_as(&one, "ann", false, id);
    subscribe_as(&other, "ann", false, id);
    subscribe_as(&other, "bob", false, id);
    assert_both(id, JOB_RUNNING, 2);
    cancel(&other, id, "ann");
    subscribe_as(&one, "ann", true, id);
    assert_both(id, JOB_RUNNING, 2);
}

/* The store has written a record, but the connection failed before it could return that. */
WITH_PAIR(test_lost_reply)
{
    char id[JOB_ID_SIZE];
    subscribe(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    for (unsigned round = 1; round < 4; round++) {
        atomic_store(&shelf.mute, true);
        subscribe(&one, id);
        WAIT_UNTIL(!atomic_load(&shelf.mute));
        subscribe(&other, id); /* on what was written */
        assert_both(id, JOB_RUNNING, 1 + 2 * round);
    }
    atomic_store(&shelf.mute, true);
    cancel(&one, id, "");
    WAIT_UNTIL(!atomic_load(&shelf.mute));
    cancel(&other, id, "");
    assert_both(id, JOB_RUNNING, 5);
}

/* Subscriptions outlive the process that has added them. */
WITH_PAIR(test_process_ends)
{
    char id[JOB_ID_SIZE];
    subscribe_as(&one, "ann", true, id);
    subscribe_as(&other, "ann", true, id);
    assert_both(id, JOB_RUNNING, 2);
    subscribe_as(&one, "bob", true, id);
    replica_end(&one);
    replica_begin(&one);
    assert_both(id, JOB_RUNNING, 3);
    cancel(&one, id, "ann");
    cancel(&other, id, "ann");
    cancel(&one, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
}

/* ---- Beginnings and ends ---- */

WITH_PAIR(test_begun_again)
{
    char id[JOB_ID_SIZE];
    subscribe_as(&one, "ann", true, id);
    assert_both(id, JOB_RUNNING, 1);
    char *early = stored(id);
    cancel(&one, id, "ann");
    memory_journal_settle(&one.kept);
    char *late = stored(id);
    subscribe_as(&other, "bob", true, id); /* which runs, as far as this process knows */
    assert_both(id, JOB_RUNNING, 1);
    receive(&one, id, early); /* an old record */
    receive(&one, id, late);
    receive(&other, id, late);
    assert_false(process_sees_end(&one.process, id) || process_sees_end(&other.process, id));
    assert_both(id, JOB_RUNNING, 1);
    assert_int_equal(jobs_cancel(one.process.jobs, id, "ann"), NQ_DENIED); /* it has none since it was begun again */
    cancel(&one, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
    free(early);
    free(late);
}

/* A result stays, whatever subscriptions change meanwhile. */
WITH_PAIR(test_done)
{
    char id[JOB_ID_SIZE];
    for (int settled = 0; settled < 2; settled++) {
        next_pair();
        subscribe(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        if (settled)
            subscribe(&other, id);
        else
            cancel(&other, id, "");
        if (settled)
            memory_journal_settle(&other.kept);
        atomic_store(&one.process.fixture.script.hold, false);
        process_expect(&one.process, id, JOB_DONE, "a");
        pair_meets(id);
        process_expect(&one.process, id, JOB_DONE, "a");
        process_expect(&other.process, id, JOB_DONE, "a");
        assert_int_equal(process_subscriptions(&one.process, id), settled ? 2 : 0);
        assert_int_equal(process_subscriptions(&other.process, id), settled ? 2 : 0);
        expect_stored_job(&one.kept, id, "done", settled ? 2 : 0);
        WAIT_UNTIL(idle(&one) && idle(&other));
    }
}

/* A subscription that comes before the process has received the failure: stored before it, the job has failed; stored
 * after it, the job begins again. */
WITH_PAIR(test_failed)
{
    char id[JOB_ID_SIZE];
    for (int known = 0; known < 2; known++) {
        next_pair();
        subscribe(&one, id);
        assert_both(id, JOB_RUNNING, 1);
        if (!known) {
            subscribe(&other, id);
            memory_journal_settle(&other.kept);
        }
        one.process.fixture.script.finish_as = NQ_LIMIT;
        atomic_store(&one.process.fixture.script.hold, false);
        process_expect(&one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
        atomic_store(&one.process.fixture.script.hold, true);
        memory_journal_settle(&one.kept);
        if (known)
            subscribe(&other, id); /* it has not received it */
        pair_meets(id);
        if (known) {
            assert_both(id, JOB_RUNNING, 1);
        } else {
            for (int i = 0; i < 2; i++)
                process_expect(i ? &other.process : &one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
            expect_stored_job(&one.kept, id, "failed", 2);
        }
    }
}

/* It fails and begins again before the failure is stored. */
WITH_PAIR(test_failed_and_begun_again)
{
    char id[JOB_ID_SIZE];
    subscribe(&one, id);
    memory_journal_settle(&one.kept);
    atomic_store(&shelf.held, true);
    subscribe(&one, id);
    WAIT_UNTIL(atomic_load(&shelf.waiting) == 1);
    one.process.fixture.script.finish_as = NQ_LIMIT;
    atomic_store(&one.process.fixture.script.hold, false);
    process_expect(&one.process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
    atomic_store(&one.process.fixture.script.hold, true);
    subscribe(&one, id);
    assert_int_equal(process_subscriptions(&one.process, id), 1);
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
    subscribe_as(&one, "ann", true, id);
    memory_journal_settle(&one.kept);
    assert_int_equal(jobs_look(other.process.jobs, id, false, &view), NQ_NONE);
    assert_true(jobs_seek(other.process.jobs, id, false));
    memory_journal_settle(&other.kept);
    assert_int_equal(process_subscriptions(&other.process, id), 1);
    assert_false(jobs_seek(other.process.jobs, id, false)); /* it exists */
    subscribe_as(&one, "bob", true, id);
    memory_journal_settle(&one.kept);
    assert_int_equal(jobs_cancel(other.process.jobs, id, "bob"), NQ_DENIED);
    assert_true(jobs_seek(other.process.jobs, id, true));
    memory_journal_settle(&other.kept);
    cancel(&other, id, "bob");
    assert_false(jobs_seek(other.process.jobs, "no id", true));
    assert_true(jobs_seek(other.process.jobs, "0123456789abcdef", true));
    memory_journal_settle(&other.kept);
    assert_int_equal(jobs_look(other.process.jobs, "0123456789abcdef", false, &view), NQ_NONE);
    assert_both(id, JOB_RUNNING, 1);
}

/* ---- Random changes ---- */

enum { REPLICAS = 3, NAMES = 4, STEPS = 400, ROUNDS = 15 };

struct scene {
    struct replica replicas[REPLICAS];
    unsigned held[NAMES]; /* subscriptions of a name */
    char id[JOB_ID_SIZE];
    uint64_t dice;
};

static void receive_now(struct scene *scene, struct replica *replica)
{
    struct bytes text = {0};
    if (shared_get(&shelf, STORE_JOB, scene->id, &text) == NQ_OK)
        jobs_receive(replica->process.jobs, scene->id, text.data, text.size);
    bytes_free(&text);
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
        const enum nq_status status =
            process_join_as(&replica->process, "a", principal_named(name, 9), true, scene->id);
        assert_true(status == NQ_OK || status == NQ_BUSY); /* its flight has not ended */
        scene->held[who] += status == NQ_OK;
        break;
    }
    case 2:
        if (!scene->held[who])
            break;
        for (int i = 0; i < REPLICAS; i++) /* a subscription is stored before a client knows of it */
            memory_journal_settle(&scene->replicas[i].kept);
        if (jobs_seek(replica->process.jobs, scene->id, true))
            memory_journal_settle(&replica->kept);
        cancel(replica, scene->id, name);
        scene->held[who]--;
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
        assert_int_equal(process_subscriptions(process, scene->id), all);
        assert_int_equal(process_sees_end(process, scene->id), all == 0);
    }
}

TEST(test_random_changes)
{
    for (int round = 0; round < ROUNDS; round++) {
        struct scene scene = {.dice = (uint64_t)round};
        for (int i = 0; i < REPLICAS; i++)
            replica_begin(&scene.replicas[i]);
        subscribe_as(&scene.replicas[0], "n0", true, scene.id);
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
                cancel(&scene.replicas[who % REPLICAS], scene.id, name);
        }
        assert_exact(&scene);
        for (int i = 0; i < REPLICAS; i++)
            WAIT_UNTIL(idle(&scene.replicas[i]));
        for (int i = 0; i < REPLICAS; i++)
            replica_end(&scene.replicas[i]);
    }
}
