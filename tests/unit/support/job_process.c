/* job_process.c - see job_process.h. */
#include "support/job_process.h"

#include <stdlib.h>
#include <string.h>

static void on_news(void *who, const struct job_news *news)
{
    struct process *process = who;
    pthread_mutex_lock(&process->lock);
    const size_t size = strlen(process->news);
    (void)snprintf(process->news + size, sizeof process->news - size, "%s %s %s;", news->what, news->path, news->trace);
    pthread_mutex_unlock(&process->lock);
    assert_int_equal(strlen(news->id), JOB_ID_SIZE - 1);
    assert_int_equal(news->over, strcmp(news->what, "begun") != 0 && strcmp(news->what, "resumed") != 0);
    assert_int_equal(news->why[0] != '\0', strcmp(news->what, "failed") == 0);
}

bool process_news_are(struct process *process, const char *news)
{
    pthread_mutex_lock(&process->lock);
    const bool same = strcmp(process->news, news) == 0;
    pthread_mutex_unlock(&process->lock);
    return same;
}

void process_begin(struct process *process, struct memory_journal *kept, unsigned threads, size_t queue, size_t most)
{
    pthread_mutex_init(&process->lock, NULL);
    process->news[0] = '\0';
    process->kept = kept;
    flight_fixture_begin(&process->fixture, threads, queue, 1 << 20);
    process->jobs = jobs_new(process->fixture.flights, kept->journal, most, on_news, process);
    assert_non_null(process->jobs);
}

void process_end(struct process *process)
{
    field_close(&process->fixture);
    memory_journal_settle(process->kept); /* its thread calls the jobs, which ask the flights */
    CHECKED(jobs_check(process->jobs));
    flight_fixture_end(&process->fixture);
    jobs_free(process->jobs);
    pthread_mutex_destroy(&process->lock);
}

static void path_of(const char *key, char path[static 64])
{
    (void)snprintf(path, 64, "/count?%s", key);
}

enum nq_status process_enter_as(struct process *process, const char *key, struct principal principal,
                                char id[static JOB_ID_SIZE])
{
    struct question question = ask_named(key);
    char path[64];
    path_of(key, path);
    question.path = path;
    question.principal = principal;
    memset(id, 'x', JOB_ID_SIZE);
    OWNED(question_unref) struct shared_question *asked = shared(&question);
    return jobs_begin(process->jobs, asked, id);
}

enum nq_status process_enter(struct process *process, const char *key, char id[static JOB_ID_SIZE])
{
    return process_enter_as(process, key, (struct principal){0}, id);
}

struct job_view process_look(struct process *process, const char *id)
{
    struct job_view view;
    memset(&view, 0xa5, sizeof view); /* so that a member that is not set is found */
    assert_int_equal(jobs_look(process->jobs, id, true, &view), NQ_OK);
    assert_string_equal(view.id, id);
    return view;
}

enum job_state process_state(struct process *process, const char *id)
{
    ENDED_BY(job_view_free) struct job_view view = process_look(process, id);
    return view.state;
}

bool process_sees_end(struct process *process, const char *id)
{
    const enum job_state state = process_state(process, id);
    return state != JOB_QUEUED && state != JOB_RUNNING;
}

unsigned process_owners(struct process *process, const char *id)
{
    ENDED_BY(job_view_free) struct job_view view = process_look(process, id);
    return view.owners;
}

void process_expect(struct process *process, const char *id, enum job_state state, const char *text)
{
    WAIT_UNTIL(process_sees_end(process, id));
    ENDED_BY(job_view_free) struct job_view view = process_look(process, id);
    if (view.state != state)
        fail_msg("%s: %s", job_state_name(view.state), view.fault.text);
    assert_true(view.finished >= view.created && view.created > 0);
    assert_true(view.eta_s < 0);
    assert_string_equal(view.fault.text, state == JOB_FAILED ? text : "");
    if (state == JOB_DONE) {
        assert_non_null(view.result);
        assert_int_equal(view.result->size, strlen(text));
        assert_memory_equal(view.result->bytes, text, strlen(text));
        assert_string_equal(view.result->media_type, "application/json");
    } else {
        assert_null(view.result);
    }
}

json_t *stored_job(struct memory_journal *kept, const char *id)
{
    BYTES(text);
    assert_int_equal(journal_get(kept->journal, STORE_JOB, id, FOREVER, &text), NQ_OK);
    json_t *json = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    return json;
}

static bool is_recorded(struct memory_journal *kept, const char *id, const char *state, unsigned owners)
{
    OWNED(json_decref) json_t *json = stored_job(kept, id);
    return strcmp(json_string_value(json_object_get(json, "state")), state) == 0 && facts_get(json, "shares") == owners;
}

void expect_stored_job(struct memory_journal *kept, const char *id, const char *state, unsigned owners)
{
    WAIT_UNTIL(is_recorded(kept, id, state, owners));
}

static enum nq_status parse(void *context, const char *path, struct shared_question **out)
{
    struct reopened *reopened = context;
    atomic_fetch_add(&reopened->opened, 1);
    *out = NULL;
    if (reopened->rejects || strncmp(path, "/count?", 7) != 0)
        return NQ_INVALID;
    struct question question = ask_named(path + 7);
    question.path = path;
    *out = shared(&question);
    if (reopened->cancel)
        assert_int_equal(jobs_cancel(reopened->cancel_in, reopened->cancel, ""), NQ_OK);
    return NQ_OK;
}

void process_resume(struct process *process, struct reopened *reopened)
{
    process->parser = (struct query_parser){.parse = parse, .context = reopened};
    assert_int_equal(jobs_resume(process->jobs, &process->parser, (struct deadline){0}), NQ_OK);
}

struct principal principal_named(const char *name, unsigned jobs)
{
    struct principal principal = {.limited = true, .seconds = 1, .jobs = jobs};
    (void)snprintf(principal.name, sizeof principal.name, "%s", name);
    return principal;
}
