/* fiber.c - threads as fibers of one thread, and a queue of what happens when. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sim.h"

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#define STACK (256 << 10)
#else
#define STACK (96 << 10)
#endif

enum { FIBERS = 512, GUARD = 4096 };

struct fiber {
    enum { FREE, WAITING, RUNNING, OVER } state;
    int process;
    size_t name;   /* no two fibers of a run have the same */
    uint32_t turn; /* an event of an earlier turn is void */
    const void *key;
    bool woken;
    void *(*run)(void *);
    void *arg;
    char *stack;
    void *sp;
#if defined(__SANITIZE_ADDRESS__)
    void *fake;
#endif
};

struct event {
    uint64_t when, order; /* order: of events of one moment */
    void (*call)(size_t number);
    size_t number; /* of the call; of a fiber, if there is no call */
    uint32_t turn;
};

static struct fiber fibers[FIBERS];
static size_t fiber_count, names, current = FIBERS;
static uint64_t frozen_until[SIM_PROCESSES];
static uint64_t now, orders;
static void *scheduler_sp;
#if defined(__SANITIZE_ADDRESS__)
static const void *scheduler_bottom;
static size_t scheduler_size;
#endif
static struct event *heap;
static size_t heap_count, heap_room;

uint64_t sim_now(void)
{
    return now;
}

int sim_process(void)
{
    return current < FIBERS ? fibers[current].process : SIM_NOBODY;
}

/* ---- Switching ---- */

#if defined(__x86_64__)
void fiber_switch(void **from, void *to);
__asm__(".text\n.type fiber_switch, @function\nfiber_switch:\n"
        "pushq %rbp\npushq %rbx\npushq %r12\npushq %r13\npushq %r14\npushq %r15\n"
        "movq %rsp, (%rdi)\nmovq %rsi, %rsp\n"
        "popq %r15\npopq %r14\npopq %r13\npopq %r12\npopq %rbx\npopq %rbp\nret\n");

static void enter(void);

static void *first_sp(char *top)
{
    enum { SAVED = 6 };
    void **sp = (void **)top - 2; /* at the entry of a function the stack is 8 bytes off a multiple of 16 */
    sp[0] = (void *)enter;
    sp -= SAVED;
    memset(sp, 0, SAVED * sizeof *sp);
    return sp;
}
#else
#error "switching fibers is written for x86-64"
#endif

static void to_scheduler(struct fiber *fiber)
{
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_start_switch_fiber(fiber->state == OVER ? NULL : &fiber->fake, scheduler_bottom, scheduler_size);
#endif
    fiber_switch(&fiber->sp, scheduler_sp);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fiber->fake, NULL, NULL);
#endif
}

static void enter(void)
{
    struct fiber *fiber = &fibers[current];
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(NULL, &scheduler_bottom, &scheduler_size);
#endif
    (void)fiber->run(fiber->arg);
    fiber->state = OVER;
    to_scheduler(fiber);
    abort();
}

static void go_on(size_t number)
{
    struct fiber *fiber = &fibers[number];
    current = number;
    fiber->state = RUNNING;
#if defined(__SANITIZE_ADDRESS__)
    void *fake;
    __sanitizer_start_switch_fiber(&fake, fiber->stack + GUARD, STACK);
#endif
    fiber_switch(&scheduler_sp, fiber->sp);
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_finish_switch_fiber(fake, NULL, NULL);
#endif
    current = FIBERS;
}

/* ---- Events ---- */

static bool before(const struct event *one, const struct event *other)
{
    return one->when != other->when ? one->when < other->when : one->order < other->order;
}

static void push(struct event event)
{
    if (heap_count == heap_room) {
        heap_room = heap_room ? 2 * heap_room : 1024;
        heap = realloc(heap, heap_room * sizeof *heap);
        if (!heap)
            abort();
    }
    event.order = ++orders;
    size_t at = heap_count++;
    for (; at && before(&event, &heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = event;
}

static struct event pop(void)
{
    const struct event first = heap[0], last = heap[--heap_count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < heap_count; at = child) {
        if (child + 1 < heap_count && before(&heap[child + 1], &heap[child]))
            child++;
        if (!before(&heap[child], &last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return first;
}

void sim_at(uint64_t when, void (*call)(size_t number), size_t number)
{
    push((struct event){.when = when > now ? when : now, .call = call, .number = number});
}

static void wake_at(size_t number, uint64_t when)
{
    push((struct event){.when = when > now ? when : now, .number = number, .turn = fibers[number].turn});
}

bool sim_step(void)
{
    if (!heap_count)
        return false;
    const struct event event = pop();
    now = event.when;
    if (event.call) {
        event.call(event.number);
        return true;
    }
    struct fiber *fiber = &fibers[event.number];
    if (fiber->state != WAITING || fiber->turn != event.turn)
        return true;
    if (frozen_until[fiber->process] > now)
        wake_at(event.number, frozen_until[fiber->process]);
    else
        go_on(event.number);
    return true;
}

/* ---- Fibers ---- */

/* Threads that want to run get a processor soon, and in any order; now and then much later. */
static uint64_t soon(void)
{
    return now + (sim_chance(0.002) ? sim_between(0, 300 * SIM_MS) : sim_between(0, 30000));
}

size_t fiber_begin(int process, void *(*run)(void *), void *arg)
{
    size_t number = 0;
    while (number < fiber_count && fibers[number].state != FREE && fibers[number].state != OVER)
        number++;
    if (number == FIBERS)
        sim_violated("fibers", "too many threads");
    if (number == fiber_count)
        fiber_count++;
    struct fiber *fiber = &fibers[number];
    char *stack = fiber->stack;
    if (!stack) {
        stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (stack == MAP_FAILED || mprotect(stack, GUARD, PROT_NONE) != 0)
            abort();
    }
    *fiber = (struct fiber){
        .state = WAITING, .process = process, .turn = fiber->turn + 1, .run = run, .arg = arg, .stack = stack};
    fiber->name = ++names;
#if defined(__SANITIZE_ADDRESS__)
    __asan_unpoison_memory_region(stack + GUARD, STACK); /* one that was killed has left it as it was */
#endif
    fiber->sp = first_sp(stack + GUARD + STACK);
    wake_at(number, soon());
    return fiber->name;
}

bool fiber_is_over(size_t name)
{
    for (size_t i = 0; i < fiber_count; i++)
        if (fibers[i].name == name)
            return fibers[i].state == OVER || fibers[i].state == FREE;
    return true;
}

void fiber_sleep(uint64_t until)
{
    (void)fiber_wait(NULL, until);
}

bool fiber_wait(const void *key, uint64_t until)
{
    struct fiber *fiber = &fibers[current];
    fiber->turn++;
    fiber->key = key;
    fiber->woken = false;
    fiber->state = WAITING;
    if (until != SIM_NEVER)
        wake_at(current, until);
    to_scheduler(fiber);
    fiber->key = NULL;
    return fiber->woken;
}

void fiber_wake(const void *key, bool all)
{
    size_t waiting = 0, chosen = 0;
    for (size_t i = 0; i < fiber_count; i++)
        waiting += fibers[i].state == WAITING && fibers[i].key == key && !fibers[i].woken;
    if (waiting && !all)
        chosen = sim_below((uint32_t)waiting);
    for (size_t i = 0; i < fiber_count; i++) {
        struct fiber *fiber = &fibers[i];
        if (fiber->state != WAITING || fiber->key != key || fiber->woken || (!all && chosen--))
            continue;
        fiber->woken = true;
        fiber->turn++;
        wake_at(i, soon());
        if (!all)
            break;
    }
}

void fiber_kill(int process)
{
    for (size_t i = 0; i < fiber_count; i++)
        if (fibers[i].process == process) {
            fibers[i].state = FREE;
            fibers[i].turn++;
        }
    frozen_until[process] = 0;
}

void fiber_freeze(int process, uint64_t until)
{
    if (frozen_until[process] < until)
        frozen_until[process] = until;
}
