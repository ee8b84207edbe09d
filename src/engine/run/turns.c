/* turns.c - clients in a list, levels of tasks at each of them. */
#include "engine/run/turns.h"

#include <assert.h>

/* Of so many tasks that one client is served one is the one who has used most. */
enum { OLDEST_EVERY = 8 };

static struct turn *turn_of(struct turns *turns, const struct turn_task *task)
{
    return &turns->turn[task->client % TURNS];
}

static unsigned level_of(const struct turn_task *task)
{
    const uint64_t quanta = (task->used > task->expected ? task->used : task->expected) / TURN_QUANTUM;
    const unsigned level = quanta ? 64 - (unsigned)__builtin_clzll(quanta) : 0;
    return level < TURN_LEVELS ? level : TURN_LEVELS - 1;
}

static void append(struct turn_list *list, struct turn_task *task)
{
    task->next = NULL;
    task->prev = list->tail;
    *(list->tail ? &list->tail->next : &list->head) = task;
    list->tail = task;
}

static void unlink_task(struct turn_list *list, struct turn_task *task)
{
    *(task->prev ? &task->prev->next : &list->head) = task->next;
    *(task->next ? &task->next->prev : &list->tail) = task->prev;
}

static void unlink_turn(struct turns *turns, struct turn *turn)
{
    *(turn->prev ? &turn->prev->next : &turns->first) = turn->next;
    *(turn->next ? &turn->next->prev : &turns->last) = turn->prev;
}

/* Puts a turn behind all others. */
static void line_up(struct turns *turns, struct turn *turn)
{
    turn->next = NULL;
    turn->prev = turns->last;
    *(turns->last ? &turns->last->next : &turns->first) = turn;
    turns->last = turn;
}

void turns_begin(struct turns *turns, unsigned tasks)
{
    assert(tasks > 0); /* otherwise nobody ever begins */
    *turns = (struct turns){.tasks = tasks};
}

void turns_enter(struct turns *turns, const struct turn_task *task)
{
    struct turn *turn = turn_of(turns, task);
    const uint64_t least = turns->floor > TURN_CREDIT ? turns->floor - TURN_CREDIT : 0;
    if (turn->members++ == 0 && turn->used < least)
        turn->used = least;
}

void turns_leave(struct turns *turns, const struct turn_task *task)
{
    struct turn *turn = turn_of(turns, task);
    assert(turn->members > turn->waiting && !task->waits);
    turn_of(turns, task)->members--;
}

static bool list_has(const struct turn_list *list, uint64_t client)
{
    for (const struct turn_task *task = list->head; task; task = task->next)
        if (task->client == client)
            return true;
    return false;
}

bool turns_has(const struct turns *turns, uint64_t client)
{
    const struct turn *turn = &turns->turn[client % TURNS];
    if (turn->members == 0)
        return false;
    for (unsigned i = 0; i < TURN_LEVELS; i++)
        if (list_has(&turn->fresh[i], client))
            return true;
    return false;
}

static void recover(struct turn *turn, struct turn_task *task)
{
    turn->unresponsive -= task->unresponsive;
    task->unresponsive = false;
}

void turns_set_unresponsive(struct turns *turns, struct turn_task *hand)
{
    assert(hand->in_hand && !hand->waits);
    turn_of(turns, hand)->unresponsive += !hand->unresponsive;
    hand->unresponsive = true;
}

void turns_wait(struct turns *turns, struct turn_task *task, uint64_t now)
{
    struct turn *turn = turn_of(turns, task);
    assert(!task->waits && turn->waiting < turn->members);
    recover(turn, task);
    task->waits = true;
    task->since = now;
    if (!task->in_hand)
        append(&turn->fresh[level_of(task)], task);
    if (turn->waiting++ == 0)
        line_up(turns, turn);
    turns->waiting++;
}

void turns_stop_waiting(struct turns *turns, struct turn_task *task)
{
    struct turn *turn = turn_of(turns, task);
    assert(task->waits && turn->waiting && turns->waiting);
    task->waits = false;
    if (!task->in_hand)
        unlink_task(&turn->fresh[level_of(task)], task);
    if (--turn->waiting == 0)
        unlink_turn(turns, turn);
    turns->waiting--;
}

void turns_take(struct turns *turns, const struct turn_task *task, struct turn_task *hand)
{
    struct turn *turn = turn_of(turns, task);
    assert(!task->waits && !task->in_hand);
    *hand = (struct turn_task){.client = task->client, .used = task->used, .expected = task->expected, .in_hand = true};
    append(&turn->hands, hand);
    turns->busy += turn->in_hands++ == 0;
}

void turns_release(struct turns *turns, struct turn_task *hand)
{
    struct turn *turn = turn_of(turns, hand);
    assert(hand->in_hand && !hand->waits && turn->in_hands);
    recover(turn, hand);
    unlink_task(&turn->hands, hand);
    turns->busy -= --turn->in_hands == 0;
}

void turns_charge(struct turns *turns, struct turn_task *hand, uint64_t nanoseconds)
{
    assert(hand->in_hand);
    hand->used += nanoseconds;
    turn_of(turns, hand)->used += nanoseconds;
}

/* Whether a fresh task may have one of the spare threads: as long as others who may come have theirs, and the client
 * has not more in hand that does not look around than it may use threads; and beyond what a client may use if it has
 * used less than all that the client has in hand. */
static bool may_begin(const struct turns *turns, const struct turn *turn, const struct turn_task *task, size_t spare)
{
    const size_t kept = turns->busy < TURN_SHARERS ? TURN_SHARERS - turns->busy : 0;
    if (turn->in_hands == 0)
        return spare > 0;
    if (spare <= kept || turn->unresponsive > turns->tasks)
        return false;
    if (turn->in_hands - turn->unresponsive < turns->tasks)
        return true;
    for (const struct turn_task *other = turn->hands.head; other; other = other->next)
        if (!other->unresponsive && level_of(other) <= level_of(task))
            return false;
    return true;
}

/* Whether one comes before another of the same client; most: the one who has used most. */
static bool comes_before(const struct turn_task *one, const struct turn_task *other, bool most)
{
    const unsigned a = level_of(one), b = level_of(other);
    if (a != b)
        return most ? a > b : a < b;
    return one->since < other->since;
}

/* The first fresh one. */
static struct turn_task *first_fresh(const struct turn *turn, bool most)
{
    for (unsigned i = 0; i < TURN_LEVELS; i++) {
        const struct turn_list *level = &turn->fresh[most ? TURN_LEVELS - 1 - i : i];
        if (level->head)
            return level->head;
    }
    return NULL;
}

/* The task of a client whose turn it is; NULL: none. Of the fresh ones only the lowest level is asked, or the highest
 * and the lowest: may_begin() accepts no higher level than one it rejects, so that none follows a rejected lowest. */
static struct turn_task *first_of(const struct turns *turns, const struct turn *turn, size_t spare, bool most)
{
    struct turn_task *first = first_fresh(turn, most);
    if (first && !may_begin(turns, turn, first, spare))
        first = most ? first_fresh(turn, false) : NULL;
    if (first && most && !may_begin(turns, turn, first, spare))
        first = NULL;
    for (struct turn_task *task = turn->hands.head; task; task = task->next)
        if (task->waits && (!first || comes_before(task, first, most)))
            first = task;
    return first;
}

/* In quanta, so that what is alike is served in turn. */
static bool used_less(const struct turn *one, uint64_t used)
{
    return one->used / TURN_QUANTUM < used / TURN_QUANTUM;
}

/* It is the client's turn, and goes to the end of those who are alike. */
static void serve(struct turns *turns, struct turn *turn)
{
    assert(turn->waiting); /* only where somebody waits is on the list */
    turn->picks++;
    if (turns->floor < turn->used)
        turns->floor = turn->used;
    unlink_turn(turns, turn);
    line_up(turns, turn);
}

struct turn_task *turns_next(struct turns *turns, size_t spare)
{
    struct turn_task *next = NULL;
    struct turn *served = NULL;
    for (struct turn *turn = turns->first; turn; turn = turn->next) {
        if (served && !used_less(turn, served->used))
            continue;
        struct turn_task *first = first_of(turns, turn, spare, turn->picks % OLDEST_EVERY == OLDEST_EVERY - 1);
        if (!first)
            continue;
        next = first;
        served = turn;
    }
    if (next)
        serve(turns, served);
    return next;
}

/* Whether a thread has a task of the client that has used little so far. */
static bool has_just_begun(const struct turn *turn)
{
    for (const struct turn_task *hand = turn->hands.head; hand; hand = hand->next)
        if (level_of(hand) == 0)
            return true;
    return false;
}

struct turn_task *turns_newcomer(struct turns *turns)
{
    struct turn *served = NULL;
    for (struct turn *turn = turns->first; turn; turn = turn->next) {
        const struct turn_task *first = has_just_begun(turn) ? NULL : turn->fresh[0].head;
        if (first && first->used == 0 && used_less(turn, served ? served->used : turns->floor + TURN_QUANTUM))
            served = turn;
    }
    if (!served)
        return NULL;
    serve(turns, served);
    return served->fresh[0].head;
}

#ifdef CHECKS
/* Of the fresh tasks of one level of a client. Returns how many there are. */
static size_t check_fresh(const struct turns *turns, const struct turn *turn, unsigned level)
{
    const struct turn_list *list = &turn->fresh[level];
    const struct turn_task *before = NULL;
    size_t count = 0;
    for (const struct turn_task *task = list->head; task; before = task, task = task->next, count++) {
        assert(task->prev == before);
        assert(&turns->turn[task->client % TURNS] == turn && level_of(task) == level);
        assert(task->waits && !task->in_hand && !task->unresponsive);
    }
    assert(list->tail == before);
    return count;
}

/* Of those in hand. Returns how many of them wait. */
static size_t check_hands(const struct turns *turns, const struct turn *turn)
{
    const struct turn_task *before = NULL;
    size_t count = 0, waiting = 0, unresponsive = 0;
    for (const struct turn_task *hand = turn->hands.head; hand; before = hand, hand = hand->next, count++) {
        assert(hand->prev == before);
        assert(&turns->turn[hand->client % TURNS] == turn && hand->in_hand);
        assert(!(hand->waits && hand->unresponsive)); /* who waits has looked around */
        waiting += hand->waits;
        unresponsive += hand->unresponsive;
    }
    assert(turn->hands.tail == before);
    assert(turn->in_hands == count && turn->unresponsive == unresponsive);
    return waiting;
}

/* Whether a turn is on the list of those where somebody waits, which is as whole as it can be seen from here. */
static bool is_lined_up(const struct turns *turns, const struct turn *turn)
{
    return turn->prev ? turn->prev->next == turn : turns->first == turn;
}

void turns_check(const struct turns *turns)
{
    size_t waiting = 0, lined_up = 0;
    unsigned busy = 0;
    for (const struct turn *turn = turns->turn; turn < turns->turn + TURNS; turn++) {
        size_t fresh = 0;
        for (unsigned level = 0; level < TURN_LEVELS; level++)
            fresh += check_fresh(turns, turn, level);
        const size_t all = fresh + check_hands(turns, turn);
        assert(turn->waiting == all);
        assert(turn->members >= fresh + turn->in_hands);
        assert(!turn->waiting || is_lined_up(turns, turn));
        waiting += turn->waiting;
        lined_up += turn->waiting > 0;
        busy += turn->in_hands > 0;
    }
    assert(turns->waiting == waiting && turns->busy == busy);
    const struct turn *before = NULL;
    for (const struct turn *turn = turns->first; turn; before = turn, turn = turn->next, lined_up--) {
        assert(turn->prev == before && turn->waiting);
        assert(lined_up > 0); /* or it is a circle */
    }
    assert(turns->last == before && lined_up == 0);
}
#endif
