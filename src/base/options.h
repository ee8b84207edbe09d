/* options.h - the options of a command: names and values in turns, read by a table. It does not know what they mean;
 * the settings of `serve`, which are environment variables, too, have a table of their own. */
#ifndef BASE_OPTIONS_H
#define BASE_OPTIONS_H

#include <stdbool.h>

/* An option has one of these values: a whole number from `least` to `most`; text; or what `read` stores in `to`, unless
 * it returns false: the value is not `form`. */
struct command_option {
    const char *name; /* with the dashes; NULL ends a table */
    unsigned long *number, least, most;
    const char **text;
    bool (*read)(const char *value, void *to);
    void *to;
    const char *form;
};

/* Reads arguments[0..count). False, with a sentence on standard error that names the command: one is not an option, or
 * has no value, or a wrong one. */
bool options_read(const char *command, const struct command_option *table, int count, char **arguments);

/* Whether a list such as "a|b|c" has a word. */
bool options_has(const char *list, char separator, const char *word);

/* Whether a word asks for help. */
bool options_help(const char *word);

#endif
