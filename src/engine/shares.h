/* shares.h - who has how many shares in a job: names and numbers. It does not know what a job is. */
#ifndef ENGINE_SHARES_H
#define ENGINE_SHARES_H

#include <jansson.h>
#include <nqueens.h>

struct share;
struct shares {
    struct share *first; /* one for each name that ever had any */
};

/* One more for a name: one's own, or the one that a name has for all its asking without wanting any, which it may do
 * again and again. False: out of memory, and nothing is changed. */
bool shares_add(struct shares *shares, const char *name, bool own);

/* Gives one back: one that the name has; else one of nobody in particular; and in no name ("") whatever there is.
 * NQ_OK; NQ_END: none is left to give; NQ_DENIED: all there are belong to others. */
enum nq_status shares_return(struct shares *shares, const char *name);

bool shares_any(const struct shares *shares, const char *name); /* that the name has */
unsigned shares_count(const struct shares *shares);             /* of all names */
void shares_clear(struct shares *shares);

/* As members of a job's record: "shares" is the number of all, "joined" and "holders" say whose they are. Reading one
 * that makes no sense leaves them with nobody in particular. False: out of memory. */
bool shares_write(const struct shares *shares, json_t *record);
bool shares_read(struct shares *shares, const json_t *record);

#endif
