/* suspension.c - a request is suspended, and woken by the engine or the watcher. */
#include "http/reply/suspension.h"

#include <assert.h>

void suspension_begin(struct request *request, enum task task, enum MHD_Result (*resumed)(struct request *request))
{
    request_end_task(request);
    assert(request->task == TASK_NONE && task != TASK_NONE);
    request->stage = STAGE_WAITING;
    request->resumed = resumed;
    request->task = task;
    MHD_suspend_connection(request->mhd);
}

void suspension_watch(struct request *request, struct cancellable *cancellable, unsigned seconds)
{
    if (!cancellable)
        request_wake(request);
    else if (!connection_watch(request->connection, cancellable, seconds))
        cancellable->dismiss(cancellable, NQ_BUSY);
}
