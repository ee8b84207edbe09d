/* claim.h - who has a work: every process that wants it replaces one text, which has a revision. It does not know where
 * that text is kept. */
#ifndef STORES_CLAIM_H
#define STORES_CLAIM_H

#include "base/bytes.h"
#include "base/status.h"

/* Milliseconds: a claim has lapsed for a process that has not seen it renewed for QUEUE_CLAIM_MS, and that has looked
 * at least every QUEUE_LOOK_MS. While there is no broker no claim lapses. */
enum { QUEUE_CLAIM_MS = 4000, QUEUE_LOOK_MS = 2000 };

/* A claim begins with its owner's name and a number that the owner chooses, its mark. */
enum { CLAIM_OWNER = 16, CLAIM_MARK = CLAIM_OWNER + 4 };
void claim_mark(const char owner[static CLAIM_OWNER + 1], uint16_t serial, char mark[static CLAIM_MARK + 1]);

/* A work as a process that wants it sees it; all is 0 before the first time. */
struct claim {
    uint64_t ours;                  /* the last renewal; 0: none */
    uint64_t others, since, looked; /* another's, seen from when to when, clock_now() */
    uint16_t serial;                /* of ours */
};

/* Where the text is kept. */
struct claim_cell {
    void *self;
    /* Write the text if there is none, or in place of the one of exactly that revision; *revision is the new one then.
     * False: nothing was written, or nobody knows. */
    bool (*create)(void *self, const char *text, uint64_t *revision);
    bool (*update)(void *self, const char *text, uint64_t *revision);
    /* Appends the text. NQ_OK, NQ_NONE, or another status: it cannot be read now. */
    enum nq_status (*read)(void *self, struct bytes *text, uint64_t *revision);
};

/* Claims a work or renews the claim, with a note that others can read. NQ_OK: it is ours, with our mark; NQ_DENIED: it
 * is another's, whose note is appended to theirs, if that is not NULL; NQ_NONE: it could not be written though there is
 * none; NQ_BROKEN: nor though it is ours; NQ_NOMEM, or what reading came to. */
enum nq_status claim_take(const struct claim_cell *cell, const char owner[static CLAIM_OWNER + 1], const char *note,
                          struct claim *claim, struct bytes *theirs);

/* Whether a claim has that mark: NQ_OK; NQ_DENIED: another one; NQ_NONE: there is none; or what reading came to. */
enum nq_status claim_check(const struct claim_cell *cell, const char mark[static CLAIM_MARK]);

#endif
