/* test_jobs_resume.c - tests of src/engine/jobs/jobs.c from process to process: a job outlives its process, whatever
 * else stands in the store. */
/* CI builds: address thread */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/job_fixture.h"

static void put_record(const char *id, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(journal_put(kept.journal, STORE_JOB, id, text));
}

static void put_job(const char *id, const char *key, const char *state, int64_t created, int64_t finished)
{
    put_record(id,
               "{\"release\":\"" NQ_VERSION
               "\",\"key\":\"%s\",\"path\":\"/count?%s\",\"state\":\"%s\",\"shares\":1,\"created\":%lld,"
               "\"finished\":%lld,\"why\":\"%s\"%s}",
               key, key, state, (long long)created, (long long)finished, strcmp(state, "failed") ? "" : "because",
               strcmp(state, "failed") == 0 ? ",\"failure\":{\"code\":\"too-costly\",\"core_seconds\":7.5}"
               : strcmp(state, "done")      ? ""
                                            : ",\"body\":\"the body\",\"units\":7,\"restored\":2,\"nodes\":99");
}

static const char *numbered(int number, char id[static JOB_ID_SIZE])
{
    (void)snprintf(id, JOB_ID_SIZE, "%016d", number);
    return id;
}

/* "key 7" */
static const char *key_of(int number, char key[static 16])
{
    (void)snprintf(key, 16, "key %d", number);
    return key;
}

static bool is_gone(const char *id)
{
    struct job_view view;
    const enum nq_status status = jobs_look(process.jobs, id, false, &view);
    if (status == NQ_OK)
        job_view_free(&view);
    return status == NQ_NONE;
}

/* All requests of a name that took too long have one subscription together. */
WITH_PROCESS(test_one_common_subscription_of_a_name)
{
    char id[JOB_ID_SIZE];
    process.fixture.script.hold = true;
    for (int i = 0; i < 5; i++)
        assert_int_equal(process_join(&process, "a", false, id), NQ_OK);
    assert_int_equal(process_subscriptions(&process, id), 1);
    subscribe("a", id);
    subscribe("a", id);
    assert_int_equal(process_join(&process, "a", false, id), NQ_OK);
    assert_int_equal(process_subscriptions(&process, id), 3);
    expect_stored_job(&kept, id, "running", 3);
    next_process(1, 10, 10);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    assert_int_equal(process_join(&process, "a", false, id), NQ_OK);
    assert_int_equal(process_subscriptions(&process, id), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_not_equal(process_state(&process, id), JOB_CANCELLED);
        cancel(id, "");
    }
    assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    WAIT_UNTIL(process_join(&process, "a", false, id) == NQ_OK); /* begun again, without the old subscriptions */
    assert_int_equal(process_subscriptions(&process, id), 1);
}

WITH_PROCESS(test_next_process_resumes)
{
    char ids[4][JOB_ID_SIZE], id[JOB_ID_SIZE];
    static const char *const keys[] = {"done", "running", "waiting", "cancelled"};
    subscribe(keys[0], ids[0]);
    process_expect(&process, ids[0], JOB_DONE, keys[0]);
    process.fixture.script.hold = true;
    for (int i = 1; i < 4; i++)
        subscribe(keys[i], ids[i]);
    subscribe(keys[1], id);
    cancel(ids[3], "");
    flights_close(process.fixture.flights);
    for (int i = 1; i < 3; i++)
        assert_false(process_sees_end(&process, ids[i])); /* only for this process */
    assert_int_equal(jobs_stats(process.jobs).failed, 0);
    next_process(1, 10, 10);
    expect_stored_job(&kept, ids[0], "done", 1);
    expect_stored_job(&kept, ids[1], "running", 2);
    expect_stored_job(&kept, ids[2], "running", 1);
    expect_stored_job(&kept, ids[3], "cancelled", 0);

    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 2);
    assert_int_equal(jobs_stats(process.jobs).resumed, 2);
    process_expect(&process, ids[0], JOB_DONE, keys[0]);
    process_expect(&process, ids[1], JOB_DONE, keys[1]);
    process_expect(&process, ids[2], JOB_DONE, keys[2]);
    process_expect(&process, ids[3], JOB_CANCELLED, NULL);
    assert_int_equal(process_subscriptions(&process, ids[1]), 2);
    assert_int_equal(process.fixture.script.asked, 2);
    for (int i = 0; i < 4; i++) { /* the same questions are the same jobs still */
        subscribe(keys[i], id);
        assert_string_equal(id, ids[i]);
    }
    process_expect(&process, ids[3], JOB_DONE, keys[3]);
    next_process(1, 10, 10);
    for (int i = 0; i < 4; i++)
        expect_stored_job(&kept, ids[i], "done", i == 1 ? 3 : i == 3 ? 1 : 2);
}

/* News come in order, with the trace of the request that began the job, in the next process too. */
WITH_PROCESS(test_news)
{
    static const char trace[] = "0af7651916cd43dd8448eb211c80319c";
    struct question question = ask_named("a");
    char id[JOB_ID_SIZE];
    question.path = "/count?a";
    memcpy(question.trace, trace, sizeof trace);
    process.fixture.script.hold = true;
    struct shared_question *asked = shared(&question);
    assert_int_equal(jobs_begin(process.jobs, asked, true, id), NQ_OK);
    question_unref(asked);
    subscribe("a", id); /* joins: no news */
    assert_true(process_news_are(&process, "begun /count?a 0af7651916cd43dd8448eb211c80319c;"));
    process_end(&process);
    assert_string_equal(process.news, "begun /count?a 0af7651916cd43dd8448eb211c80319c;"); /* it is not over */

    process_begin(&process, &kept, 1, 10, 10);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    cancel(id, "");
    cancel(id, "");
    WAIT_UNTIL(process_news_are(&process, "resumed /count?a 0af7651916cd43dd8448eb211c80319c;"
                                          "cancelled /count?a 0af7651916cd43dd8448eb211c80319c;"));
    next_process(1, 10, 10);
    process_resume(&process, &reopened);
    assert_true(process_news_are(&process, ""));
    subscribe("a", id); /* once more, and untraced */
    WAIT_UNTIL(process_news_are(&process, "begun /count?a ;done /count?a ;"));
    process.fixture.script.slice_as = NQ_LIMIT;
    subscribe("b", id);
    WAIT_UNTIL(process_news_are(&process, "begun /count?a ;done /count?a ;begun /count?b ;failed /count?b ;"));
}

WITH_PROCESS(test_restarted_again_and_again)
{
    char ids[5][JOB_ID_SIZE];
    for (int round = 0; round < 10; round++) {
        reopened = (struct reopened){0};
        next_process(2, 10, 10);
        process.fixture.script.hold = round < 9;
        process_resume(&process, &reopened);
        assert_int_equal(reopened.opened, round < 5 ? round : 5);
        if (round < 5)
            subscribe((char[]){(char)('a' + round), '\0'}, ids[round]);
    }
    for (int i = 0; i < 5; i++)
        process_expect(&process, ids[i], JOB_DONE, (char[]){(char)('a' + i), '\0'});
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 5);
}

WITH_PROCESS(test_records_of_every_state)
{
    const int64_t now = time(NULL);
    put_job("0000000000000001", "one", "done", now - 100, now - 50);
    put_job("0000000000000002", "two", "failed", now - 90, now - 50);
    put_job("0000000000000003", "three", "cancelled", now - 80, now - 50);
    put_job("0000000000000004", "four", "running", now - 70, 0);
    /* a path that means nothing now, and one that means something else now */
    put_record("0000000000000005", "{\"key\":\"five\",\"path\":\"/five\",\"state\":\"running\",\"shares\":1}");
    put_record("0000000000000006", "{\"key\":\"six\",\"path\":\"/count?7\",\"state\":\"running\",\"shares\":1}");
    /* a later release's, which no other server will take */
    put_record("0000000000000007", "{\"release\":\"99.0.0\",\"key\":\"seven\",\"path\":\"/seven\","
                                   "\"state\":\"running\",\"shares\":1}");
    process_resume(&process, &reopened);
    process_expect(&process, "0000000000000001", JOB_DONE, "the body");
    process_expect(&process, "0000000000000002", JOB_FAILED, "because");
    process_expect(&process, "0000000000000003", JOB_CANCELLED, NULL);
    process_expect(&process, "0000000000000004", JOB_DONE, "four");
    struct job_view view = process_look(&process, "0000000000000001");
    assert_int_equal(view.created, now - 100);
    assert_int_equal(view.finished, now - 50);
    assert_int_equal(view.progress.units, 7);
    assert_int_equal(view.progress.units_done, 7);
    assert_int_equal(view.progress.units_restored, 2);
    assert_int_equal(view.progress.nodes, 99);
    job_view_free(&view);
    view = process_look(&process, "0000000000000002");
    assert_int_equal(view.fault.why, FAULT_COST);
    assert_true(view.fault.numbers[0] == 7.5);
    job_view_free(&view);
    for (int i = 5; i <= 7; i++) {
        char id[JOB_ID_SIZE];
        assert_int_equal(process_state(&process, numbered(i, id)), JOB_FAILED);
        view = process_look(&process, id);
        assert_true(strlen(view.fault.text) > 0);
        assert_int_equal(view.fault.why, FAULT_RETIRED);
        job_view_free(&view);
        expect_stored_job(&kept, id, "failed", 1);
    }
    assert_int_equal(reopened.opened, 4);
    const struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.resumed, 1);
    assert_int_equal(stats.failed, 3); /* the stored failure was counted by the process that saw it */
}

/* A record that cannot be read is ignored. */
WITH_PROCESS(test_invalid_records)
{
    static const char *const bad[] = {"",
                                      "{}",
                                      "[]",
                                      "null",
                                      "7",
                                      "\"\"",
                                      "{",
                                      "{\"key\":\"a\"}",
                                      "{\"path\":\"/count?a\",\"state\":\"done\"}",
                                      "{\"key\":\"a\",\"path\":\"/count?a\"}",
                                      "{\"key\":\"a\",\"path\":\"/count?a\",\"state\":\"\"}",
                                      "{\"key\":\"a\",\"path\":\"/count?a\",\"state\":\"Done\"}",
                                      "{\"key\":\"a\",\"path\":\"/count?a\",\"state\":7}",
                                      "{\"key\":7,\"path\":\"/count?a\",\"state\":\"done\"}",
                                      "{\"key\":\"a\",\"path\":[],\"state\":\"done\"}",
                                      "\xff\xfe"};
    enum { BAD = sizeof bad / sizeof bad[0] };
    char id[JOB_ID_SIZE];
    for (int i = 0; i < BAD; i++)
        assert_true(journal_put(kept.journal, STORE_JOB, numbered(i, id), bad[i]));
    put_job("short", "b", "running", time(NULL), 0);
    put_job("00000000000000000000longer", "b", "running", time(NULL), 0);
    put_job("", "b", "running", time(NULL), 0);
    put_job("aaaaaaaaaaaaaaaa", "good", "running", time(NULL), 0);
    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 1);
    process_expect(&process, "aaaaaaaaaaaaaaaa", JOB_DONE, "good");
    const struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.active + stats.kept, 1);
}

/* A record with odd values is a job that can be read and cancelled, or is ignored. */
WITH_PROCESS(test_records_with_odd_values)
{
    static const char *const odd[] = {
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"done\"}",
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"done\",\"body\":7,\"units\":\"x\",\"nodes\":-1}",
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"done\",\"body\":\"\",\"shares\":-1,\"why\":7}",
        "{\"key\":\"%d\",\"path\":\"\",\"state\":\"failed\",\"why\":\"0123456789012345678901234567890123456789012345678"
        "90123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
        "9012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\"}",
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"cancelled\",\"created\":9223372036854775807}",
        "{\"key\":\"%d\",\"path\":\"/"
        "count?a\",\"state\":\"failed\",\"why\":\"a\",\"failure\":{\"code\":\"no-such\",\"units\":1}}",
        "{\"key\":\"%d\",\"path\":\"/"
        "count?a\",\"state\":\"failed\",\"why\":\"a\",\"failure\":{\"code\":\"too-costly\"}}",
    };
    enum { ODD = sizeof odd / sizeof odd[0] };
    for (int i = 0; i < ODD; i++) {
        char id[JOB_ID_SIZE], text[600], *now;
        (void)snprintf(text, sizeof text, odd[i], i);
        if (!strstr(text, "created") && (now = strrchr(text, '}'))) /* young enough to be kept */
            (void)snprintf(now, (size_t)(text + sizeof text - now), ",\"created\":%lld,\"finished\":%lld}",
                           (long long)time(NULL), (long long)time(NULL));
        assert_true(journal_put(kept.journal, STORE_JOB, numbered(i, id), text));
    }
    process_resume(&process, &reopened);
    for (int i = 0; i < ODD; i++) {
        char id[JOB_ID_SIZE];
        struct job_view view;
        if (jobs_look(process.jobs, numbered(i, id), false, &view) != NQ_OK)
            continue; /* or it makes no sense after all */
        assert_true(strlen(view.fault.text) < sizeof view.fault.text);
        assert_true(view.state != JOB_DONE || view.result);
        job_view_free(&view);
        cancel(id, "");
    }
}

/* Its last subscription is given back before its flight starts. */
WITH_PROCESS(test_cancelled_while_it_is_resumed)
{
    put_job("0000000000000004", "four", "running", time(NULL), 0);
    next_process(1, 10, 1);
    process.fixture.script.hold = true;
    reopened = (struct reopened){.cancel_in = process.jobs, .cancel = "0000000000000004"};
    process_resume(&process, &reopened);
    process_expect(&process, "0000000000000004", JOB_CANCELLED, NULL);
    WAIT_UNTIL(flights_stats(process.fixture.flights).running == 0); /* if it had begun */
    assert_int_equal(process.fixture.script.finished, 0);
    expect_stored_job(&kept, "0000000000000004", "cancelled", 0);
    WAIT_UNTIL(process_news_are(&process, "cancelled /count?four ;")); /* nothing is told of it after its end */
    char id[JOB_ID_SIZE];
    atomic_store(&process.fixture.script.hold, false);
    subscribe("four", id);
    process_expect(&process, id, JOB_DONE, "four");
}

/* All jobs are resumed, though the pool's queue is shorter. */
WITH_PROCESS(test_resuming_more_than_the_queue_takes)
{
    enum { RUNNING = 8 };
    struct blocker blocker;
    char id[JOB_ID_SIZE], key[16];
    for (int i = 0; i < RUNNING; i++)
        put_job(numbered(i, id), key_of(i, key), "running", time(NULL) - i, 0);
    next_process(1, 2, RUNNING);
    blocker_begin(&blocker, process.fixture.pool); /* the searches take their time */
    process_resume(&process, &reopened);
    blocker_end(&blocker);
    for (int i = 0; i < RUNNING; i++)
        process_expect(&process, numbered(i, id), JOB_DONE, key_of(i, key));
}

/* A store is read again when other jobs have begun. */
WITH_PROCESS(test_resuming_once_more)
{
    char id[JOB_ID_SIZE];
    process.fixture.script.hold = true;
    subscribe("a", id);
    put_job("0000000000000001", "b", "running", time(NULL), 0);
    put_job("0000000000000002", "c", "done", time(NULL) - 5, time(NULL) - 4);
    for (int i = 0; i < 3; i++)
        process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 1); /* this process' own job is not resumed */
    assert_int_equal(jobs_stats(process.jobs).resumed, 1);
    assert_int_equal(jobs_stats(process.jobs).active, 2);
    atomic_store(&process.fixture.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    process_expect(&process, "0000000000000001", JOB_DONE, "b");
    process_expect(&process, "0000000000000002", JOB_DONE, "the body");
}

/* ---- Weeding ---- */

WITH_PROCESS(test_the_oldest_are_forgotten)
{
    enum { ALL = JOBS_KEPT + 150, RUNNING = 20 };
    const int64_t now = time(NULL);
    char id[JOB_ID_SIZE], key[16];
    for (int i = 0; i < ALL; i++)
        put_job(numbered(i, id), key_of(i, key), "done", now - i - 10, now - i - 5);
    for (int i = 0; i < RUNNING; i++) { /* older than all of them */
        (void)snprintf(id, sizeof id, "f%015d", i);
        (void)snprintf(key, sizeof key, "f %d", i);
        put_job(id, key, "running", now - ALL - 100 - i, 0);
    }
    next_process(1, 100, 100);
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    struct job_stats stats = jobs_stats(process.jobs);
    assert_int_equal(stats.kept, JOBS_KEPT);
    assert_int_equal(stats.active, RUNNING);
    WAIT_UNTIL(memory_journal_facts(&kept, STORE_JOB) == JOBS_KEPT + RUNNING);
    for (int i = 0; i < ALL; i++)
        assert_int_equal(is_gone(numbered(i, id)), i >= JOBS_KEPT);
    atomic_store(&process.fixture.script.hold, false);
    WAIT_UNTIL(jobs_stats(process.jobs).active == 0);
    for (int i = 0; i < RUNNING; i++) {
        (void)snprintf(id, sizeof id, "f%015d", i);
        (void)is_gone(id); /* it is over and among the oldest, and may have been forgotten */
    }
    subscribe("a new one", id);
    stats = jobs_stats(process.jobs);
    assert_true(stats.kept <= JOBS_KEPT + 1);
    WAIT_UNTIL(jobs_stats(process.jobs).active == 0);
    process_expect(&process, id, JOB_DONE, "a new one");
    WAIT_UNTIL(memory_journal_facts(&kept, STORE_JOB) <= JOBS_KEPT + 1);
}

/* What counts is when a job ended, not when it began: one that takes days is not forgotten as soon as it is over. */
WITH_PROCESS(test_a_long_job_is_kept)
{
    static const char id[] = "f000000000000000";
    const int64_t now = time(NULL);
    char other[JOB_ID_SIZE], key[16];
    for (int i = 0; i < JOBS_KEPT; i++)
        put_job(numbered(i, other), key_of(i, key), "done", now - i - 10, now - i - 5);
    put_job(id, "long", "running", now - 86400, 0); /* older than all of them */
    next_process(1, 10, 10);
    process_resume(&process, &reopened);
    process_expect(&process, id, JOB_DONE, "long");
    subscribe("a new one", other);
    process_expect(&process, id, JOB_DONE, "long");
    process_expect(&process, other, JOB_DONE, "a new one");
    assert_true(is_gone(numbered(JOBS_KEPT - 1, other))); /* the one that ended first */
    assert_false(is_gone(numbered(JOBS_KEPT - 2, other)));
    subscribe("another new one", other); /* forgets the next one */
    assert_true(is_gone(numbered(JOBS_KEPT - 2, other)));
    assert_false(is_gone(numbered(JOBS_KEPT - 3, other)));
    process_expect(&process, id, JOB_DONE, "long");
    expect_stored_job(&kept, id, "done", 1);
}

/* Results of another major version are removed; its unfinished jobs are resumed. */
WITH_PROCESS(test_records_of_another_release)
{
    put_record("0000000000000001",
               "{\"release\":\"0.0.0\",\"key\":\"one\",\"path\":\"/count?one\",\"state\":\"done\",\"shares\":1,"
               "\"created\":%lld,\"finished\":%lld,\"why\":\"\",\"body\":\"old words\"}",
               (long long)time(NULL), (long long)time(NULL));
    put_record("0000000000000002",
               "{\"release\":\"0.0.0\",\"key\":\"two\",\"path\":\"/count?two\",\"state\":\"running\",\"shares\":1,"
               "\"created\":%lld,\"finished\":0,\"why\":\"\"}",
               (long long)time(NULL));
    put_record("0000000000000003", "no record");
    process_resume(&process, &reopened);
    assert_true(is_gone("0000000000000001"));
    assert_true(is_gone("0000000000000003"));
    process_expect(&process, "0000000000000002", JOB_DONE, "two");
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 1);
}

/* A result of another build is what that one answered: its job can be read, and is no answer to a new question. */
WITH_PROCESS(test_results_of_another_build)
{
    static const char theirs[] = "0000000000000001", build[] = NQ_VERSION "+g0123456789ab.dirty.0123456789ab";
    char id[JOB_ID_SIZE], again[JOB_ID_SIZE];
    put_record(theirs,
               "{\"release\":\"%s\",\"key\":\"one\",\"path\":\"/count?one\",\"state\":\"done\",\"shares\":1,"
               "\"created\":%lld,\"finished\":%lld,\"why\":\"\",\"body\":\"their words\"}",
               build, (long long)time(NULL), (long long)time(NULL));
    put_record("0000000000000002",
               "{\"release\":\"%s\",\"key\":\"two\",\"path\":\"/count?two\",\"state\":\"failed\",\"shares\":1,"
               "\"created\":%lld,\"finished\":%lld,\"why\":\"because\"}",
               build, (long long)time(NULL), (long long)time(NULL));
    put_record("0000000000000003",
               "{\"release\":\"%s\",\"key\":\"three\",\"path\":\"/count?three\",\"state\":\"running\",\"shares\":1,"
               "\"created\":%lld,\"finished\":0,\"why\":\"\"}",
               build, (long long)time(NULL));
    process_resume(&process, &reopened);
    process_expect(&process, theirs, JOB_DONE, "their words");
    process_expect(&process, "0000000000000003", JOB_DONE, "three");
    assert_false(jobs_done(process.jobs, "one", id));
    assert_true(jobs_done(process.jobs, "three", id)); /* this build has counted it */
    subscribe("one", id);
    assert_string_not_equal(id, theirs);
    process_expect(&process, id, JOB_DONE, "one");
    subscribe("one", again);
    assert_string_equal(again, id);
    subscribe("two", again); /* a failure is no result: the job begins again */
    assert_string_equal(again, "0000000000000002");
    process_expect(&process, again, JOB_DONE, "two");
    cancel(theirs, ""); /* changes their record, which stays theirs */
    next_process(1, 10, 10);
    process_resume(&process, &reopened);
    process_expect(&process, theirs, JOB_DONE, "their words");
    process_expect(&process, id, JOB_DONE, "one");
    assert_true(jobs_done(process.jobs, "one", again));
    assert_string_equal(again, id);
    assert_true(jobs_done(process.jobs, "two", again));
    assert_int_equal(process_subscriptions(&process, theirs), 0);
}

WITH_PROCESS(test_kept_for_a_week)
{
    const int64_t now = time(NULL), day = 86400;
    put_job("0000000000000001", "old", "done", now - 9 * day, now - 8 * day);
    put_job("0000000000000002", "young", "done", now - 6 * day, now - 5 * day);
    put_job("0000000000000003", "failed", "failed", now - 30 * day, now - 29 * day);
    put_job("0000000000000004", "long", "done", now - 9 * day, now - day);
    next_process(1, 100, 100);
    process_resume(&process, &reopened);
    assert_true(is_gone("0000000000000001"));
    assert_true(is_gone("0000000000000003"));
    process_expect(&process, "0000000000000002", JOB_DONE, "the body");
    process_expect(&process, "0000000000000004", JOB_DONE, "the body");
    assert_int_equal(memory_journal_facts(&kept, STORE_JOB), 2);
}

/* Holders that make no sense are ignored: their subscriptions are anonymous. */
WITH_PROCESS(test_records_with_impossible_holders)
{
    static const char *const holders[] = {"7",
                                          "[]",
                                          "{\"\":{\"shares\":1}}",
                                          "{\"ann\":{\"shares\":3}}",
                                          "{\"ann\":{\"shares\":-1}}",
                                          "{\"ann\":1}",
                                          "{\"a name of more letters than a name has\":{\"shares\":1}}"};
    enum { RECORDS = sizeof holders / sizeof holders[0] };
    for (int i = 0; i < RECORDS; i++) {
        char id[JOB_ID_SIZE];
        put_record(numbered(i, id),
                   "{\"key\":\"%d\",\"path\":\"/count?%d\",\"state\":\"running\",\"shares\":2,\"holders\":%s}", i, i,
                   holders[i]);
    }
    process.fixture.script.hold = true;
    process_resume(&process, &reopened);
    for (int i = 0; i < RECORDS; i++) {
        char id[JOB_ID_SIZE];
        assert_int_equal(process_subscriptions(&process, numbered(i, id)), 2);
        cancel(id, "eve");
        cancel(id, "eve");
        assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    }
}
