/* claim.c - a claim is its mark with a note behind it. */
#include "stores/claim.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timed.h"

void claim_mark(const char owner[static CLAIM_OWNER + 1], uint16_t serial, char mark[static CLAIM_MARK + 1])
{
    (void)snprintf(mark, CLAIM_MARK + 1, "%s%04x", owner, serial);
}

/* Whether another's claim, which was just read, has not been renewed for too long. */
static bool has_lapsed(struct claim *claim, uint64_t renewal)
{
    const uint64_t now = clock_now();
    if (claim->others != renewal || timed_long_ago(claim->looked, QUEUE_LOOK_MS))
        claim->since = now;
    claim->others = renewal;
    claim->looked = now;
    return timed_long_ago(claim->since, QUEUE_CLAIM_MS);
}

/* Whose a claim is: NQ_OK: ours; NQ_DENIED: another's; NQ_AGAIN: another's, which has lapsed, or ours with an earlier
 * number. */
static enum nq_status judge(const struct bytes *text, uint64_t renewal, const char *mark, struct claim *claim,
                            struct bytes *theirs)
{
    const bool named = text->size >= CLAIM_MARK, ours = named && memcmp(text->data, mark, CLAIM_OWNER) == 0;
    claim->ours = ours ? renewal : 0;
    if (ours)
        return memcmp(text->data, mark, CLAIM_MARK) == 0 ? NQ_OK : NQ_AGAIN;
    if (theirs && named)
        bytes_add(theirs, text->data + CLAIM_MARK, text->size - CLAIM_MARK);
    return has_lapsed(claim, renewal) ? NQ_AGAIN : NQ_DENIED;
}

static enum nq_status look(const struct claim_cell *cell, const char *mark, struct claim *claim, struct bytes *theirs)
{
    struct bytes text = {0};
    uint64_t renewal;
    enum nq_status status = cell->read(cell->self, &text, &renewal);
    if (status == NQ_OK)
        status = text.failed ? NQ_NOMEM : judge(&text, renewal, mark, claim, theirs);
    bytes_free(&text);
    return status;
}

/* A text or its acknowledgement may be lost, and a claim may have lapsed: when writing fails, the claim is read. Of
 * several processes that see a lapsed claim, the first replaces exactly that revision. text: it begins with our mark.
 */
static enum nq_status take(const struct claim_cell *cell, const char *text, struct claim *claim, struct bytes *theirs)
{
    if (claim->ours && cell->update(cell->self, text, &claim->ours))
        return NQ_OK;
    if (cell->create(cell->self, text, &claim->ours))
        return NQ_OK;
    const enum nq_status status = look(cell, text, claim, theirs);
    if (status != NQ_AGAIN)
        return status;
    uint64_t revision = claim->ours ? claim->ours : claim->others;
    if (!cell->update(cell->self, text, &revision))
        return claim->ours ? NQ_BROKEN : NQ_DENIED;
    claim->ours = revision;
    return NQ_OK;
}

enum nq_status claim_take(const struct claim_cell *cell, const char owner[static CLAIM_OWNER + 1], const char *note,
                          struct claim *claim, struct bytes *theirs)
{
    assert(strlen(owner) == CLAIM_OWNER);
    struct bytes value = {0};
    char mark[CLAIM_MARK + 1];
    claim_mark(owner, claim->serial, mark);
    bytes_text(&value, mark);
    bytes_text(&value, note);
    char *text = bytes_take(&value);
    const enum nq_status status = text ? take(cell, text, claim, theirs) : NQ_NOMEM;
    free(text);
    return status;
}

enum nq_status claim_check(const struct claim_cell *cell, const char mark[static CLAIM_MARK])
{
    struct bytes text = {0};
    uint64_t revision;
    enum nq_status status = cell->read(cell->self, &text, &revision);
    if (status == NQ_OK && text.size < CLAIM_MARK)
        status = text.failed ? NQ_NOMEM : NQ_NONE;
    else if (status == NQ_OK && memcmp(text.data, mark, CLAIM_MARK) != 0)
        status = NQ_DENIED;
    bytes_free(&text);
    return status;
}
