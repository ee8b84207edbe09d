/* unit_lists.c - what the units of a count that is done came to, as the store has it. Nothing is counted. */
#include <stdlib.h>

#include "count/counting.h"
#include "engine/journal/journal.h"
#include "engine/units/units.h"

struct unit_lists {
    struct work work;
    const struct question *question;
    struct journal *journal;
    struct counting *counting; /* NULL: the first slice makes it */
    size_t term;               /* that comes next */
    bool found;
    struct bytes body;
};

static enum nq_status read_list(struct unit_lists *lists, const char *name, const atomic_bool *stop)
{
    char *key = units_list_key(name);
    if (!key)
        return NQ_NOMEM;
    const enum nq_status status =
        journal_get(lists->journal, STORE_RESULT, key, units_deadline(&lists->work, stop), &lists->body);
    free(key);
    lists->found |= status == NQ_OK;
    if (status == NQ_NONE)
        bytes_format(&lists->body, "# not stored: %s\n", name);
    return status == NQ_NONE ? NQ_OK : status;
}

static enum nq_status add_term(struct unit_lists *lists, const atomic_bool *stop)
{
    struct bytes name = {0};
    counting_name(lists->counting, lists->term, &name);
    char *text = bytes_take(&name);
    const enum nq_status status = text ? read_list(lists, text, stop) : NQ_NOMEM;
    free(text);
    lists->term++;
    if (status != NQ_BROKEN && status != NQ_TIMEOUT)
        return status;
    fault_write(&lists->work.fault, UNCODED, NULL, "The store does not answer. Try again later.");
    return NQ_TIMEOUT;
}

static enum nq_status unit_lists_slice(struct work *work, const struct slice *slice, const atomic_bool *stop)
{
    struct unit_lists *lists = (struct unit_lists *)work;
    const struct count_question *asked = &lists->question->count;
    enum nq_status status = NQ_OK;
    if (asked->indexed || asked->statistic || lists->question->shape.rows)
        return NQ_OK; /* their units have other results */
    if (!lists->counting)
        status = counting_open(&lists->question->query, stop, &lists->counting);
    while (status == NQ_OK && lists->term < counting_terms(lists->counting)) {
        status = add_term(lists, stop);
        if (status == NQ_OK && clock_now() >= slice->deadline)
            return NQ_AGAIN;
    }
    return status;
}

static enum nq_status unit_lists_finish(struct work *work, struct answer **answer)
{
    struct unit_lists *lists = (struct unit_lists *)work;
    if (!lists->found)
        lists->body.size = 0;
    return work_answered(&lists->body, lists->question, answer);
}

static void unit_lists_close(struct work *work)
{
    struct unit_lists *lists = (struct unit_lists *)work;
    bytes_free(&lists->body);
    if (lists->counting)
        counting_close(lists->counting);
    free(lists);
}

enum nq_status work_unit_lists(const struct question *question, const struct tools *tools, struct work **work)
{
    static const struct work_class class = {
        .slice = unit_lists_slice, .finish = unit_lists_finish, .close = unit_lists_close};
    struct unit_lists *lists = work_new(sizeof *lists, &class);
    if (!lists)
        return NQ_NOMEM;
    lists->question = question;
    lists->journal = tools->journal;
    *work = &lists->work;
    return NQ_OK;
}
