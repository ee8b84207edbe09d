/* tests.c - the main of a room's tests: `ROOM [--list] [GROUP | GROUP/TEST]...`. Each group, which has
 * the name of its file, runs in a process of its own: so none finds what another left, and one that crashes is one
 * failure. If only one is asked for, it runs in this process, where a debugger finds it. */
#include "support/waits.h"

#include <fnmatch.h>
#include <math.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { GROUPS_MAX = 60, TESTS_MAX = 100 };

static struct group {
    const char *file;
    char name[64];
    CMFixtureFunction setup, teardown;
    struct CMUnitTest tests[TESTS_MAX];
    size_t count;
} groups[GROUPS_MAX];
static size_t group_count;

/* Of ".../test_pool.c" the name is "pool". */
static struct group *group_of(const char *file)
{
    for (size_t i = 0; i < group_count; i++)
        if (strcmp(groups[i].file, file) == 0)
            return &groups[i];
    if (group_count == GROUPS_MAX)
        abort();
    const char *slash = strrchr(file, '/'), *name = slash ? slash + 1 : file;
    if (strncmp(name, "test_", 5) == 0)
        name += 5;
    struct group *group = &groups[group_count++];
    group->file = file;
    (void)snprintf(group->name, sizeof group->name, "%.*s", (int)strcspn(name, "."), name);
    return group;
}

void tests_add(const char *file, struct CMUnitTest test)
{
    struct group *group = group_of(file);
    if (group->count == TESTS_MAX)
        abort();
    group->tests[group->count++] = test;
}

void tests_group(const char *file, CMFixtureFunction setup, CMFixtureFunction teardown)
{
    struct group *group = group_of(file);
    group->setup = setup;
    group->teardown = teardown;
}

/* Leaves out the tests that no pattern selects: "pool" selects all of a group, "pool/test_order" one test, and each may
 * have wildcards. Returns whether any is left. */
static bool group_select(struct group *group, int count, char **patterns)
{
    size_t kept = 0;
    for (size_t i = 0; i < group->count; i++) {
        char name[160];
        (void)snprintf(name, sizeof name, "%s/%s", group->name, group->tests[i].name);
        bool selected = count == 0;
        for (int k = 0; k < count; k++)
            selected |= fnmatch(patterns[k], group->name, 0) == 0 || fnmatch(patterns[k], name, 0) == 0;
        if (selected)
            group->tests[kept++] = group->tests[i];
    }
    group->count = kept;
    return kept > 0;
}

static int group_run(const struct group *group)
{
    /* The function, as the macro takes only an array. */
    return _cmocka_run_group_tests(group->name, group->tests, group->count, group->setup, group->teardown);
}

/* A line of TAP for a group that did not come to its end; its failed tests have theirs. */
static bool group_forked(const struct group *group)
{
    int status;
    (void)fflush(NULL);
    const pid_t child = fork();
    if (child == 0)
        exit(group_run(group) != 0);
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    if (WIFSIGNALED(status))
        printf("not ok - %s: ended by signal %d, %s\n", group->name, WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WEXITSTATUS(status) > 1)
        printf("not ok - %s: ended with status %d\n", group->name, WEXITSTATUS(status));
    return status == 0;
}

int main(int arguments, char **argument)
{
    const bool list = arguments > 1 && strcmp(argument[1], "--list") == 0;
    const int first = list ? 2 : 1;
    struct group *selected[GROUPS_MAX];
    size_t count = 0;
    bool passed = true;
    for (size_t i = 0; i < group_count; i++)
        if (group_select(&groups[i], arguments - first, argument + first))
            selected[count++] = &groups[i];
    for (size_t i = 0; i < count && list; i++)
        (void)puts(selected[i]->name);
    if (list)
        return 0;
    if (!count) {
        (void)fputs("no test has such a name; --list lists the groups\n", stderr);
        return 2;
    }
    if (count == 1)
        return group_run(selected[0]) != 0;
    for (size_t i = 0; i < count; i++)
        passed &= group_forked(selected[i]);
    return !passed;
}

void assert_close(double number, double expected, double tolerance)
{
    if (!(fabs(number - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", number, expected);
}

uint64_t tests_patience(void)
{
    const char *measured = getenv("NQ_PATIENCE");
    return measured ? strtoull(measured, NULL, 10) : 1;
}

void asking_pause(void)
{
    const struct timespec moment = {.tv_nsec = 200000};
    (void)nanosleep(&moment, NULL);
}
