/* test_events.c - tests of src/http/reply/events.c on an engine: when clients wait and are woken. */
/* CI builds: address thread */
#include "http/reply/events.h"

#include "kernels/kernel.h"
#include "stores/store.h"
#include "support/questions.h"

/* A client: what stands for its connection, and its stream. */
struct client {
    atomic_int waits;
    struct events *events;
    char text[4096]; /* what it got last */
};

static void wake(void *who)
{
    struct client *client = who;
    assert_int_equal(atomic_fetch_sub(&client->waits, 1), 1);
}

/* A job that takes hours. */
struct scene {
    struct store *store;
    struct engine *engine;
    struct hub *hub;
    char id[JOB_ID_SIZE];
};

static void scene_begin(struct scene *scene, unsigned most)
{
    char error[STORE_ERROR_MAX];
    assert_int_equal(store_open("memory", &(struct store_options){.capacity = 1 << 20}, &scene->store, error), NQ_OK);
    const struct engine_options options = {.threads = 1,
                                           .store = scene->store,
                                           .waiting_bytes = 1 << 20,
                                           .table_bytes = 1 << 20,
                                           .kernel = kernel_find("scalar"),
                                           .cache_bytes = 1 << 20,
                                           .queue = 4,
                                           .max_jobs = 1,
                                           .max_job_hours = 1e6};
    struct question question = ask_count(18);
    filter_exclude(&question.query.filter, 0, 0); /* by search, in thousands of units that are soon done one by one */
    SCOPED(sleeper, sleeper);
    scene->engine = engine_new(&options);
    assert_non_null(scene->engine);
    scene->hub = hub_new(scene->engine, most, 3600);
    assert_non_null(scene->hub);
    struct waiter *waiter = engine_ask_job(scene->engine, &question, 0, sleeper_wake, &sleeper);
    assert_non_null(waiter);
    assert_true(sleeper_sleep(&sleeper));
    assert_int_equal(pending_status(&waiter->pending), NQ_AGAIN);
    memcpy(scene->id, engine_job_of(waiter), sizeof scene->id);
    pending_close(&waiter->pending);
}

static void scene_end(struct scene *scene)
{
    assert_int_equal(engine_close(scene->engine), NQ_OK);
    hub_free(scene->hub);
    engine_free(scene->engine);
    store_close(scene->store);
}

static void client_begin(struct client *client, struct scene *scene, const char *last)
{
    *client = (struct client){.waits = 0};
    assert_int_equal(events_open(scene->hub, scene->id, last, wake, client, &client->events), NQ_OK);
}

/* Its size, 0 when it waits or may take more at once, or an end. */
static ssize_t take(struct client *client)
{
    memset(client->text, 0, sizeof client->text);
    const ssize_t got = events_read(client->events, 0, client->text, sizeof client->text - 1);
    if (!got) {
        atomic_fetch_add(&client->waits, 1);
        if (!events_wait(client->events))
            wake(client);
    }
    return got;
}

static bool takes_event(struct client *client)
{
    return take(client) > 0 && strncmp(client->text, "id: ", 4) == 0;
}

/* Reads until it waits: progress may have been made at any time. */
static void take_all(struct client *client)
{
    while (!atomic_load(&client->waits))
        (void)take(client);
}

TEST(test_end_wakes_with_a_tick)
{
    struct client clients[3];
    SCOPED(scene, scene, 3);
    for (int i = 0; i < 3; i++) {
        client_begin(&clients[i], &scene, NULL);
        assert_true(takes_event(&clients[i]));
        take_all(&clients[i]);
    }
    assert_int_equal(engine_cancel_job(scene.engine, scene.id, ""), NQ_OK);
    for (int i = 0; i < 3; i++) {
        do
            WAIT_UNTIL((hub_tick(scene.hub), !atomic_load(&clients[i].waits)));
        while (take(&clients[i]) != MHD_CONTENT_READER_END_OF_STREAM);
        pending_close(events_pending(clients[i].events));
    }
    hub_close(scene.hub);
}

TEST(test_ticks_send_progress_four_times_a_second)
{
    struct client client;
    SCOPED(scene, scene, 1);
    client_begin(&client, &scene, NULL);
    const uint64_t begun = clock_now();
    for (int sent = 0; sent < 4;) {
        WAIT_UNTIL((hub_tick(scene.hub), !atomic_load(&client.waits)));
        sent += takes_event(&client);
    }
    assert_true(clock_now() - begun >= 3 * CLOCK_SECOND / 4);
    pending_close(events_pending(client.events));
    hub_close(scene.hub);
}

TEST(test_leaving_and_closing)
{
    struct client left, stays, late;
    SCOPED(scene, scene, 2);
    client_begin(&left, &scene, NULL);
    client_begin(&stays, &scene, NULL);
    assert_int_equal(events_open(scene.hub, scene.id, NULL, wake, &late, &late.events), NQ_BUSY);
    take_all(&left);
    take_all(&stays);
    pending_cancel(events_pending(left.events), NQ_CANCELLED);
    assert_false(atomic_load(&left.waits));
    assert_true(atomic_load(&stays.waits));
    assert_int_equal(take(&left), MHD_CONTENT_READER_END_WITH_ERROR);
    pending_close(events_pending(left.events));
    hub_close(scene.hub);
    assert_false(atomic_load(&stays.waits));
    assert_int_equal(take(&stays), MHD_CONTENT_READER_END_WITH_ERROR);
    pending_close(events_pending(stays.events));
}
