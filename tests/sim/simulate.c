/* simulate.c - the command: each scenario in a process of its own, as many at a time as there are processors. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/json.h"
#include "base/process.h"
#include "base/random.h"
#include "run.h"
#include "shrink.h"
#include "sim.h"

enum { KIND = 16, TEXT = 400, SHOWN = 3, KEPT_SCHEDULES = 100 };

/* What a run came to, in memory that it shares with who began it. */
struct outcome {
    char kind[KIND]; /* "": nothing was violated */
    char text[TEXT];
    struct run_stats stats;
};

bool sim_traced;
static struct outcome *outcome;
static struct random generator;

/* ---- For the run ---- */

void sim_seed(uint64_t seed)
{
    generator = random_begin(seed, 1);
}

uint32_t sim_below(uint32_t bound)
{
    return random_below(&generator, bound);
}

uint64_t sim_between(uint64_t least, uint64_t most)
{
    return least + random_below_wide(&generator, most - least + 1);
}

bool sim_chance(double probability)
{
    return probability > 0 && random_word(&generator) < probability * 0x1p32;
}

void sim_trace(const char *format, ...)
{
    va_list args;
    if (!sim_traced)
        return;
    printf("%10.4f s ", (double)sim_now() / (double)SIM_SECOND);
    if (sim_process() == SIM_NOBODY)
        printf("   ");
    else
        printf("%2d ", sim_process());
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    putchar('\n');
}

void sim_violated(const char *kind, const char *format, ...)
{
    va_list args;
    (void)snprintf(outcome->kind, sizeof outcome->kind, "%s", kind);
    va_start(args, format);
    (void)vsnprintf(outcome->text, sizeof outcome->text, format, args);
    va_end(args);
    sim_trace("VIOLATED %s: %s", outcome->kind, outcome->text);
    (void)fflush(stdout);
    _exit(0);
}

/* ---- For the command ---- */

static void run_apart(const struct scenario *scenario, bool traced)
{
    int status;
    *outcome = (struct outcome){.kind = "crash", .text = "the process died"};
    (void)fflush(stdout);
    const pid_t child = fork();
    if (child == 0) {
        sim_traced = traced;
        if (traced)
            (void)setvbuf(stdout, NULL, _IOLBF, 0); /* it may crash */
        outcome->kind[0] = '\0';
        outcome->stats = run_scenario(scenario);
        (void)fflush(stdout);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        exit(2);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        (void)snprintf(outcome->kind, sizeof outcome->kind, "crash");
}

static bool fails(const struct scenario *scenario, const char *kind)
{
    run_apart(scenario, false);
    return strcmp(outcome->kind, kind) == 0;
}

static void print(const struct scenario *scenario)
{
    char text[SCENARIO_TEXT];
    scenario_write(scenario, text);
    printf("%s\n", text);
}

/* Shows the simplest scenario that fails like this one, and its trace. */
static void explain(struct scenario *scenario)
{
    char kind[KIND];
    memcpy(kind, outcome->kind, sizeof kind);
    shrink(scenario, kind, fails);
    run_apart(scenario, true);
    print(scenario);
}

static struct totals {
    unsigned failed, seeds;
    uint64_t steps, late[8];
} * totals; /* of each process */

static void note(struct totals *all)
{
    unsigned slot = 0;
    while (slot < 7 && outcome->stats.late_ms >= 1000u << slot)
        slot++;
    all->late[slot]++;
    all->steps += outcome->stats.steps;
    all->seeds++;
}

static void run_seeds(unsigned first, unsigned last, unsigned by, struct totals *all)
{
    for (unsigned seed = first; seed <= last; seed += by) {
        struct scenario scenario;
        scenario_draw(seed, &scenario);
        run_apart(&scenario, false);
        if (!*outcome->kind) {
            note(all);
            continue;
        }
        printf("seed %u: %s: %s\n", seed, outcome->kind, outcome->text);
        if (all->failed++ < SHOWN && !getenv("SIM_BRIEF"))
            explain(&scenario);
    }
}

static struct totals *shared_memory(size_t size)
{
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        exit(2);
    return memory;
}

static int run_all_seeds(unsigned first, unsigned last)
{
    enum { MOST = 64 };
    const unsigned processors = process_processors(), by = processors > MOST ? MOST : processors;
    struct totals sum = {0};
    totals = shared_memory(MOST * sizeof *totals);
    for (unsigned i = 0; i < by; i++)
        if (fork() == 0) {
            outcome = (struct outcome *)shared_memory(sizeof *outcome);
            run_seeds(first + i, last, by, &totals[i]);
            exit(0);
        }
    while (wait(NULL) > 0)
        continue;
    for (unsigned i = 0; i < by; i++) {
        sum.failed += totals[i].failed;
        sum.seeds += totals[i].seeds;
        sum.steps += totals[i].steps;
        for (int slot = 0; slot < 8; slot++)
            sum.late[slot] += totals[i].late[slot];
    }
    printf("# %u passed, %u failed, %llu steps; answered so long after faults and counting:", sum.seeds, sum.failed,
           (unsigned long long)sum.steps);
    for (int slot = 0; slot < 8; slot++)
        printf(" <%ds %llu", 1 << slot, (unsigned long long)sum.late[slot]);
    printf("\n%sok 1 - seeds %u to %u\n1..1\n", sum.failed || !sum.seeds ? "not " : "", first, last);
    return sum.failed || !sum.seeds;
}

/* Each line: a name, a colon, a scenario; # begins a comment. */
static int run_kept(const char *path)
{
    char line[SCENARIO_TEXT];
    int failed = 0, number = 0;
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        struct scenario scenario;
        char *text = strstr(line, ": ");
        if (*line == '#' || *line == '\n')
            continue;
        if (!text || !scenario_read(text + 2, &scenario)) {
            printf("not ok %d - a line that is no scenario: %s", ++number, line);
            failed++;
            continue;
        }
        *text = '\0';
        bool sound = true;
        for (unsigned i = 0; i < KEPT_SCHEDULES && sound; i++, scenario.seed++) {
            run_apart(&scenario, false);
            sound = !*outcome->kind;
        }
        printf("%sok %d - %s\n", sound ? "" : "not ", ++number, line);
        if (!sound)
            printf("# seed %u: %s: %s\n", scenario.seed - 1, outcome->kind, outcome->text);
        failed += !sound;
    }
    if (file)
        (void)fclose(file);
    printf("1..%d\n", number);
    return failed || !number;
}

int main(int argc, char **argv)
{
    struct scenario scenario;
    unsigned first, last;
    json_object_seed(1);
    json_begin();
    outcome = (struct outcome *)shared_memory(sizeof *outcome);
    if (argc == 3 && strcmp(argv[1], "--seeds") == 0 && sscanf(argv[2], "%u-%u", &first, &last) == 2)
        return run_all_seeds(first, last);
    if (argc == 3 && strcmp(argv[1], "--kept") == 0)
        return run_kept(argv[2]);
    if (argc == 3 && strcmp(argv[1], "--scenario") == 0 && scenario_read(argv[2], &scenario)) {
        run_apart(&scenario, true);
        return *outcome->kind != '\0';
    }
    (void)fprintf(stderr, "usage: simulate --seeds A-B | --kept FILE | --scenario LINE\n");
    return 2;
}
