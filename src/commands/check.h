/* check.h - `nqueensd serve --check`: whether a server would start with these settings. */
#ifndef COMMANDS_CHECK_H
#define COMMANDS_CHECK_H

#include "commands/config.h"

/* Takes the word --check out of the arguments. Returns whether it was there. */
bool check_take(int *count, char **arguments);

/* Looks at everything that the settings name, and changes nothing: it opens no store, no port and no connection.
 * Prints every fault on standard error, or that the configuration is sound on standard output. Returns the exit status:
 * 0, or 2. */
int check_config(const struct config *config);

#endif
