/* fuzz_nearest.c - names of any bytes, one a line: each against the other lines as a list, and against the parameters
 * of a route. What is found is a name of the list, the same each time; a name of letters and digits finds itself; the
 * distance is a distance. */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/nearest.h"
#include "fuzz.h"

enum { LINES = 8, LETTERS_MAX = 63 };

struct lines {
    char *text[LINES];
    size_t count;
};

static const char *line_of(const void *list, size_t i)
{
    const struct lines *lines = list;
    return i < lines->count ? lines->text[i] : NULL;
}

static const char *parameter_of(const void *list, size_t i)
{
    return ((const char *const *)list)[i];
}

static bool is_of(const struct lines *lines, const char *name)
{
    for (size_t i = 0; i < lines->count; i++)
        if (lines->text[i] == name)
            return true;
    return false;
}

static bool is_plain(const char *name)
{
    size_t size = 0;
    for (; name[size]; size++)
        if (!isalnum((unsigned char)name[size]))
            return false;
    return size > 0 && size <= LETTERS_MAX;
}

static void check_distance(const char *a, const char *b)
{
    const size_t apart = names_distance(a, b), p = strlen(a), q = strlen(b);
    REQUIRE(apart == names_distance(b, a));
    if (p > LETTERS_MAX || q > LETTERS_MAX)
        return;
    REQUIRE((apart == 0) == (strcmp(a, b) == 0));
    REQUIRE(apart <= (p > q ? p : q) && apart >= (p > q ? p - q : q - p));
}

static void check_name(const struct lines *lines, const char *name)
{
    static const char *const parameters[] = {"n", "algorithm", "method", "limit", "offset", "place", "/puzzle", NULL};
    const char *found = names_nearest(name, line_of, lines);
    REQUIRE(!found || is_of(lines, found));
    REQUIRE(found == names_nearest(name, line_of, lines));
    REQUIRE(!is_plain(name) || found);
    (void)names_nearest(name, parameter_of, parameters);
    for (size_t i = 0; i < lines->count; i++)
        check_distance(name, lines->text[i]);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data, *end = text + size;
    struct lines lines = {.count = 0};
    while (text < end && lines.count < LINES) {
        const char *feed = memchr(text, '\n', (size_t)(end - text)), *stop = feed ? feed : end;
        lines.text[lines.count++] = fuzz_text(text, (size_t)(stop - text));
        text = feed ? feed + 1 : end;
    }
    for (size_t i = 0; i < lines.count; i++)
        check_name(&lines, lines.text[i]);
    for (size_t i = 0; i < lines.count; i++)
        free(lines.text[i]);
    return 0;
}
