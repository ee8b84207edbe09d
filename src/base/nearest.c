/* nearest.c - the table of aliases, and the distance of Levenshtein. */
#include "base/nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Names that other programs and people have for parameters, members and routes, plain (see plain()). Each stands for
 * the first of its meanings that the list has. */
static const struct {
    const char *alias, *meanings[3];
} aliases[] = {
    {"size", {"n"}},
    {"queens", {"n"}},
    {"boardsize", {"n"}},
    {"num", {"n"}},
    {"dimension", {"n"}},
    {"difficulty", {"level"}},
    {"grade", {"level"}},
    {"algo", {"algorithm", "method"}},
    {"solver", {"algorithm", "method"}},
    {"fixed", {"place"}},
    {"placed", {"place"}},
    {"blocked", {"exclude"}},
    {"forbidden", {"exclude"}},
    {"holes", {"exclude"}},
    {"letters", {"regions"}},
    {"colors", {"regions"}},
    {"colours", {"regions"}},
    {"max", {"limit"}},
    {"perpage", {"limit"}},
    {"pagesize", {"limit"}},
    {"skip", {"offset"}},
    {"page", {"offset"}},
    {"random", {"sample", "seed"}},
    {"unique", {"distinct"}},
    {"fundamental", {"distinct"}},
    {"type", {"format", "kind"}},
    {"fmt", {"format"}},
    {"ordering", {"order"}},
    {"output", {"format"}},
    {"date", {"daily"}},
    {"language", {"lang"}},
    {"zerobased", {"base"}},
    {"oneindexed", {"base"}},
    {"nqueens", {"/solve"}},
    {"solutions", {"/solve"}},
    {"list", {"/solve"}},
    {"check", {"/verify"}},
    {"validate", {"/verify"}},
    {"generate", {"/puzzle", "/construct"}},
    {"daily", {"/puzzle"}},
    {"game", {"/puzzle"}},
    {"steps", {"/trace"}},
    {"animate", {"/trace"}},
    {"benchmark", {"/compare"}},
    {"swagger", {"/openapi.yaml"}},
    {"swaggerjson", {"/openapi.json"}},
    {"openapi", {"/openapi.yaml"}},
    {"apidocs", {"/docs"}},
    {"redoc", {"/docs"}},
};

enum { NAME_MOST = 64 };

/* How many letters must be replaced, added or removed to make one name of the other: Levenshtein, Binary codes capable
 * of correcting deletions, insertions, and reversals (1966). */
size_t names_distance(const char *a, const char *b)
{
    size_t row[NAME_MOST];
    const size_t width = strlen(b);
    if (width >= NAME_MOST || strlen(a) >= NAME_MOST)
        return NAME_MOST;
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1]; i++) {
        size_t corner = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t replaced = corner + (a[i - 1] != b[j - 1]), added = row[j - 1] + 1, removed = row[j] + 1;
            const size_t least = added < removed ? added : removed;
            corner = row[j];
            row[j] = replaced < least ? replaced : least;
        }
    }
    return row[width];
}

/* Letters and digits of a name, small. False: it is longer than any name. */
static bool plain(const char *name, char text[static NAME_MOST])
{
    size_t size = 0;
    for (; *name; name++) {
        if (!isalnum((unsigned char)*name))
            continue;
        if (size == NAME_MOST - 1)
            return false;
        text[size++] = (char)tolower((unsigned char)*name);
    }
    text[size] = '\0';
    return true;
}

/* The name of the list that has these plain letters, or is the nearest within `most`; NULL: none. */
static const char *find_like(const char *letters, size_t most, name_at at, const void *list)
{
    const char *nearest = NULL, *name;
    char known[NAME_MOST] = "";
    for (size_t i = 0; (name = at(list, i)); i++) {
        const size_t apart = plain(name, known) ? names_distance(letters, known) : SIZE_MAX;
        if (apart > most || (nearest && apart == most))
            continue;
        nearest = name;
        most = apart;
    }
    return nearest;
}

static const char *find_alias(const char *letters, name_at at, const void *list)
{
    for (size_t i = 0; i < sizeof aliases / sizeof aliases[0]; i++) {
        if (strcmp(aliases[i].alias, letters) != 0)
            continue;
        const char *const *meaning = aliases[i].meanings, *name;
        for (size_t k = 0; k < sizeof aliases[i].meanings / sizeof meaning[0] && meaning[k]; k++)
            for (size_t j = 0; (name = at(list, j)); j++)
                if (strcmp(name, meaning[k]) == 0)
                    return name;
    }
    return NULL;
}

const char *names_nearest(const char *name, name_at at, const void *list)
{
    char letters[NAME_MOST];
    if (!plain(name, letters) || !*letters)
        return NULL;
    const char *found = find_like(letters, 0, at, list);
    if (!found)
        found = find_alias(letters, at, list);
    return found ? found : find_like(letters, strlen(letters) / 3, at, list);
}
