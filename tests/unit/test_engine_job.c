/* test_engine_job.c - tests of src/engine/job.c on flights with made-up work: equal questions are one job, everyone has
 * a share in it, and what a job has come to outlives the process. */
#include "engine/job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "employing.h"
#include "pace.h"

/* ---- In one process ---- */

static void test_one_job_for_equal_questions(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    char a[JOB_ID_SIZE], again[JOB_ID_SIZE], b[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 2, 10, 10);
    process.field.script.hold = true;
    assert_int_equal(process_take(&process, "a", a), NQ_OK);
    assert_int_equal(strlen(a), JOB_ID_SIZE - 1);
    assert_int_equal(strspn(a, "0123456789abcdef"), JOB_ID_SIZE - 1);
    assert_int_equal(process_shares(&process, a), 1);
    assert_int_equal(process_take(&process, "a", again), NQ_OK);
    assert_string_equal(again, a);
    assert_int_equal(process_shares(&process, a), 2);
    assert_int_equal(process_take(&process, "b", b), NQ_OK);
    assert_string_not_equal(b, a);
    WAIT_UNTIL(atomic_load(&process.field.script.opened) == 2);
    struct job_figures figures = jobs_figures(process.jobs);
    assert_int_equal(figures.active, 2);
    assert_int_equal(figures.kept, 0);
    assert_int_equal(figures.begun, 2);
    archive_expect(&archive, a, "running", 2);
    atomic_store(&process.field.script.hold, false);
    process_expect(&process, a, JOB_DONE, "a");
    process_expect(&process, b, JOB_DONE, "b");
    assert_int_equal(process_take(&process, "a", again), NQ_OK); /* it is done already */
    assert_string_equal(again, a);
    process_expect(&process, a, JOB_DONE, "a");
    assert_int_equal(process.field.script.asked, 2);
    figures = jobs_figures(process.jobs);
    assert_int_equal(figures.active, 0);
    assert_int_equal(figures.kept, 2);
    assert_int_equal(figures.begun, 2);
    assert_int_equal(figures.done, 2);
    assert_int_equal(figures.failed + figures.cancelled + figures.refused + figures.resumed, 0);
    process_end(&process);
    json_t *json = archive_job(&archive, a);
    assert_string_equal(json_string_value(json_object_get(json, "key")), "a");
    assert_string_equal(json_string_value(json_object_get(json, "path")), "/count?a");
    assert_string_equal(json_string_value(json_object_get(json, "state")), "done");
    assert_string_equal(json_string_value(json_object_get(json, "body")), "a");
    json_decref(json);
    archive_end(&archive);
}

static void test_no_such_job(void **state)
{
    (void)state;
    static const char *const ids[] = {"", "0", "0123456789abcdef", "xxxxxxxxxxxxxxxx", "0123456789abcdef0", "../../x"};
    struct archive archive;
    struct process process;
    char id[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        struct job_view view;
        assert_int_equal(jobs_look(process.jobs, ids[i], &view), NQ_NONE);
        assert_int_equal(jobs_cancel(process.jobs, ids[i], ""), NQ_NONE);
    }
    process_end(&process);
    archive_end(&archive);
}

/* How far it is: it waits for a thread, it is searched for, it is over. */
static void test_looking(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct plug plug;
    char id[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    process.field.script.progress = (struct progress){.weight = 1000,
                                                      .weight_done = 400,
                                                      .weight_restored = 300,
                                                      .units = 10,
                                                      .units_done = 4,
                                                      .units_restored = 3,
                                                      .nodes = UINT64_C(1) << 40};
    plug_in(&plug, process.field.pool);
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    struct job_view view = process_look(&process, id);
    assert_int_equal(view.state, JOB_QUEUED);
    assert_true(view.eta_s < 0);
    assert_int_equal(view.progress.units, 0);
    assert_string_equal(view.path, "/count?a");
    assert_true(view.created > 0 && view.created <= time(NULL));
    assert_int_equal(view.finished, 0);
    assert_null(view.result);
    job_view_free(&view);
    plug_out(&plug);
    WAIT_UNTIL(atomic_load(&process.field.script.slices) > 3);
    view = process_look(&process, id);
    assert_int_equal(view.state, JOB_RUNNING);
    assert_int_equal(view.progress.units, 10);
    assert_int_equal(view.progress.nodes, UINT64_C(1) << 40);
    const double elapsed = (double)(clock_now() - view.progress.took_off) / (double)CLOCK_SECOND;
    assert_true(view.eta_s > 0 && view.eta_s <= elapsed * 6.01); /* 100 were done here, 600 are left */
    job_view_free(&view);
    atomic_store(&process.field.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    view = process_look(&process, id);
    assert_int_equal(view.progress.units, 10);
    assert_int_equal(view.progress.nodes, UINT64_C(1) << 40);
    job_view_free(&view);
    process_end(&process);
    archive_end(&archive);
}

/* What is in the cache already is a job that is done when it begins. */
static void test_of_a_cached_answer(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct guest guest;
    char id[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    guest_ask(&guest, &process.field, "a");
    guest_gets(&guest, NQ_OK, "a");
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    assert_int_equal(process_state(&process, id), JOB_DONE);
    process_expect(&process, id, JOB_DONE, "a");
    assert_int_equal(process.field.script.asked, 1);
    archive_expect(&archive, id, "done", 1);
    process_end(&process);
    guest_end(&guest);
    archive_end(&archive);
}

static void test_the_last_cancel_stops_the_search(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    char id[JOB_ID_SIZE], again[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 1);
    process.field.script.hold = true;
    for (int i = 0; i < 3; i++)
        assert_int_equal(process_take(&process, "a", id), NQ_OK);
    WAIT_UNTIL(atomic_load(&process.field.script.slices) > 0);
    for (unsigned left = 2; left > 0; left--) {
        assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
        assert_int_equal(process_state(&process, id), JOB_RUNNING);
        assert_int_equal(process_shares(&process, id), left);
        archive_expect(&archive, id, "running", left);
    }
    assert_int_equal(process.field.script.closed, 0);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
    process_expect(&process, id, JOB_CANCELLED, NULL);
    WAIT_UNTIL(atomic_load(&process.field.script.closed) == 1);
    assert_int_equal(process.field.script.finished, 0);
    archive_expect(&archive, id, "cancelled", 0);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK); /* there is no share left, but a job */
    assert_int_equal(process_shares(&process, id), 0);
    struct job_figures figures = jobs_figures(process.jobs);
    assert_int_equal(figures.cancelled, 1);
    assert_int_equal(figures.active, 0);
    assert_int_equal(figures.failed, 0);
    atomic_store(&process.field.script.hold, false);
    assert_int_equal(process_take(&process, "a", again), NQ_OK); /* once more, from the start */
    assert_string_equal(again, id);
    process_expect(&process, id, JOB_DONE, "a");
    assert_int_equal(process_shares(&process, id), 1);
    assert_int_equal(process.field.script.opened, 2);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK); /* what is done stays */
    process_expect(&process, id, JOB_DONE, "a");
    archive_expect(&archive, id, "done", 0);
    process_end(&process);
    archive_end(&archive);
}

/* Somebody else who waits for the same answer is not cut off with the job, nor the other way round. */
static void test_jobs_are_parties_among_others(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct guest guests[2];
    char id[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    guest_ask(&guests[0], &process.field, "a");
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
    assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    guest_dismiss(&guests[0], NQ_CANCELLED);
    guest_gets(&guests[0], NQ_CANCELLED, NULL);
    guest_ask(&guests[1], &process.field, "a");
    atomic_store(&process.field.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    guest_gets(&guests[1], NQ_OK, "a");
    assert_int_equal(process.field.script.opened, 1);
    process_end(&process);
    guest_end(&guests[0]);
    guest_end(&guests[1]);
    archive_end(&archive);
}

static void test_failures_say_why(void **state)
{
    (void)state;
    static const char why[] = "it is \"too\" long \xe2\x80\x93 far too long";
    struct archive archive;
    struct process process;
    char id[JOB_ID_SIZE], again[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    struct script *script = &process.field.script;
    script->open_as = NQ_LIMIT;
    script->open_why = why;
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    process_expect(&process, id, JOB_FAILED, why);
    archive_expect(&archive, id, "failed", 1);
    script->open_why = NULL;
    assert_int_equal(process_take(&process, "a", again), NQ_OK); /* tried again */
    assert_string_equal(again, id);
    process_expect(&process, id, JOB_FAILED, nq_status_text(NQ_LIMIT));
    script->open_as = NQ_OK;
    script->slice_as = NQ_NOMEM;
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    process_expect(&process, id, JOB_FAILED, nq_status_text(NQ_NOMEM));
    script->slice_as = NQ_OK;
    script->finish_as = NQ_LIMIT;
    script->work_why = why;
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    process_expect(&process, id, JOB_FAILED, why);
    assert_int_equal(jobs_figures(process.jobs).failed, 4);
    assert_int_equal(jobs_figures(process.jobs).begun, 4);
    assert_int_equal(jobs_figures(process.jobs).kept, 1);
    script->finish_as = NQ_OK;
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    process_expect(&process, id, JOB_DONE, "a");
    process_end(&process);
    archive_end(&archive);
}

static void test_most(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    char id[JOB_ID_SIZE], others[3][JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 3);
    process.field.script.hold = true;
    assert_int_equal(process_take(&process, "a", others[0]), NQ_OK);
    assert_int_equal(process_take(&process, "b", others[1]), NQ_OK);
    assert_int_equal(process_take(&process, "c", others[2]), NQ_OK);
    assert_int_equal(process_take(&process, "d", id), NQ_BUSY);
    assert_int_equal(process_take(&process, "a", id), NQ_OK); /* needs no room */
    assert_int_equal(jobs_figures(process.jobs).refused, 1);
    assert_int_equal(jobs_figures(process.jobs).active, 3);
    assert_int_equal(archive_facts(&archive, STORE_JOB), 3);
    assert_int_equal(jobs_cancel(process.jobs, others[1], ""), NQ_OK);
    assert_int_equal(process_take(&process, "d", id), NQ_OK);
    assert_int_equal(process_take(&process, "b", id), NQ_BUSY); /* a cancelled one needs room again */
    atomic_store(&process.field.script.hold, false);
    process_expect(&process, others[0], JOB_DONE, "a");
    process_expect(&process, others[2], JOB_DONE, "c");
    assert_int_equal(process_take(&process, "b", id), NQ_OK);
    process_expect(&process, id, JOB_DONE, "b");
    process_end(&process);
    archive_end(&archive);
}

/* ---- From process to process ---- */

static void put_record(struct archive *archive, const char *id, const char *format, ...)
{
    char text[1000];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof text, format, args);
    va_end(args);
    assert_true(ledger_put(archive->ledger, STORE_JOB, id, text));
}

static void put_job(struct archive *archive, const char *id, const char *key, const char *state, int64_t created,
                    int64_t finished)
{
    put_record(archive, id,
               "{\"release\":\"" NQ_VERSION
               "\",\"key\":\"%s\",\"path\":\"/count?%s\",\"state\":\"%s\",\"shares\":1,\"created\":%lld,"
               "\"finished\":%lld,\"why\":\"%s\"%s}",
               key, key, state, (long long)created, (long long)finished, strcmp(state, "failed") ? "" : "because",
               strcmp(state, "done") ? "" : ",\"body\":\"the body\",\"units\":7,\"restored\":2,\"nodes\":99");
}

/* Whoever asks again and again for a count that takes long has no more of a job than who asks once; and no less. */
static void test_those_who_only_ask_share_one_share(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    char id[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    for (int i = 0; i < 5; i++)
        assert_int_equal(process_join(&process, "a", false, id), NQ_OK);
    assert_int_equal(process_shares(&process, id), 1);
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    assert_int_equal(process_join(&process, "a", false, id), NQ_OK);
    assert_int_equal(process_shares(&process, id), 3);
    archive_expect(&archive, id, "running", 3);
    process_end(&process);

    process_begin(&process, &archive, 1, 10, 10); /* the next process knows it, too */
    process.field.script.hold = true;
    process_resume(&process, &reopened);
    assert_int_equal(process_join(&process, "a", false, id), NQ_OK);
    assert_int_equal(process_shares(&process, id), 3);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(process_state(&process, id) == JOB_CANCELLED, false);
        assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
    }
    assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    WAIT_UNTIL(process_join(&process, "a", false, id) == NQ_OK); /* begun again, it has none of the old shares */
    assert_int_equal(process_shares(&process, id), 1);
    process_end(&process);
    archive_end(&archive);
}

static void test_the_next_process_goes_on(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    char ids[4][JOB_ID_SIZE], id[JOB_ID_SIZE];
    static const char *const keys[] = {"done", "running", "waiting", "cancelled"};
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    assert_int_equal(process_take(&process, keys[0], ids[0]), NQ_OK);
    process_expect(&process, ids[0], JOB_DONE, keys[0]);
    process.field.script.hold = true;
    for (int i = 1; i < 4; i++)
        assert_int_equal(process_take(&process, keys[i], ids[i]), NQ_OK);
    assert_int_equal(process_take(&process, keys[1], id), NQ_OK);
    assert_int_equal(jobs_cancel(process.jobs, ids[3], ""), NQ_OK);
    flights_close(process.field.flights);
    for (int i = 1; i < 3; i++)
        assert_false(process_sees_end(&process, ids[i])); /* only for this process */
    assert_int_equal(jobs_figures(process.jobs).failed, 0);
    process_end(&process);
    archive_expect(&archive, ids[0], "done", 1);
    archive_expect(&archive, ids[1], "running", 2);
    archive_expect(&archive, ids[2], "running", 1);
    archive_expect(&archive, ids[3], "cancelled", 0);

    process_begin(&process, &archive, 1, 10, 10);
    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 2);
    assert_int_equal(jobs_figures(process.jobs).resumed, 2);
    process_expect(&process, ids[0], JOB_DONE, keys[0]);
    process_expect(&process, ids[1], JOB_DONE, keys[1]);
    process_expect(&process, ids[2], JOB_DONE, keys[2]);
    process_expect(&process, ids[3], JOB_CANCELLED, NULL);
    assert_int_equal(process_shares(&process, ids[1]), 2);
    assert_int_equal(process.field.script.asked, 2);
    for (int i = 0; i < 4; i++) { /* the same questions are the same jobs still */
        assert_int_equal(process_take(&process, keys[i], id), NQ_OK);
        assert_string_equal(id, ids[i]);
    }
    process_expect(&process, ids[3], JOB_DONE, keys[3]);
    process_end(&process);
    for (int i = 0; i < 4; i++)
        archive_expect(&archive, ids[i], "done", i == 1 ? 3 : i == 3 ? 1 : 2);
    archive_end(&archive);
}

/* Killed, then started again and again: nothing is begun twice at once, nothing is lost. */
/* What becomes of a job is told, in order, with the trace of who began it, in the next process too. */
static void test_news(void **state)
{
    (void)state;
    static const char trace[] = "0af7651916cd43dd8448eb211c80319c";
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    struct question question = ask_named("a");
    char id[JOB_ID_SIZE];
    question.path = "/count?a";
    memcpy(question.trace, trace, sizeof trace);
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    assert_int_equal(jobs_begin(process.jobs, &question, true, id), NQ_OK);
    assert_int_equal(process_take(&process, "a", id), NQ_OK); /* joins: no news */
    assert_true(process_has_told(&process, "begun /count?a 0af7651916cd43dd8448eb211c80319c;"));
    process_end(&process);
    assert_string_equal(process.heard, "begun /count?a 0af7651916cd43dd8448eb211c80319c;"); /* it is not over */

    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    process_resume(&process, &reopened);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
    WAIT_UNTIL(process_has_told(&process, "resumed /count?a 0af7651916cd43dd8448eb211c80319c;"
                                          "cancelled /count?a 0af7651916cd43dd8448eb211c80319c;"));
    process_end(&process);

    process_begin(&process, &archive, 1, 10, 10);
    process_resume(&process, &reopened);
    assert_true(process_has_told(&process, ""));
    assert_int_equal(process_take(&process, "a", id), NQ_OK); /* once more, and untraced */
    WAIT_UNTIL(process_has_told(&process, "begun /count?a ;done /count?a ;"));
    process.field.script.slice_as = NQ_LIMIT;
    assert_int_equal(process_take(&process, "b", id), NQ_OK);
    WAIT_UNTIL(process_has_told(&process, "begun /count?a ;done /count?a ;begun /count?b ;failed /count?b ;"));
    process_end(&process);
    archive_end(&archive);
}

static void test_killed_again_and_again(void **state)
{
    (void)state;
    struct archive archive;
    char ids[5][JOB_ID_SIZE];
    archive_begin(&archive);
    for (int round = 0; round < 10; round++) {
        struct process process;
        struct reopened reopened = {0};
        process_begin(&process, &archive, 2, 10, 10);
        process.field.script.hold = round < 9;
        process_resume(&process, &reopened);
        assert_int_equal(reopened.opened, round < 5 ? round : 5);
        if (round < 5)
            assert_int_equal(process_take(&process, (char[]){(char)('a' + round), '\0'}, ids[round]), NQ_OK);
        if (round == 9)
            for (int i = 0; i < 5; i++)
                process_expect(&process, ids[i], JOB_DONE, (char[]){(char)('a' + i), '\0'});
        process_end(&process);
    }
    assert_int_equal(archive_facts(&archive, STORE_JOB), 5);
    archive_end(&archive);
}

static void test_records_of_all_kinds(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    const int64_t now = time(NULL);
    archive_begin(&archive);
    put_job(&archive, "0000000000000001", "one", "done", now - 100, now - 50);
    put_job(&archive, "0000000000000002", "two", "failed", now - 90, now - 50);
    put_job(&archive, "0000000000000003", "three", "cancelled", now - 80, now - 50);
    put_job(&archive, "0000000000000004", "four", "running", now - 70, 0);
    /* a path that means nothing now, and one that means something else now */
    put_record(&archive, "0000000000000005",
               "{\"key\":\"five\",\"path\":\"/five\",\"state\":\"running\",\"shares\":1}");
    put_record(&archive, "0000000000000006",
               "{\"key\":\"six\",\"path\":\"/count?7\",\"state\":\"running\",\"shares\":1}");
    process_begin(&process, &archive, 1, 10, 10);
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
    for (int i = 5; i <= 6; i++) {
        char id[JOB_ID_SIZE];
        (void)snprintf(id, sizeof id, "%016d", i);
        assert_int_equal(process_state(&process, id), JOB_FAILED);
        view = process_look(&process, id);
        assert_true(strlen(view.why) > 0);
        job_view_free(&view);
        archive_expect(&archive, id, "failed", 1);
    }
    assert_int_equal(reopened.opened, 3);
    assert_int_equal(jobs_figures(process.jobs).resumed, 1);
    process_end(&process);
    archive_end(&archive);
}

/* What cannot be read is no job, and harms none. */
static void test_records_that_make_no_sense(void **state)
{
    (void)state;
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
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    archive_begin(&archive);
    for (size_t i = 0; i < BAD; i++) {
        char id[JOB_ID_SIZE];
        (void)snprintf(id, sizeof id, "%016zu", i);
        assert_true(ledger_put(archive.ledger, STORE_JOB, id, bad[i]));
    }
    put_job(&archive, "short", "b", "running", time(NULL), 0);
    put_job(&archive, "00000000000000000000longer", "b", "running", time(NULL), 0);
    put_job(&archive, "", "b", "running", time(NULL), 0);
    put_job(&archive, "aaaaaaaaaaaaaaaa", "good", "running", time(NULL), 0);
    process_begin(&process, &archive, 1, 10, 10);
    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 1);
    process_expect(&process, "aaaaaaaaaaaaaaaa", JOB_DONE, "good");
    const struct job_figures figures = jobs_figures(process.jobs);
    assert_int_equal(figures.active + figures.kept, 1);
    process_end(&process);
    archive_end(&archive);
}

/* Odd, but of a job: all of it can be looked at. */
static void test_records_with_odd_values(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"done\"}",
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"done\",\"body\":7,\"units\":\"x\",\"nodes\":-1}",
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"done\",\"body\":\"\",\"shares\":-1,\"why\":7}",
        "{\"key\":\"%d\",\"path\":\"\",\"state\":\"failed\",\"why\":\"0123456789012345678901234567890123456789012345678"
        "90123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789012345678"
        "9012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789\"}",
        "{\"key\":\"%d\",\"path\":\"/count?a\",\"state\":\"cancelled\",\"created\":9223372036854775807}",
    };
    enum { ODD = sizeof odd / sizeof odd[0] };
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    archive_begin(&archive);
    for (int i = 0; i < ODD; i++) {
        char id[JOB_ID_SIZE], text[600], *now;
        (void)snprintf(id, sizeof id, "%016d", i);
        (void)snprintf(text, sizeof text, odd[i], i);
        if (!strstr(text, "created") && (now = strrchr(text, '}'))) /* young enough to be kept */
            (void)snprintf(now, (size_t)(text + sizeof text - now), ",\"created\":%lld,\"finished\":%lld}",
                           (long long)time(NULL), (long long)time(NULL));
        assert_true(ledger_put(archive.ledger, STORE_JOB, id, text));
    }
    process_begin(&process, &archive, 1, 10, 10);
    process_resume(&process, &reopened);
    for (int i = 0; i < ODD; i++) {
        char id[JOB_ID_SIZE];
        struct job_view view;
        (void)snprintf(id, sizeof id, "%016d", i);
        if (jobs_look(process.jobs, id, &view) != NQ_OK)
            continue; /* or it makes no sense after all */
        assert_true(strlen(view.why) < sizeof view.why);
        assert_true(view.state != JOB_DONE || view.result);
        job_view_free(&view);
        assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK);
    }
    process_end(&process);
    archive_end(&archive);
}

/* Its last share is given back before the flight is known that it shall be on. */
static void test_cancelled_while_it_is_taken_up(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    archive_begin(&archive);
    put_job(&archive, "0000000000000004", "four", "running", time(NULL), 0);
    process_begin(&process, &archive, 1, 10, 1);
    process.field.script.hold = true;
    struct reopened reopened = {.cancel_in = process.jobs, .cancel = "0000000000000004"};
    process_resume(&process, &reopened);
    process_expect(&process, "0000000000000004", JOB_CANCELLED, NULL);
    WAIT_UNTIL(flights_figures(process.field.flights).running == 0); /* the search stopped, if it had begun */
    assert_int_equal(process.field.script.finished, 0);
    archive_expect(&archive, "0000000000000004", "cancelled", 0);
    char id[JOB_ID_SIZE];
    atomic_store(&process.field.script.hold, false);
    assert_int_equal(process_take(&process, "four", id), NQ_OK);
    process_expect(&process, id, JOB_DONE, "four");
    process_end(&process);
    archive_end(&archive);
}

/* All that were running are taken up, though there are more of them than searches may wait for a thread. */
static void test_resuming_more_than_the_queue_takes(void **state)
{
    (void)state;
    enum { RUNNING = 8 };
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    struct plug plug;
    archive_begin(&archive);
    for (int i = 0; i < RUNNING; i++) {
        char id[JOB_ID_SIZE], key[16];
        (void)snprintf(id, sizeof id, "%016d", i);
        (void)snprintf(key, sizeof key, "key %d", i);
        put_job(&archive, id, key, "running", time(NULL) - i, 0);
    }
    process_begin(&process, &archive, 1, 2, RUNNING);
    plug_in(&plug, process.field.pool); /* the searches take their time */
    process_resume(&process, &reopened);
    plug_out(&plug);
    for (int i = 0; i < RUNNING; i++) {
        char id[JOB_ID_SIZE], key[16];
        (void)snprintf(id, sizeof id, "%016d", i);
        (void)snprintf(key, sizeof key, "key %d", i);
        process_expect(&process, id, JOB_DONE, key);
    }
    process_end(&process);
    archive_end(&archive);
}

/* A store that could not be read at first is read later, when other jobs have begun. */
static void test_resuming_once_more(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    char id[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    put_job(&archive, "0000000000000001", "b", "running", time(NULL), 0);
    put_job(&archive, "0000000000000002", "c", "done", time(NULL) - 5, time(NULL) - 4);
    for (int i = 0; i < 3; i++)
        process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 1); /* what this process has begun is none of it */
    assert_int_equal(jobs_figures(process.jobs).resumed, 1);
    assert_int_equal(jobs_figures(process.jobs).active, 2);
    atomic_store(&process.field.script.hold, false);
    process_expect(&process, id, JOB_DONE, "a");
    process_expect(&process, "0000000000000001", JOB_DONE, "b");
    process_expect(&process, "0000000000000002", JOB_DONE, "the body");
    process_end(&process);
    archive_end(&archive);
}

/* ---- Weeding ---- */

static void test_the_oldest_are_forgotten(void **state)
{
    (void)state;
    enum { ALL = JOBS_KEPT + 150, RUNNING = 20 };
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    const int64_t now = time(NULL);
    char id[JOB_ID_SIZE], key[16];
    archive_begin(&archive);
    for (int i = 0; i < ALL; i++) {
        (void)snprintf(id, sizeof id, "%016d", i);
        (void)snprintf(key, sizeof key, "key %d", i);
        put_job(&archive, id, key, "done", now - i - 10, now - i - 5);
    }
    for (int i = 0; i < RUNNING; i++) { /* older than all, and still wanted */
        (void)snprintf(id, sizeof id, "f%015d", i);
        (void)snprintf(key, sizeof key, "f %d", i);
        put_job(&archive, id, key, "running", now - ALL - 100 - i, 0);
    }
    process_begin(&process, &archive, 1, 100, 100);
    process.field.script.hold = true;
    process_resume(&process, &reopened);
    struct job_figures figures = jobs_figures(process.jobs);
    assert_int_equal(figures.kept, JOBS_KEPT);
    assert_int_equal(figures.active, RUNNING);
    WAIT_UNTIL(archive_facts(&archive, STORE_JOB) == JOBS_KEPT + RUNNING);
    for (int i = 0; i < ALL; i++) {
        struct job_view view;
        (void)snprintf(id, sizeof id, "%016d", i);
        assert_int_equal(jobs_look(process.jobs, id, &view), i < JOBS_KEPT ? NQ_OK : NQ_NONE);
        if (i < JOBS_KEPT)
            job_view_free(&view);
    }
    atomic_store(&process.field.script.hold, false);
    for (int i = 0; i < RUNNING; i++) {
        (void)snprintf(id, sizeof id, "f%015d", i);
        struct job_view view; /* over, and among the oldest: it may have been forgotten by the time of looking */
        WAIT_UNTIL(jobs_figures(process.jobs).active == 0);
        if (jobs_look(process.jobs, id, &view) == NQ_OK)
            job_view_free(&view);
    }
    assert_int_equal(process_take(&process, "a new one", id), NQ_OK);
    figures = jobs_figures(process.jobs);
    assert_true(figures.kept <= JOBS_KEPT + 1);
    WAIT_UNTIL(jobs_figures(process.jobs).active == 0);
    process_expect(&process, id, JOB_DONE, "a new one");
    WAIT_UNTIL(archive_facts(&archive, STORE_JOB) <= JOBS_KEPT + 1);
    process_end(&process);
    archive_end(&archive);
}

/* A job is kept for a week from its end: one that took longer than that can be looked at when it is done. */
/* What another release found is not told as ours, nor kept; what it left undone is taken up. */
static void test_of_another_release(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    struct job_view view;
    archive_begin(&archive);
    put_record(&archive, "0000000000000001",
               "{\"release\":\"0.0.0\",\"key\":\"one\",\"path\":\"/count?one\",\"state\":\"done\",\"shares\":1,"
               "\"created\":%lld,\"finished\":%lld,\"why\":\"\",\"body\":\"old words\"}",
               (long long)time(NULL), (long long)time(NULL));
    put_record(&archive, "0000000000000002",
               "{\"release\":\"0.0.0\",\"key\":\"two\",\"path\":\"/count?two\",\"state\":\"running\",\"shares\":1,"
               "\"created\":%lld,\"finished\":0,\"why\":\"\"}",
               (long long)time(NULL));
    put_record(&archive, "0000000000000003", "no record");
    process_begin(&process, &archive, 1, 10, 10);
    process_resume(&process, &reopened);
    assert_int_equal(jobs_look(process.jobs, "0000000000000001", &view), NQ_NONE);
    assert_int_equal(jobs_look(process.jobs, "0000000000000003", &view), NQ_NONE);
    process_expect(&process, "0000000000000002", JOB_DONE, "two");
    assert_int_equal(archive_facts(&archive, STORE_JOB), 1);
    process_end(&process);
    archive_end(&archive);
}

static void test_kept_for_a_week(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    struct job_view view;
    const int64_t now = time(NULL), day = 86400;
    archive_begin(&archive);
    put_job(&archive, "0000000000000001", "old", "done", now - 9 * day, now - 8 * day);
    put_job(&archive, "0000000000000002", "young", "done", now - 6 * day, now - 5 * day);
    put_job(&archive, "0000000000000003", "failed", "failed", now - 30 * day, now - 29 * day);
    put_job(&archive, "0000000000000004", "long", "done", now - 9 * day, now - day);
    process_begin(&process, &archive, 1, 100, 100);
    process_resume(&process, &reopened);
    assert_int_equal(jobs_look(process.jobs, "0000000000000001", &view), NQ_NONE);
    assert_int_equal(jobs_look(process.jobs, "0000000000000003", &view), NQ_NONE);
    process_expect(&process, "0000000000000002", JOB_DONE, "the body");
    process_expect(&process, "0000000000000004", JOB_DONE, "the body");
    assert_int_equal(archive_facts(&archive, STORE_JOB), 2);
    process_end(&process);
    archive_end(&archive);
}

/* ---- Many at once ---- */

enum { CLIENTS = 4, EACH = 600, KEYS = 6 };

struct client {
    struct process *process;
    unsigned number, refused;
    bool well;
};

static void *come_and_go(void *context)
{
    struct client *client = context;
    struct process *process = client->process;
    uint64_t dice = client->number;
    client->well = true;
    for (unsigned i = 0; i < EACH; i++) {
        char id[JOB_ID_SIZE], key[8];
        struct job_view view;
        (void)snprintf(key, sizeof key, "%u", facts_below(&dice, KEYS));
        const enum nq_status status = process_take(process, key, id);
        client->refused += status == NQ_BUSY; /* too many, or just being cancelled */
        client->well &= status == NQ_OK || status == NQ_BUSY;
        if (status != NQ_OK)
            continue;
        client->well &= jobs_look(process->jobs, id, &view) == NQ_OK;
        if (client->well) {
            client->well &= view.state != JOB_DONE || view.result;
            job_view_free(&view);
        }
        client->well &= jobs_cancel(process->jobs, id, "") == NQ_OK; /* everyone gives back what they took */
    }
    return NULL;
}

static void test_clients_come_and_go(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct client clients[CLIENTS];
    pthread_t threads[CLIENTS];
    archive_begin(&archive);
    process_begin(&process, &archive, 3, 64, 5);
    process.field.script.mixed = true;
    process.field.script.incomplete = true; /* so that the cache does not answer */
    for (unsigned i = 0; i < CLIENTS; i++) {
        clients[i] = (struct client){.process = &process, .number = i};
        start(&threads[i], come_and_go, &clients[i]);
    }
    unsigned refused = 0;
    for (unsigned i = 0; i < CLIENTS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_true(clients[i].well);
        refused += clients[i].refused;
    }
    assert_true(refused < CLIENTS * EACH);
    WAIT_UNTIL(flights_figures(process.field.flights).running == 0);
    const struct job_figures figures = jobs_figures(process.jobs);
    assert_int_equal(figures.active, 0); /* nobody wants anything any more */
    assert_int_equal(figures.begun, figures.done + figures.failed + figures.cancelled);
    for (unsigned i = 0; i < KEYS; i++) {
        char id[JOB_ID_SIZE], key[8];
        (void)snprintf(key, sizeof key, "%u", i);
        WAIT_UNTIL(process_take(&process, key, id) == NQ_OK);
        assert_int_equal(process_shares(&process, id), 1);
    }
    process_end(&process);
    archive_end(&archive);
}

/* The service is closed while jobs come: each is over, or the next process finds it. */
static void test_closing_while_clients_come(void **state)
{
    (void)state;
    for (int round = 0; round < (SANITIZED ? 10 : 30); round++) {
        struct archive archive;
        struct process process;
        struct client clients[2];
        pthread_t threads[2];
        archive_begin(&archive);
        process_begin(&process, &archive, 2, 64, 5);
        process.field.script.mixed = true;
        for (unsigned i = 0; i < 2; i++) {
            clients[i] = (struct client){.process = &process, .number = i};
            start(&threads[i], come_and_go, &clients[i]);
        }
        for (int i = 0; i < round % 5; i++)
            asking_pause();
        flights_close(process.field.flights);
        for (unsigned i = 0; i < 2; i++) {
            assert_int_equal(pthread_join(threads[i], NULL), 0);
            assert_true(clients[i].well);
        }
        assert_int_equal(jobs_figures(process.jobs).active, 0);
        process_end(&process);
        archive_end(&archive);
    }
}

/* ---- Askers with a name ---- */

static void test_so_many_jobs_of_each(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    char id[JOB_ID_SIZE], first[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 2, 10, 4);
    process.field.script.hold = true;
    assert_int_equal(process_join_as(&process, "a", asker_named("ann", 2), true, first), NQ_OK);
    assert_int_equal(process_join_as(&process, "b", asker_named("ann", 2), false, id), NQ_OK);
    assert_int_equal(process_join_as(&process, "c", asker_named("ann", 2), true, id), NQ_QUOTA);
    assert_int_equal(process_join_as(&process, "c", asker_named("ann", 2), false, id), NQ_QUOTA);
    assert_int_equal(process_join_as(&process, "a", asker_named("ann", 2), true, id),
                     NQ_OK); /* one that they have is none more */
    assert_int_equal(process_join_as(&process, "c", asker_named("", 0), true, id), NQ_DENIED);
    assert_int_equal(process_join_as(&process, "a", asker_named("", 0), false, id), NQ_DENIED);
    assert_int_equal(process_join_as(&process, "a", asker_named("bob", 1), true, id), NQ_OK); /* ann's are not his */
    assert_int_equal(process_join_as(&process, "d", asker_named("bob", 1), true, id), NQ_QUOTA);
    assert_int_equal(process_take(&process, "e", id), NQ_OK);
    assert_int_equal(process_shares(&process, first), 3);
    assert_int_equal(jobs_figures(process.jobs).refused, 3);
    assert_int_equal(jobs_cancel(process.jobs, first, "ann"), NQ_OK);
    assert_int_equal(process_join_as(&process, "c", asker_named("ann", 2), true, id),
                     NQ_QUOTA); /* she has a share still */
    assert_int_equal(jobs_cancel(process.jobs, first, "ann"), NQ_OK);
    assert_int_equal(process_join_as(&process, "c", asker_named("ann", 2), true, id), NQ_OK);
    assert_int_equal(process_join_as(&process, "f", asker_named("ann", 9), true, id),
                     NQ_BUSY); /* there are too many in all */
    atomic_store(&process.field.script.hold, false);
    process_expect(&process, first, JOB_DONE, "a");
    WAIT_UNTIL(jobs_figures(process.jobs).active == 0);
    assert_int_equal(process_join_as(&process, "g", asker_named("bob", 1), true, id),
                     NQ_OK); /* what is over does not count */
    assert_int_equal(process_join_as(&process, "a", asker_named("", 0), false, id), NQ_OK); /* and is for everybody */
    process_end(&process);
    archive_end(&archive);
}

static void test_shares_belong_to_names(void **state)
{
    (void)state;
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    char id[JOB_ID_SIZE], other[JOB_ID_SIZE];
    archive_begin(&archive);
    process_begin(&process, &archive, 2, 10, 10);
    process.field.script.hold = true;
    assert_int_equal(process_join_as(&process, "a", asker_named("ann", 9), true, id), NQ_OK);
    assert_int_equal(process_join_as(&process, "a", asker_named("ann", 9), false, id), NQ_OK);
    assert_int_equal(process_join_as(&process, "a", asker_named("ann", 9), false, id), NQ_OK); /* once and for all */
    assert_int_equal(process_join_as(&process, "a", asker_named("bob", 9), false, id), NQ_OK);
    assert_int_equal(process_join_as(&process, "b", asker_named("bob", 9), true, other), NQ_OK);
    assert_int_equal(process_shares(&process, id), 3);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    assert_int_equal(jobs_cancel(process.jobs, other, "ann"), NQ_DENIED);
    assert_int_equal(jobs_cancel(process.jobs, id, "bob"), NQ_OK);
    assert_int_equal(jobs_cancel(process.jobs, id, "bob"), NQ_OK); /* he has none any more: nothing is taken */
    assert_int_equal(process_shares(&process, id), 2);
    archive_expect(&archive, id, "running", 2);
    process_end(&process);
    process_begin(&process, &archive, 2, 10, 10); /* the next process knows whose they are */
    process.field.script.hold = true;
    process_resume(&process, &reopened);
    assert_int_equal(reopened.opened, 2);
    assert_int_equal(process_shares(&process, id), 2);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    assert_int_equal(process_join_as(&process, "a", asker_named("ann", 9), false, id),
                     NQ_OK); /* she has that one already */
    assert_int_equal(process_shares(&process, id), 2);
    assert_int_equal(process_take(&process, "a", id), NQ_OK);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_OK); /* one of nobody in particular */
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_DENIED);
    assert_int_equal(jobs_cancel(process.jobs, id, "ann"), NQ_OK);
    assert_int_equal(jobs_cancel(process.jobs, id, ""), NQ_OK); /* where nobody has a name, anybody's */
    process_expect(&process, id, JOB_CANCELLED, NULL);
    assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_OK); /* there is nothing left that were anybody's */
    process_end(&process);
    archive_end(&archive);
}

/* Whose shares are said to be whose must not be more than there are. */
static void test_records_with_impossible_holders(void **state)
{
    (void)state;
    static const char *const holders[] = {"7",
                                          "[]",
                                          "{\"\":{\"shares\":1}}",
                                          "{\"ann\":{\"shares\":3}}",
                                          "{\"ann\":{\"shares\":-1}}",
                                          "{\"ann\":1}",
                                          "{\"a name of more letters than a name has\":{\"shares\":1}}"};
    enum { RECORDS = sizeof holders / sizeof holders[0] };
    struct archive archive;
    struct process process;
    struct reopened reopened = {0};
    archive_begin(&archive);
    for (int i = 0; i < RECORDS; i++) {
        char id[JOB_ID_SIZE], text[256];
        (void)snprintf(id, sizeof id, "%016d", i + 1);
        (void)snprintf(text, sizeof text,
                       "{\"key\":\"%d\",\"path\":\"/count?%d\",\"state\":\"running\",\"shares\":2,\"holders\":%s}", i,
                       i, holders[i]);
        put_record(&archive, id, text);
    }
    process_begin(&process, &archive, 1, 10, 10);
    process.field.script.hold = true;
    process_resume(&process, &reopened);
    for (int i = 0; i < RECORDS; i++) {
        char id[JOB_ID_SIZE];
        (void)snprintf(id, sizeof id, "%016d", i + 1);
        assert_int_equal(process_shares(&process, id), 2);
        assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_OK);
        assert_int_equal(jobs_cancel(process.jobs, id, "eve"), NQ_OK);
        assert_int_equal(process_state(&process, id), JOB_CANCELLED);
    }
    process_end(&process);
    archive_end(&archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_so_many_jobs_of_each),
        cmocka_unit_test(test_shares_belong_to_names),
        cmocka_unit_test(test_records_with_impossible_holders),
        cmocka_unit_test(test_one_job_for_equal_questions),
        cmocka_unit_test(test_no_such_job),
        cmocka_unit_test(test_looking),
        cmocka_unit_test(test_of_a_cached_answer),
        cmocka_unit_test(test_the_last_cancel_stops_the_search),
        cmocka_unit_test(test_those_who_only_ask_share_one_share),
        cmocka_unit_test(test_jobs_are_parties_among_others),
        cmocka_unit_test(test_failures_say_why),
        cmocka_unit_test(test_most),
        cmocka_unit_test(test_the_next_process_goes_on),
        cmocka_unit_test(test_news),
        cmocka_unit_test(test_killed_again_and_again),
        cmocka_unit_test(test_records_of_all_kinds),
        cmocka_unit_test(test_records_that_make_no_sense),
        cmocka_unit_test(test_records_with_odd_values),
        cmocka_unit_test(test_cancelled_while_it_is_taken_up),
        cmocka_unit_test(test_resuming_more_than_the_queue_takes),
        cmocka_unit_test(test_resuming_once_more),
        cmocka_unit_test(test_the_oldest_are_forgotten),
        cmocka_unit_test(test_of_another_release),
        cmocka_unit_test(test_kept_for_a_week),
        cmocka_unit_test(test_clients_come_and_go),
        cmocka_unit_test(test_closing_while_clients_come),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
