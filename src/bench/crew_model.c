/* crew_model.c - plays a crew: what happens next is the first of the events to come, and brings further ones. What a
 * hand is about changes in one place, which keeps the account of all time. It prints nothing. */
#include "bench/crew_play.h"

#include <math.h>
#include <stdlib.h>

#include "engine/waits.h"

/* ---- What is to come ---- */

void play_foresee(struct play *play, double time, enum happening what, size_t who, uint32_t life)
{
    const struct event event = {.time = time, .what = what, .life = life, .who = who};
    if (!events_add(&play->events, event))
        play->failed = true;
}

/* The place for one more in a pile, NULL when there is not memory enough. */
void *play_add(struct play *play, struct pile *pile, size_t size)
{
    void *place = pile_add(pile, size);
    play->failed = play->failed || !place;
    return place;
}

struct worker *play_worker_of(const struct play *play, size_t hand)
{
    return &play->worker[hand / play->crew->threads];
}

void play_foresee_for_hand(struct play *play, double time, enum happening what, size_t hand)
{
    play_foresee(play, time, what, hand, play_worker_of(play, hand)->life);
}

/* From now on the hand is about something else. */
void play_turn_to(struct play *play, size_t hand, enum crew_doing doing)
{
    play->story->spent[play->hand[hand].doing] += play->now - play->hand[hand].since;
    play->hand[hand].doing = doing;
    play->hand[hand].since = play->now;
}

/* When the broker has seen to a message that is sent now. */
double play_broker_sees(struct play *play)
{
    if (play->broker < play->now)
        play->broker = play->now;
    play->broker += play->crew->message;
    return play->broker;
}

/* From 0 up to but without 1. */
static double draw_share(struct play *play)
{
    return random_word(&play->random) / 4294967296.0;
}

/* ---- A hand ---- */

static double seconds_of(const struct play *play, size_t hand)
{
    return play->crew->taken[play->hand[hand].batch.next] / play_worker_of(play, hand)->speed;
}

static void begin_unit(struct play *play, size_t hand)
{
    play_turn_to(play, hand, CREW_COUNTING);
    play->story->begun += !play->hand[hand].batch.audit;
    play_foresee_for_hand(play, play->now + seconds_of(play, hand), COUNTED, hand);
}

static void begin_batch(struct play *play, size_t hand)
{
    if (play_is_own(play, hand)) {
        play_put_back(play, &play->hand[hand].batch, ANOTHER_MS / 1e3);
        play_ask(play, hand);
    } else {
        begin_unit(play, hand);
    }
}

/* What an audit came to is told, but not stored. */
static void end_count(struct play *play, size_t hand)
{
    struct batch *batch = &play->hand[hand].batch;
    if (batch->audit) {
        play_end_audit(play, batch->audit - 1);
        batch->next++;
        play_ask(play, hand);
        return;
    }
    play_turn_to(play, hand, CREW_STORING);
    const double time = play->crew->alone ? play->now : play_broker_sees(play) + play->crew->store;
    play_foresee_for_hand(play, time, STORED, hand);
}

static void end_unit(struct play *play, size_t hand)
{
    struct batch *batch = &play->hand[hand].batch;
    play->story->useful += seconds_of(play, hand);
    play->story->stored++;
    if (play->crew->audit > 0 && draw_share(play) < play->crew->audit)
        play_begin_audit(play, hand);
    if (++batch->next < batch->end)
        begin_unit(play, hand);
    else
        play_ask(play, hand);
}

/* ---- Life and death ---- */

/* About normal, of mean 0 and deviation 1, and never beyond 6: twelve uniform ones added up. */
static double draw_normal(struct play *play)
{
    double sum = -6;
    for (int i = 0; i < 12; i++)
        sum += draw_share(play);
    return sum;
}

/* Nobody is slower than a tenth. */
static double draw_speed(struct play *play)
{
    const double speed = 1 + play->crew->spread * draw_normal(play);
    return play->crew->speed * (speed < 0.1 ? 0.1 : speed);
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
        play_turn_to(play, hand, CREW_TABLES);
        play_foresee_for_hand(play, play->now + play->crew->tables / worker->speed, BUILT, hand);
    }
    if (play->crew->fails > 0)
        play_foresee(play, play->now + draw_life(play), DEATH, place, worker->life);
}

/* What it had is to be handed out again. */
static void leave_behind(struct play *play, size_t hand)
{
    struct batch *batch = &play->hand[hand].batch;
    if (batch->next == batch->end)
        return;
    play->story->redelivered++;
    play_put_back(play, batch, play->crew->ack_wait);
}

static void die(struct play *play, size_t place)
{
    const unsigned threads = play->crew->threads;
    play->story->deaths++;
    play->worker[place].life++;
    for (size_t hand = place * threads; hand < (place + 1) * threads; hand++) {
        const enum crew_doing doing = play->hand[hand].doing;
        play->story->cut += (doing == CREW_COUNTING || doing == CREW_STORING) && !play->hand[hand].batch.audit;
        leave_behind(play, hand);
        play_turn_to(play, hand, CREW_AWAY);
    }
    play_foresee(play, play->now + play->crew->replace, ARRIVAL, place, play->worker[place].life);
}

/* ---- The play ---- */

static bool is_void(const struct play *play, const struct event *event)
{
    switch ((enum happening)event->what) {
    case RETURN:
    case DUE:
    case CHECKED: return false;
    case DEATH:
    case ARRIVAL: return play->worker[event->who].life != event->life;
    default: return play_worker_of(play, event->who)->life != event->life;
    }
}

static void happen(struct play *play, const struct event *event)
{
    play->now = event->time;
    switch ((enum happening)event->what) {
    case BUILT: play_ask(play, event->who); break;
    case TAKEN: begin_batch(play, event->who); break;
    case COUNTED: end_count(play, event->who); break;
    case STORED: end_unit(play, event->who); break;
    case DEATH: die(play, event->who); break;
    case ARRIVAL: arrive(play, event->who); break;
    case RETURN: play_bring_back(play, event->who); break;
    case DUE: play_fall_due(play, event->who); break;
    case CHECKED: play_checked(play, event->who); break;
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
    play->now = crew->begin;
    play_post(play);
    for (size_t place = 0; place < crew->workers; place++)
        play_foresee(play, play->now + crew->hear * draw_share(play), ARRIVAL, place, 0);
    return true;
}

/* Enough for any job that gets on at all. */
static uint64_t most_events(const struct play *play)
{
    return 100 * (uint64_t)(play->crew->units + play->hands) + 1000000;
}

/* The server cannot leave an audit, even if another one was faster. */
static bool is_over(const struct play *play)
{
    return play->story->stored == play->crew->units && !play->unchecked && !play->auditing;
}

static void play_on(struct play *play)
{
    struct crew_story *story = play->story;
    for (uint64_t left = most_events(play); left && !is_over(play) && !play->failed; left--) {
        const struct event event = events_take(&play->events);
        if (!is_void(play, &event))
            happen(play, &event);
    }
    story->ended = is_over(play);
    story->makespan = play->now;
    story->tail = play->now - story->tail;
}

/* The account of what everybody is about at the end. */
static void settle(struct play *play)
{
    for (size_t hand = 0; hand < play->hands; hand++) {
        if (play->hand[hand].doing == CREW_WAITING)
            play->story->at_end += play->now - play->hand[hand].since;
        play_turn_to(play, hand, CREW_WAITING);
    }
}

double crew_speed(double processors, double hands, double unit, double beside)
{
    const double speed = processors / (hands * (1 + beside / unit));
    return speed < 1 ? speed : 1;
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
    free(play.audits.item);
    return begun && !play.failed ? NQ_OK : NQ_NOMEM;
}
