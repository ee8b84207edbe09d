/* options.c - finds the row of each option, and reads its value. */
#include "base/options.h"

#include <stdio.h>
#include <string.h>

#include "base/wide.h"

static bool read_number(const struct command_option *option, const char *value)
{
    nq_wide number;
    if (!wide_read(value, value + strlen(value), &number) || number < option->least || number > option->most)
        return false;
    *option->number = (unsigned long)number;
    return true;
}

/* False, with a sentence. */
static bool read_value(const char *command, const struct command_option *option, const char *value)
{
    if (option->text) {
        *option->text = value;
        return true;
    }
    if (option->number ? read_number(option, value) : option->read(value, option->to))
        return true;
    fprintf(stderr, "nqueensd %s: %s: '%s' is not ", command, option->name, value);
    if (option->number)
        fprintf(stderr, "a whole number from %lu to %lu\n", option->least, option->most);
    else
        fprintf(stderr, "%s\n", option->form);
    return false;
}

bool options_read(const char *command, const struct command_option *table, int count, char **arguments)
{
    for (int i = 0; i < count; i += 2) {
        const struct command_option *option = table;
        while (option->name && strcmp(option->name, arguments[i]) != 0)
            option++;
        if (!option->name || i + 1 == count) {
            fprintf(stderr, "nqueensd %s: %s %s; --help lists them\n", command, arguments[i],
                    option->name ? "needs a value" : "is not an option");
            return false;
        }
        if (!read_value(command, option, arguments[i + 1]))
            return false;
    }
    return true;
}

bool options_help(const char *word)
{
    return strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 || strcmp(word, "help") == 0;
}

bool options_has(const char *list, char separator, const char *word)
{
    const char separators[] = {separator, '\0'};
    const size_t size = strlen(word);
    for (const char *at = list; *at; at += strspn(at, separators)) {
        const size_t length = strcspn(at, separators);
        if (length == size && strncmp(at, word, size) == 0)
            return true;
        at += length;
    }
    return false;
}
