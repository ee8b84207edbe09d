/* crew_batches.c - which batches are posted, who gets which, and which units are counted again. */
#include "bench/crew_play.h"

#include "engine/batching.h"
#include "engine/waits.h"

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
        batch.ready = play_broker_sees(play) + crew->store;
    play->posted[play->posts++] = batch;
    play->unposted -= seconds;
    play->ready += seconds;
}

void play_post(struct play *play)
{
    while (play->next < play->crew->units &&
           (play->first == play->posts || play->ready < batching_ahead((unsigned)play->hands)))
        post_batch(play);
}

/* The next audit that is no longer behind what is posted. */
static bool find_audit(struct play *play, struct batch *batch)
{
    const struct audit *audit = play->audits.item;
    if (play->crew->workers == 1 || play->handed == play->audits.count || audit[play->handed].behind > play->first)
        return false;
    *batch = audit[play->handed++].batch;
    return true;
}

/* What was left behind goes first. */
static bool find_batch(struct play *play, struct batch *batch)
{
    if (play->again.count) {
        *batch = ((struct batch *)play->again.item)[--play->again.count];
        return true;
    }
    if (find_audit(play, batch))
        return true;
    if (play->first == play->posts)
        return false;
    *batch = play->posted[play->first++];
    for (size_t unit = batch->next; unit < batch->end; unit++)
        play->ready -= play->crew->expected[unit];
    play_post(play);
    if (play->first == play->posts)
        play->story->tail = play->now; /* for now, the beginning of it */
    return true;
}

static void hand_out(struct play *play, size_t hand, struct batch batch)
{
    const struct crew *crew = play->crew;
    double time = play->now;
    if (!crew->alone) {
        const double seen = play_broker_sees(play);
        time = (seen > batch.ready ? seen : batch.ready) + crew->take;
    }
    play->hand[hand].batch = batch;
    play->story->batches++;
    play_turn_to(play, hand, CREW_TAKING);
    play_foresee_for_hand(play, time, TAKEN, hand);
}

void play_ask(struct play *play, size_t hand)
{
    struct batch batch;
    if (find_batch(play, &batch)) {
        hand_out(play, hand, batch);
        return;
    }
    play_turn_to(play, hand, CREW_WAITING);
    size_t *place = play_add(play, &play->waiting, sizeof *place);
    if (place)
        *place = hand;
}

/* To anyone who waits; false: nobody does. */
static bool offer(struct play *play, struct batch batch)
{
    size_t *waiting = play->waiting.item;
    while (play->waiting.count) {
        const size_t drawn = random_below(&play->random, (uint32_t)play->waiting.count), hand = waiting[drawn];
        waiting[drawn] = waiting[--play->waiting.count];
        if (play->hand[hand].doing == CREW_WAITING) {
            hand_out(play, hand, batch);
            return true;
        }
    }
    return false;
}

/* It is to be handed out again, after some seconds. */
void play_put_back(struct play *play, struct batch *batch, double seconds)
{
    struct batch *left = play_add(play, &play->left_behind, sizeof *left);
    if (left) {
        *left = *batch;
        play_foresee(play, play->now + seconds, RETURN, play->left_behind.count - 1, 0);
    }
    batch->next = batch->end;
}

/* It may be taken again: by whoever is waiting. */
void play_bring_back(struct play *play, size_t left)
{
    const struct batch batch = ((const struct batch *)play->left_behind.item)[left];
    if (offer(play, batch))
        return;
    struct batch *again = play_add(play, &play->again, sizeof *again);
    if (again)
        *again = batch;
}

/* ---- Audits ---- */

static struct audit *audit_of(const struct play *play, size_t number)
{
    return &((struct audit *)play->audits.item)[number];
}

/* Of what a hand has just stored: for another worker, if there is one, and for the server, if nobody has done it. */
void play_begin_audit(struct play *play, size_t hand)
{
    const struct crew *crew = play->crew;
    const size_t unit = play->hand[hand].batch.next, number = play->audits.count;
    const bool lonely = crew->workers == 1;
    struct audit *audit = play_add(play, &play->audits, sizeof *audit);
    if (!audit)
        return;
    *audit = (struct audit){.batch = {.next = unit, .end = unit + 1, .audit = number + 1},
                            .behind = play->posts,
                            .place = hand / crew->threads,
                            .life = play_worker_of(play, hand)->life};
    play->unchecked++;
    const double due = lonely ? SETTLE_MS : AUDIT_MS + waits_for(crew->expected[unit]);
    play_foresee(play, play->now + due / 1e3, DUE, number, 0);
    if (lonely)
        return;
    audit->batch.ready = play_broker_sees(play) + crew->store;
    if (play->handed == number && offer(play, audit->batch))
        play->handed++;
}

void play_end_audit(struct play *play, size_t number)
{
    struct audit *audit = audit_of(play, number);
    play->story->audits += !audit->over;
    play->unchecked -= !audit->over;
    audit->over = true;
}

/* The server turns to the next one that is due, if it is not at one. */
static void audit_next(struct play *play)
{
    while (!play->auditing && play->own < play->due) {
        const struct audit *audit = audit_of(play, play->own++);
        play->auditing = !audit->over;
        if (play->auditing)
            play_foresee(play, play->now + play->crew->taken[audit->batch.next] / play->crew->speed, CHECKED,
                         audit->batch.audit - 1, 0);
    }
}

void play_fall_due(struct play *play, size_t number)
{
    play->due = number + 1;
    audit_next(play);
}

void play_checked(struct play *play, size_t number)
{
    play->auditing = false;
    play_end_audit(play, number);
    audit_next(play);
}

/* Nobody audits what was counted by itself. */
bool play_is_own(const struct play *play, size_t hand)
{
    const struct batch *batch = &play->hand[hand].batch;
    if (!batch->audit)
        return false;
    const struct audit *audit = audit_of(play, batch->audit - 1);
    return audit->place == hand / play->crew->threads && audit->life == play_worker_of(play, hand)->life;
}
