/* test_job_sync_records.c - tests of src/engine/jobs/job_sync.c: records in a shared store that this release has not
 * written, or that are of another question. */
/* CI builds: address thread */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "support/shared_store.h"

/* A record without a version is changed as any other. */
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
    assert_int_equal(process_subscriptions(&one.process, id), 3);
    assert_int_equal(process_join_as(&one.process, "a", principal_named("ann", 9), false, same), NQ_OK);
    assert_string_equal(same, id);
    cancel(&other, id, "ann");
    assert_both(id, JOB_RUNNING, 2);
    cancel(&one, id, "ann");
    cancel(&other, id, "bob");
    assert_both(id, JOB_CANCELLED, 0);
}

/* As if the store's record of a job were a release's, which the other process receives. */
static void receive_as_of(const char *release, const char *id)
{
    char *text = stored(id);
    json_t *json = json_loads(text, 0, NULL);
    free(text);
    assert_int_equal(json_object_set_new(json, "release", json_string(release)), 0);
    text = json_dumps(json, JSON_COMPACT);
    json_decref(json);
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    receive(&other, id, text);
    free(text);
}

static void assert_stored_release(const char *id, const char *release)
{
    json_t *json = stored_job(&other.kept, id);
    assert_string_equal(json_string_value(json_object_get(json, "release")), release);
    json_decref(json);
}

/* Servers of a later release take a question that this one cannot read: it does not end their job. */
WITH_PAIR(test_question_of_a_later_release)
{
    char id[JOB_ID_SIZE];
    other.reopened.rejects = true;
    for (unsigned subscriptions = 1; subscriptions <= 3; subscriptions++) {
        subscribe(&one, id);
        memory_journal_settle(&one.kept);
        receive_as_of("99.0.0", id);
        assert_int_equal(process_state(&other.process, id), JOB_QUEUED);
        assert_int_equal(process_subscriptions(&other.process, id), subscriptions);
    }
    assert_int_equal(other.reopened.opened, 1); /* not tried again with every record */
    cancel(&other, id, "");
    assert_both(id, JOB_RUNNING, 2);
    assert_stored_release(id, "99.0.0"); /* for others like this one */
    WAIT_UNTIL(!idle(&one));
    cancel(&other, id, "");
    cancel(&other, id, "");
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
    subscribe(&one, id);
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
    subscribe(&one, id);
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
    subscribe(&one, own);
    assert_string_not_equal(own, id);
}

/* The job of a question that only another build can read ends as it ends there. */
WITH_PAIR(test_question_that_only_another_build_reads)
{
    char id[JOB_ID_SIZE];
    other.reopened.rejects = true;
    subscribe(&one, id);
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
    subscribe(&one, id);
    assert_both(id, JOB_RUNNING, 1);
    (void)snprintf(text, sizeof text, format, "running", now, 0LL, "");
    receive(&one, id, text);
    assert_int_equal(process_subscriptions(&one.process, id), 1);
    (void)snprintf(text, sizeof text, format, "done", now, now, ",\"body\":\"of b\"");
    receive(&one, id, text);
    assert_false(process_sees_end(&one.process, id));
    const struct store_fact fact = {STORE_JOB, id, text, strlen(text)};
    assert_int_equal(shared_put(&shelf, &fact, 1), NQ_OK);
    subscribe(&one, id); /* reads the store's record, and replaces it */
    expect_stored_job(&one.kept, id, "running", 2);
    assert_both(id, JOB_RUNNING, 2);
    atomic_store(&one.process.fixture.script.hold, false);
    process_expect(&one.process, id, JOB_DONE, "a");
}
