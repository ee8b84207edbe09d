/* parallel.h - several threads at one thing, for as long as it takes. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

/* Calls run(context) on so many threads at once, or on fewer where there are none to be had, the calling one among
 * them, and returns when all have returned. The threads have the caller's priority. run is to share out the work. */
void parallel_run(unsigned threads, void (*run)(void *context), void *context);

#endif
