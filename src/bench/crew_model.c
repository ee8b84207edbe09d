/* crew_model.c - plays a crew: what happens next is the first of the events to come, and brings further ones. What a
 * hand is about changes in one place, which keeps the account of all time. It prints nothing. */
#include "bench/crew_model.h"

#include <math.h>
#include <stdlib.h>

#include "base/random.h"
#include "bench/crew_events.h"
#include "engine/batching.h"

/* Units from next on, up to but without end. */
struct batch {
    size_t next, end;
    double ready; /* when it was posted */
};

struct hand {
    enum crew_doing doing;
    double since;
    struct batch batch;
};

struct worker {
    double speed;
    uint32_t life; /* which one it is that has this place */
};

/* To a hand, a worker, or a batch in `left_behind`; when the worker it was foreseen for is dead, nothing happens. */
enum happening { BUILT, TAKEN, COUNTED, STORED, DEATH, ARRIVAL, RETURN };

struct play {
    const struct crew *crew;
    struct crew_story *story;
    struct random random;
    struct hand *hand;
    struct worker *worker;
    size_t hands;
    struct events events;
    struct pile waiting;     /* hands that found nothing; some are not waiting any more */
    struct pile left_behind; /* batches of the dead */
    struct pile again;       /* struct batch: those that may be taken */
    struct batch *posted;
    size_t first, posts;    /* of them: the first that was not taken; how many there are */
    size_t next;            /* unit to be posted */
    double unposted, ready; /* seconds expected of units: not posted, and posted but not taken */
    double broker;          /* free from then on */
    double now;
    bool failed; /* there was not memory enough */
};

/* ---- What is to come ---- */

static void foresee(struct play *play, double time, enum happening what, size_t who, uint32_t life)
{
    const struct event event = {.time = time, .what = what, .life = life, .who = who};
    if (!events_add(&play->events, event))
        play->failed = true;
}

/* The place for one more in a pile, NULL when there is not memory enough. */
static void *add(struct play *play, struct pile *pile, size_t size)
{
    void *place = pile_add(pile, size);
    play->failed = play->failed || !place;
    return place;
}

static struct worker *worker_of(const struct play *play, size_t hand)
{
    return &play->worker[hand / play->crew->threads];
}

static void foresee_for_hand(struct play *play, double time, enum happening what, size_t hand)
{
    foresee(play, time, what, hand, worker_of(play, hand)->life);
}

/* From now on the hand is about something else. */
static void turn_to(struct play *play, size_t hand, enum crew_doing doing)
{
    play->story->spent[play->hand[hand].doing] += play->now - play->hand[hand].since;
    play->hand[hand].doing = doing;
    play->hand[hand].since = play->now;
}

/* When the broker has seen to a message that is sent now. */
static double broker_sees(struct play *play)
{
    if (play->broker < play->now)
        play->broker = play->now;
    play->broker += play->crew->message;
    return play->broker;
}

/* ---- Batches ---- */

/* A batch of what is left: so many seconds, as far as they are known before, but one unit at least. */
static void post_batch(struct play *play)
{
    const struct crew *crew = play->crew;
    const double wanted = crew->alone ? 0 : batching_seconds(play->unposted, (unsigned)play->hands);
    struct batch batch = {.next = play->next, .ready = play->now};
    double seconds = 0;
    do
        seconds += crew->expected[play->next++];
    while (seconds < wanted && play->next < crew->units);
    batch.end = play->next;
    if (!crew->alone)
        batch.ready = broker_sees(play) + crew->store;
    play->posted[play->posts++] = batch;
    play->unposted -= seconds;
    play->ready += seconds;
}

static void post(struct play *play)
{
    while (play->next < play->crew->units &&
           (play->first == play->posts || play->ready < batching_ahead((unsigned)play->hands)))
        post_batch(play);
}

/* What was left behind goes first. */
static bool find_batch(struct play *play, struct batch *batch)
{
    if (play->again.count) {
        *batch = ((struct batch *)play->again.item)[--play->again.count];
        return true;
    }
    if (play->first == play->posts)
        return false;
    *batch = play->posted[play->first++];
    for (size_t unit = batch->next; unit < batch->end; unit++)
        play->ready -= play->crew->expected[unit];
    post(play);
    if (play->first == play->posts)
        play->story->tail = play->now; /* for now, the beginning of it */
    return true;
}

static void hand_out(struct play *play, size_t hand, struct batch batch)
{
    const struct crew *crew = play->crew;
    double time = play->now;
    if (!crew->alone) {
        const double seen = broker_sees(play);
        time = (seen > batch.ready ? seen : batch.ready) + crew->take;
    }
    play->hand[hand].batch = batch;
    play->story->batches++;
    turn_to(play, hand, CREW_TAKING);
    foresee_for_hand(play, time, TAKEN, hand);
}

static void ask(struct play *play, size_t hand)
{
    struct batch batch;
    if (find_batch(play, &batch)) {
        hand_out(play, hand, batch);
        return;
    }
    turn_to(play, hand, CREW_WAITING);
    size_t *place = add(play, &play->waiting, sizeof *place);
    if (place)
        *place = hand;
}

/* ---- A hand ---- */

static double seconds_of(const struct play *play, size_t hand)
{
    return play->crew->taken[play->hand[hand].batch.next] / worker_of(play, hand)->speed;
}

static void begin_unit(struct play *play, size_t hand)
{
    turn_to(play, hand, CREW_COUNTING);
    play->story->begun++;
    foresee_for_hand(play, play->now + seconds_of(play, hand), COUNTED, hand);
}

static void store_unit(struct play *play, size_t hand)
{
    turn_to(play, hand, CREW_STORING);
    const double time = play->crew->alone ? play->now : broker_sees(play) + play->crew->store;
    foresee_for_hand(play, time, STORED, hand);
}

static void end_unit(struct play *play, size_t hand)
{
    struct batch *batch = &play->hand[hand].batch;
    play->story->useful += seconds_of(play, hand);
    play->story->stored++;
    if (++batch->next < batch->end)
        begin_unit(play, hand);
    else
        ask(play, hand);
}

/* ---- Life and death ---- */

/* About normal, of mean 0 and deviation 1, and never beyond 6: twelve uniform ones added up. */
static double draw_normal(struct play *play)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += random_word(&play->random) / 4294967296.0;
    return sum;
}

/* Nobody is slower than a tenth. */
static double draw_speed(struct play *play)
{
    const double speed = 1 + play->crew->spread * draw_normal(play);
    return speed < 0.1 ? 0.1 : speed;
}

static double draw_life(struct play *play)
{
    return -log((random_word(&play->random) + 0.5) / 4294967296.0) / play->crew->fails;
}

static void arrive(struct play *play, size_t place)
{
    struct worker *worker = &play->worker[place];
    const unsigned threads = play->crew->threads;
    worker->speed = draw_speed(play);
    for (size_t hand = place * threads; hand < (place + 1) * threads; hand++) {
        turn_to(play, hand, CREW_TABLES);
        foresee_for_hand(play, play->now + play->crew->tables / worker->speed, BUILT, hand);
    }
    if (play->crew->fails > 0)
        foresee(play, play->now + draw_life(play), DEATH, place, worker->life);
}

/* What it had is to be handed out again. */
static void leave_behind(struct play *play, size_t hand)
{
    struct batch *batch = &play->hand[hand].batch;
    if (batch->next == batch->end)
        return;
    struct batch *left = add(play, &play->left_behind, sizeof *left);
    if (left) {
        *left = *batch;
        foresee(play, play->now + play->crew->ack_wait, RETURN, play->left_behind.count - 1, 0);
    }
    batch->next = batch->end;
}

static void die(struct play *play, size_t place)
{
    const unsigned threads = play->crew->threads;
    play->story->deaths++;
    play->worker[place].life++;
    for (size_t hand = place * threads; hand < (place + 1) * threads; hand++) {
        const enum crew_doing doing = play->hand[hand].doing;
        play->story->cut += doing == CREW_COUNTING || doing == CREW_STORING;
        leave_behind(play, hand);
        turn_to(play, hand, CREW_AWAY);
    }
    foresee(play, play->now + play->crew->replace, ARRIVAL, place, play->worker[place].life);
}

/* A batch of the dead may be taken again: by whoever is waiting. */
static void bring_back(struct play *play, size_t left)
{
    const struct batch batch = ((const struct batch *)play->left_behind.item)[left];
    play->story->redelivered++;
    while (play->waiting.count) {
        const size_t hand = ((const size_t *)play->waiting.item)[--play->waiting.count];
        if (play->hand[hand].doing == CREW_WAITING) {
            hand_out(play, hand, batch);
            return;
        }
    }
    struct batch *again = add(play, &play->again, sizeof *again);
    if (again)
        *again = batch;
}

/* ---- The play ---- */

static bool is_void(const struct play *play, const struct event *event)
{
    switch ((enum happening)event->what) {
    case RETURN: return false;
    case DEATH:
    case ARRIVAL: return play->worker[event->who].life != event->life;
    default: return worker_of(play, event->who)->life != event->life;
    }
}

static void happen(struct play *play, const struct event *event)
{
    play->now = event->time;
    switch ((enum happening)event->what) {
    case BUILT: ask(play, event->who); break;
    case TAKEN: begin_unit(play, event->who); break;
    case COUNTED: store_unit(play, event->who); break;
    case STORED: end_unit(play, event->who); break;
    case DEATH: die(play, event->who); break;
    case ARRIVAL: arrive(play, event->who); break;
    case RETURN: bring_back(play, event->who); break;
    }
}

static bool begin(struct play *play)
{
    const struct crew *crew = play->crew;
    play->random = random_begin(crew->seed, 0);
    play->hands = (size_t)crew->workers * crew->threads;
    play->hand = calloc(play->hands, sizeof *play->hand);
    play->worker = calloc(crew->workers, sizeof *play->worker);
    play->posted = calloc(crew->units, sizeof *play->posted);
    if (!play->hand || !play->worker || !play->posted)
        return false;
    for (size_t unit = 0; unit < crew->units; unit++)
        play->unposted += crew->expected[unit];
    post(play);
    for (size_t place = 0; place < crew->workers; place++)
        arrive(play, place);
    return true;
}

/* Enough for any job that gets on at all. */
static uint64_t most_events(const struct play *play)
{
    return 100 * (uint64_t)(play->crew->units + play->hands) + 1000000;
}

static void play_on(struct play *play)
{
    struct crew_story *story = play->story;
    for (uint64_t left = most_events(play); left && story->stored < play->crew->units && !play->failed; left--) {
        const struct event event = events_take(&play->events);
        if (!is_void(play, &event))
            happen(play, &event);
    }
    story->ended = story->stored == play->crew->units;
    story->makespan = play->now;
    story->tail = play->now - story->tail;
}

/* The account of what everybody is about at the end. */
static void settle(struct play *play)
{
    for (size_t hand = 0; hand < play->hands; hand++) {
        if (play->hand[hand].doing == CREW_WAITING)
            play->story->at_end += play->now - play->hand[hand].since;
        turn_to(play, hand, CREW_WAITING);
    }
}

enum nq_status crew_play(const struct crew *crew, struct crew_story *story)
{
    struct play play = {.crew = crew, .story = story};
    *story = (struct crew_story){0};
    const bool begun = begin(&play);
    if (begun) {
        play_on(&play);
        settle(&play);
    }
    free(play.hand);
    free(play.worker);
    free(play.posted);
    free(play.events.heap.item);
    free(play.waiting.item);
    free(play.left_behind.item);
    free(play.again.item);
    return begun && !play.failed ? NQ_OK : NQ_NOMEM;
}
