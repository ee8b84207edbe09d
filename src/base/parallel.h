/* parallel.h - one function on several threads, until all return. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

/* Calls run(context) on so many threads at once, or on fewer if no more can be started, the calling one among them, and
 * returns when all have returned. The threads have the caller's priority. run divides the work. */
void parallel_run(unsigned threads, void (*run)(void *context), void *context);

#endif
