/* tests.c - runs the tests that TEST has registered, in a group named after the program. */
#include "support/tests.h"

#include <math.h>

enum { TESTS_MAX = 100 };

static struct CMUnitTest registered[TESTS_MAX];
static size_t count;

void tests_add(struct CMUnitTest test)
{
    if (count == TESTS_MAX)
        abort();
    registered[count++] = test;
}

int main(int arguments, char **argument)
{
    const char *slash = arguments ? strrchr(argument[0], '/') : NULL;
    return _cmocka_run_group_tests(slash ? slash + 1 : "tests", registered, count, NULL, NULL); /* no array: no macro */
}

void assert_close(double number, double expected, double tolerance)
{
    if (!(fabs(number - expected) <= tolerance))
        fail_msg("%.17g is not %.17g", number, expected);
}
