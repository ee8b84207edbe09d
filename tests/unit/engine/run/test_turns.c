/* test_turns.c - tests of src/engine/run/turns.c: who comes next, by what has been used; no thread and no clock.
 */
/* CI builds: address */
#include "engine/run/turns.h"

#include "support/facts.h"

#define MS UINT64_C(1000000)

/* A made-up machine with one place: it gives each task whose turn it is a stretch, and keeps account. */
struct machine {
    struct turns turns;
    uint64_t now;
};

struct member {
    struct turn_task task, hand;
    uint64_t stretch; /* nanoseconds that it uses when it is its turn */
    uint64_t left;    /* until it is over */
    uint64_t began, ended;
};

static void machine_begin(struct machine *machine)
{
    *machine = (struct machine){.now = 1};
    turns_begin(&machine->turns, 1);
}

static struct member member_of(uint64_t client, uint64_t stretch, uint64_t left)
{
    return (struct member){.task.client = client, .stretch = stretch, .left = left};
}

static void join(struct machine *machine, struct member *member)
{
    member->began = machine->now;
    turns_enter(&machine->turns, &member->task);
    turns_wait(&machine->turns, &member->task, machine->now);
}

/* One turn of somebody. NULL: nobody waits. */
static struct member *turn(struct machine *machine)
{
    struct turn_task *next = turns_next(&machine->turns, 100);
    if (!next)
        return NULL;
    struct member *member = (struct member *)next;
    const uint64_t used = member->stretch < member->left ? member->stretch : member->left;
    turns_stop_waiting(&machine->turns, &member->task);
    turns_take(&machine->turns, &member->task, &member->hand);
    machine->now += used;
    member->left -= used;
    turns_charge(&machine->turns, &member->hand, used);
    turns_release(&machine->turns, &member->hand);
    member->task.used = member->hand.used;
    if (member->left) {
        turns_wait(&machine->turns, &member->task, machine->now);
    } else {
        turns_leave(&machine->turns, &member->task);
        member->ended = machine->now;
    }
    return member;
}

static void run_until(struct machine *machine, uint64_t moment)
{
    while (machine->now < moment && turn(machine))
        ;
}

static void run_until_over(struct machine *machine, const struct member *member)
{
    while (member->left)
        assert_non_null(turn(machine));
}

/* Whatever stretches somebody takes, long or short, all get as much as each other. */
TEST(test_time_counts_not_turns)
{
    struct machine machine;
    struct member brief = member_of(1, 2 * MS, 1000000 * MS), lengthy = member_of(2, 2000 * MS, 1000000 * MS);
    machine_begin(&machine);
    join(&machine, &brief);
    join(&machine, &lengthy);
    run_until(&machine, 100000 * MS);
    assert_in_range(brief.task.used / MS, 47000, 53000);
}

/* A question of whatever length is answered within a small multiple of it, though others, fewer than eight, have been
 * working all the while. */
TEST(test_who_comes_is_soon_done)
{
    for (uint64_t clients = 1; clients < TURN_SHARERS - 1; clients++)
        for (uint64_t length = MS; length < 20000 * MS; length *= 3) {
            struct machine machine;
            struct member others[2 * TURN_SHARERS], newcomer = member_of(100, 2 * MS, length);
            machine_begin(&machine);
            for (uint64_t i = 0; i < 2 * clients; i++) {
                others[i] = member_of(i % clients, 20 * MS, UINT64_MAX);
                join(&machine, &others[i]);
            }
            run_until(&machine, 100000 * MS);
            join(&machine, &newcomer);
            run_until_over(&machine, &newcomer);
            const uint64_t took = newcomer.ended - newcomer.began, most = length <= TURN_CREDIT ? 2 : clients + 1;
            assert_true(took <= most * length + 40 * MS);
        }
}

/* Those who come again and again, each time as somebody else, do not keep one who has worked for long from going on. */
TEST(test_nobody_starves)
{
    struct machine machine;
    struct member old = member_of(0, 20 * MS, UINT64_MAX), *newcomers = calloc(100, sizeof *newcomers);
    assert_non_null(newcomers);
    machine_begin(&machine);
    join(&machine, &old);
    run_until(&machine, 10000 * MS);
    const uint64_t before = old.task.used, since = machine.now;
    for (uint64_t i = 0; i < 100; i++) { /* eight at a time */
        newcomers[i] = member_of(1 + i, 2 * MS, 10000 * MS);
        join(&machine, &newcomers[i]);
        if (i >= 7)
            run_until_over(&machine, &newcomers[i - 7]);
    }
    assert_true(old.task.used - before >= (machine.now - since) / 20);
    free(newcomers);
}

/* Of one client's tasks that which has used little comes first; and the one that has used most goes on all the same. */
TEST(test_young_tasks_first)
{
    struct machine machine;
    struct member old = member_of(7, 20 * MS, UINT64_MAX), young[30];
    machine_begin(&machine);
    join(&machine, &old);
    run_until(&machine, 10000 * MS);
    for (int i = 0; i < 30; i++) {
        young[i] = member_of(7, 2 * MS, 50 * MS);
        join(&machine, &young[i]);
    }
    const uint64_t before = old.task.used, since = machine.now;
    for (int i = 0; i < 30; i++)
        run_until_over(&machine, &young[i]);
    assert_true(machine.now - since < 10000 * MS); /* 1.5 s are theirs */
    assert_true(old.task.used > before);
}

/* As many clients as have a thread each get one, whoever came first; one alone may have all the tasks; and one more for
 * what has used less than all it has in hand. */
TEST(test_threads_are_kept_for_others)
{
    enum { TASKS = 2, THREADS = TASKS + TURN_SHARERS };
    struct turns turns;
    struct turn_task tasks[TURN_SHARERS][5], hands[THREADS];
    size_t spare = THREADS;
    unsigned taken[TURN_SHARERS] = {0};
    turns_begin(&turns, TASKS);
    for (unsigned client = 0; client < TURN_SHARERS; client++)
        for (int i = 0; i < 5; i++) {
            tasks[client][i] = (struct turn_task){.client = client, .used = i < 4 ? 1000 * MS : 0};
            turns_enter(&turns, &tasks[client][i]);
            turns_wait(&turns, &tasks[client][i], 1);
            for (struct turn_task *next; i >= 3 && (next = turns_next(&turns, spare)); taken[next->client]++) {
                turns_stop_waiting(&turns, next);
                turns_take(&turns, next, &hands[--spare]);
            }
        }
    assert_int_equal(taken[0], TASKS + 1);
    for (unsigned client = 1; client < TURN_SHARERS; client++)
        assert_int_equal(taken[client], 1);
}

/* For what does not look around its client has another thread, until it does, or is over. */
TEST(test_unresponsive)
{
    for (int waits = 0; waits < 2; waits++) {
        struct turns turns;
        struct turn_task unresponsive = {.client = 3}, next = {.client = 3}, hand;
        turns_begin(&turns, 1);
        turns_enter(&turns, &unresponsive);
        turns_take(&turns, &unresponsive, &hand);
        turns_enter(&turns, &next);
        turns_wait(&turns, &next, 1);
        assert_null(turns_next(&turns, 100));
        turns_set_unresponsive(&turns, &hand);
        turns_set_unresponsive(&turns, &hand);
        assert_ptr_equal(turns_next(&turns, 100), &next);
        assert_null(turns_next(&turns, TURN_SHARERS - 1)); /* those are for others */
        if (waits)
            turns_wait(&turns, &hand, 0);
        else
            turns_release(&turns, &hand);
        assert_ptr_equal(turns_next(&turns, 100), waits ? &hand : &next);
        assert_int_equal(turns.turn[3].unresponsive, 0);
    }
}

/* What is held is found, though there is no thread for anything fresh. */
TEST(test_held_ones_go_on)
{
    struct turns turns;
    struct turn_task held = {.client = 3, .used = 1000 * MS}, fresh[3] = {{.client = 3}, {.client = 4}, {.client = 5}},
                     hand;
    turns_begin(&turns, 1);
    turns_enter(&turns, &held);
    turns_take(&turns, &held, &hand);
    for (int i = 0; i < 3; i++) {
        turns_enter(&turns, &fresh[i]);
        turns_wait(&turns, &fresh[i], 1);
    }
    turns_wait(&turns, &hand, 2);
    assert_ptr_equal(turns_next(&turns, 0), &hand);
    turns_stop_waiting(&turns, &hand);
    assert_null(turns_next(&turns, 0));
    assert_non_null(turns_next(&turns, 1));
}

/* Who begins, with no thread and no more use than whoever was served last, and only with a task that has used nothing.
 */
TEST(test_newcomers)
{
    struct turns turns;
    struct turn_task busy[2] = {{.client = 3}, {.client = 3}}, old = {.client = 4, .used = MS},
                     fresh[3] = {{.client = 5}, {.client = 6}, {.client = 7}}, hands[2];
    turns_begin(&turns, 1);
    for (int i = 0; i < 2; i++) {
        turns_enter(&turns, &busy[i]);
        turns_wait(&turns, &busy[i], 1);
    }
    assert_ptr_equal(turns_next(&turns, 100), &busy[0]);
    turns_stop_waiting(&turns, &busy[0]);
    turns_take(&turns, &busy[0], &hands[0]);
    turns_enter(&turns, &old);
    turns_wait(&turns, &old, 2);
    assert_null(turns_newcomer(&turns)); /* one has a thread, the other's task has begun */
    for (int i = 0; i < 3; i++) {
        turns_enter(&turns, &fresh[i]);
        turns_wait(&turns, &fresh[i], 3);
    }
    turns.turn[5].used = 2 * TURN_QUANTUM;
    turns.turn[7].used = 3 * TURN_QUANTUM;
    turns.floor = 2 * TURN_QUANTUM;
    struct turn_task *expected[] = {&fresh[1], &fresh[0], NULL}; /* the third has used more */
    for (int i = 0; i < 3; i++) {
        struct turn_task *newcomer = turns_newcomer(&turns);
        assert_ptr_equal(newcomer, expected[i]);
        if (newcomer)
            turns_stop_waiting(&turns, newcomer);
    }
    turns.floor = 3 * TURN_QUANTUM;
    assert_ptr_equal(turns_newcomer(&turns), &fresh[2]);
}

/* A task of the next test, and where it is: nowhere, with its owner, waiting for a thread, in hand, or set aside. */
struct wanderer {
    struct turn_task task, hand;
    enum { NOWHERE, WITH_OWNER, WAITING, IN_HAND, ASIDE } at;
};

static void take_up(struct turns *turns, struct wanderer *one)
{
    turns_stop_waiting(turns, one->at == ASIDE ? &one->hand : &one->task);
    if (one->at == WAITING)
        turns_take(turns, &one->task, &one->hand);
    one->at = IN_HAND;
}

static void go_on_in_hand(struct turns *turns, struct wanderer *one, uint64_t *dice, uint64_t now)
{
    switch (facts_below(dice, 4)) {
    case 0: turns_charge(turns, &one->hand, facts_random(dice) >> 30); break;
    case 1: turns_set_unresponsive(turns, &one->hand); break;
    case 2:
        turns_wait(turns, &one->hand, now);
        one->at = ASIDE;
        break;
    default:
        one->task.used = one->hand.used;
        turns_release(turns, &one->hand);
        one->at = WITH_OWNER;
    }
}

static void wander(struct turns *turns, struct wanderer *one, uint64_t *dice, uint64_t now)
{
    switch (one->at) {
    case NOWHERE:
        one->task = (struct turn_task){.client = facts_below(dice, 6) * 64};
        turns_enter(turns, &one->task);
        one->at = WITH_OWNER;
        break;
    case WITH_OWNER:
        one->at = facts_below(dice, 4) ? WAITING : NOWHERE;
        if (one->at == WAITING)
            turns_wait(turns, &one->task, now);
        else
            turns_leave(turns, &one->task);
        break;
    case WAITING:
    case ASIDE: take_up(turns, one); break;
    case IN_HAND: go_on_in_hand(turns, one, dice, now); break;
    }
}

/* Whatever tasks do, in any order: turns count what waits, and who comes next is one of those. */
TEST(test_any_order)
{
    enum { WANDERERS = 40, STEPS = 20000 };
    static struct wanderer all[WANDERERS];
    struct turns turns;
    uint64_t dice = 1;
    turns_begin(&turns, 2);
    for (uint64_t step = 1; step <= STEPS; step++) {
        size_t waiting = 0;
        wander(&turns, &all[facts_below(&dice, WANDERERS)], &dice, step);
        CHECKED(turns_check(&turns));
        for (int i = 0; i < WANDERERS; i++)
            waiting += all[i].at == WAITING || all[i].at == ASIDE;
        assert_int_equal(turns.waiting, waiting);
        const struct turn_task *next = facts_below(&dice, 2) ? turns_newcomer(&turns) : turns_next(&turns, WANDERERS);
        CHECKED(turns_check(&turns));
        assert_true(next ? next->waits : true);
        for (int i = 0; i < WANDERERS; i++)
            if (next == &all[i].task || next == &all[i].hand)
                take_up(&turns, &all[i]);
    }
}
