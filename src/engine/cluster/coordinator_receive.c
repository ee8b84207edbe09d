/* coordinator_receive.c - each message by its topic: workers, and their reports. */
#include "engine/cluster/coordinator_receive.h"

#include "engine/cluster/audits.h"

/* A report of more seconds than that for a unit is not used to estimate others. */
enum { CREDIBLE_S = 1000000 };

static void on_counted(struct shared_count *shared, size_t unit, const struct report_message *message)
{
    const double weight = shared_count_settle(shared, unit);
    if (shared->class->over(shared->who, unit))
        return;                                                                /* another worker was faster */
    if (weight > 0 && message->seconds > 0 && message->seconds < CREDIBLE_S) { /* one found in the store took none */
        shared->weight_back += weight;
        shared->seconds_back += message->seconds;
        shared->reports++;
    }
    audits_begin(shared, unit, message->parts, message->worker);
    shared->class->adopt(shared->who, unit, message->parts, message->nodes);
    lock_take(&shared->home->lock);
    shared->home->stats.units++;
    lock_release(&shared->home->lock);
}

static void on_report(struct shared_count *shared, const struct report_message *message)
{
    size_t unit;
    if (!shared->begun || !shared->class->find(shared->who, &message->place, &unit))
        return;
    switch (message->report) {
    case MESSAGE_COUNTED: on_counted(shared, unit, message); break;
    case MESSAGE_CHECKED: audits_check(shared, unit, message->parts, message->worker); break;
    case MESSAGE_DIFFERS: audits_disagree(shared, &message->place, message->worker, "the store"); break;
    }
}

void coordinator_receive(struct coordinator *coordinator, const struct queue_message *message)
{
    struct worker_message worker;
    struct report_message report;
    const char *text = message->text.data;
    const size_t size = message->text.size;
    if (message->topic == QUEUE_WORKER) {
        if (worker_message_read(&worker, text, size) == NQ_OK)
            workers_receive(coordinator, message->id, &worker);
        return;
    }
    struct shared_count *shared = coordinator_find(coordinator, message->id); /* only this thread frees one */
    if (!shared || !shared_count_enter(shared))
        return;
    if (message->topic == QUEUE_REPORT && report_message_read(&report, text, size) == NQ_OK)
        on_report(shared, &report);
    shared_count_leave(shared);
}
