/* journal_barriers.c - calls back when facts are stored, or cannot be. */
#include "engine/journal/journal_barriers.h"

#include <stdlib.h>

void barriers_notify(struct journal *journal, enum nq_status rest)
{
    lock_assert(&journal->lock);
    struct barrier *ready = NULL;
    for (struct barrier **at = &journal->barriers; *at;) {
        struct barrier *barrier = *at;
        barrier->status = journal->gone < barrier->put ? rest : NQ_OK;
        if (barrier->status == NQ_AGAIN) {
            at = &barrier->next;
            continue;
        }
        *at = barrier->next;
        barrier->next = ready;
        ready = barrier;
    }
    if (!ready)
        return;
    lock_release(&journal->lock);
    while (ready) {
        struct barrier *barrier = ready;
        ready = barrier->next;
        barrier->notify(barrier->who, barrier->status);
        free(barrier);
    }
    lock_take(&journal->lock);
}

bool journal_notify(struct journal *journal, journal_barrier notify, void *who)
{
    struct barrier *barrier = malloc(sizeof *barrier);
    if (!barrier)
        return false;
    lock_take(&journal->lock);
    const bool stored = journal->gone == journal->put;
    const bool at_once =
        stored || journal->stats.broken || journal->ended || journal->abandoned || journal_silent(journal, SILENT_MS);
    *barrier = (struct barrier){.next = journal->barriers, .put = journal->put, .notify = notify, .who = who};
    if (!at_once)
        journal->barriers = barrier;
    pthread_cond_signal(&journal->news);
    lock_release(&journal->lock);
    if (at_once) {
        free(barrier);
        notify(who, stored ? NQ_OK : NQ_BROKEN);
    }
    return true;
}
