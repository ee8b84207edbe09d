/* employing.c - see employing.h. */
#include "employing.h"

#include <stdlib.h>
#include <string.h>

static void hear(void *who, const struct job_news *news)
{
    struct process *process = who;
    pthread_mutex_lock(&process->lock);
    const size_t size = strlen(process->heard);
    (void)snprintf(process->heard + size, sizeof process->heard - size, "%s %s %s;", news->what, news->path,
                   news->trace);
    pthread_mutex_unlock(&process->lock);
    assert_int_equal(strlen(news->id), JOB_ID_SIZE - 1);
    assert_int_equal(news->over, strcmp(news->what, "begun") != 0 && strcmp(news->what, "resumed") != 0);
    assert_int_equal(news->why[0] != '\0', strcmp(news->what, "failed") == 0);
}

bool process_has_told(struct process *process, const char *news)
{
    pthread_mutex_lock(&process->lock);
    const bool same = strcmp(process->heard, news) == 0;
    pthread_mutex_unlock(&process->lock);
    return same;
}

void process_begin(struct process *process, struct archive *archive, unsigned threads, size_t queue, size_t most)
{
    pthread_mutex_init(&process->lock, NULL);
    process->heard[0] = '\0';
    process->archive = archive;
    field_begin(&process->field, threads, queue, 1 << 20);
    process->jobs = jobs_new(process->field.flights, archive->ledger, most, hear, process);
    assert_non_null(process->jobs);
}

void process_end(struct process *process)
{
    flights_close(process->field.flights);
    archive_settle(process->archive); /* it asks the jobs what to keep of them */
    field_end(&process->field);
    archive_settle(process->archive);
    jobs_free(process->jobs);
    pthread_mutex_destroy(&process->lock);
}

static void path_of(const char *key, char path[static 64])
{
    (void)snprintf(path, 64, "/count?%s", key);
}

enum nq_status process_join_as(struct process *process, const char *key, struct asker asker, bool own,
                               char id[static JOB_ID_SIZE])
{
    struct question question = ask_named(key);
    char path[64];
    path_of(key, path);
    question.path = path;
    question.asker = asker;
    memset(id, 'x', JOB_ID_SIZE);
    return jobs_begin(process->jobs, &question, own, id);
}

enum nq_status process_join(struct process *process, const char *key, bool own, char id[static JOB_ID_SIZE])
{
    return process_join_as(process, key, (struct asker){0}, own, id);
}

enum nq_status process_take(struct process *process, const char *key, char id[static JOB_ID_SIZE])
{
    return process_join(process, key, true, id);
}

struct job_view process_look(struct process *process, const char *id)
{
    struct job_view view;
    memset(&view, 0xa5, sizeof view); /* nothing may be left to chance */
    assert_int_equal(jobs_look(process->jobs, id, &view), NQ_OK);
    assert_string_equal(view.id, id);
    return view;
}

enum job_state process_state(struct process *process, const char *id)
{
    struct job_view view = process_look(process, id);
    const enum job_state state = view.state;
    job_view_free(&view);
    return state;
}

bool process_sees_end(struct process *process, const char *id)
{
    const enum job_state state = process_state(process, id);
    return state != JOB_QUEUED && state != JOB_RUNNING;
}

unsigned process_shares(struct process *process, const char *id)
{
    struct job_view view = process_look(process, id);
    const unsigned shares = view.shares;
    job_view_free(&view);
    return shares;
}

void process_expect(struct process *process, const char *id, enum job_state state, const char *text)
{
    WAIT_UNTIL(process_sees_end(process, id));
    struct job_view view = process_look(process, id);
    if (view.state != state)
        fail_msg("%s: %s", job_state_name(view.state), view.why);
    assert_true(view.finished >= view.created && view.created > 0);
    assert_true(view.eta_s < 0);
    assert_string_equal(view.why, state == JOB_FAILED ? text : "");
    if (state == JOB_DONE) {
        assert_non_null(view.result);
        assert_int_equal(view.result->size, strlen(text));
        assert_memory_equal(view.result->bytes, text, strlen(text));
        assert_string_equal(view.result->media_type, "application/json");
    } else {
        assert_null(view.result);
    }
    job_view_free(&view);
}

json_t *archive_job(struct archive *archive, const char *id)
{
    struct bytes text = {0};
    assert_int_equal(ledger_get(archive->ledger, STORE_JOB, id, FOREVER, &text), NQ_OK);
    json_t *json = json_loadb(text.data, text.size, JSON_REJECT_DUPLICATES, NULL);
    assert_non_null(json);
    bytes_free(&text);
    return json;
}

static bool is_recorded(struct archive *archive, const char *id, const char *state, unsigned shares)
{
    json_t *json = archive_job(archive, id);
    const bool same =
        strcmp(json_string_value(json_object_get(json, "state")), state) == 0 && facts_get(json, "shares") == shares;
    json_decref(json);
    return same;
}

void archive_expect(struct archive *archive, const char *id, const char *state, unsigned shares)
{
    WAIT_UNTIL(is_recorded(archive, id, state, shares));
}

static enum nq_status reopen(void *context, const char *path, struct question *question)
{
    struct reopened *reopened = context;
    atomic_fetch_add(&reopened->opened, 1);
    *question = (struct question){0};
    if (strncmp(path, "/count?", 7) != 0)
        return NQ_INVALID;
    *question = ask_named(strdup(path + 7));
    question->path = strdup(path);
    question->prefix = strdup("");
    if (reopened->cancel)
        assert_int_equal(jobs_cancel(reopened->cancel_in, reopened->cancel, ""), NQ_OK);
    return NQ_OK;
}

static void release(struct question *question)
{
    question_free(question);
}

void process_resume(struct process *process, struct reopened *reopened)
{
    process->reopener = (struct job_reopener){.reopen = reopen, .release = release, .context = reopened};
    assert_int_equal(jobs_resume(process->jobs, &process->reopener, (struct patience){0}), NQ_OK);
}

struct asker asker_named(const char *name, unsigned jobs)
{
    struct asker asker = {.limited = true, .seconds = 1, .jobs = jobs};
    (void)snprintf(asker.name, sizeof asker.name, "%s", name);
    return asker;
}
