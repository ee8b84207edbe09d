/* signals.h - the signals that a process of ours waits for, and those that must not end it. */
#ifndef SIGNALS_H
#define SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* Those that end the process; and with them those too that some send out of habit, and that must not. */
sigset_t signals_ending(void);
sigset_t signals_all(void);

/* From now on signals are blocked in every thread, and waited for in this one. A client that is gone and a file that
 * may not grow are errors where they are met. */
void signals_take(void);

/* While it starts nobody was told anything yet: it may end at once, even if the disk hangs. Only while it makes no
 * thread, which would have the same mask. */
void signals_may_end(bool now);

#endif
