/* newkey.h - `nqueensd new-key`: makes a key. */
#ifndef NEWKEY_H
#define NEWKEY_H

/* arguments: a name, and what its holder may have, as in the file. Prints the line for the file on standard output, and
 * the key, which is not known anywhere else, on standard error: `nqueensd new-key NAME >>FILE`. Returns the exit
 * status: 0; 1, there was no key to be had; 2, these are no name and no budget. */
int newkey_run(int count, char **arguments);

#endif
