/* count.c - the public counts: the units of a query, shared out among threads of this call. */
#include <stdlib.h>

#include "base/parallel.h"
#include "base/process.h"
#include "count/counting.h"
#include "library/query.h"

enum { LEAST_TABLES = 1 << 20 };

struct count {
    struct progress progress;
    struct counting *counting;
    struct plan_source source;
    struct method_means means; /* tables: of each term */
    nq_wide *parts;            /* by term */
};

/* Finds the largest tables, and the most threads, that memory allows. */
static enum nq_status fit(struct count *count, size_t memory)
{
    const size_t most = memory < COUNTING_TABLES ? memory : COUNTING_TABLES;
    struct method_means *means = &count->means;
    for (; means->threads; means->threads--)
        for (means->tables = most;; means->tables = means->tables > LEAST_TABLES ? means->tables / 2 : 0) {
            const struct method_memory needs = counting_memory(count->counting, NULL, means->tables);
            if (needs.shared + needs.each * means->threads <= (double)memory)
                return NQ_OK;
            if (!means->tables)
                break;
        }
    return NQ_LIMIT;
}

static enum nq_status count_unit(void *of, size_t unit)
{
    struct count *count = of;
    struct unit_result result = {0};
    const enum nq_status status =
        counting_count(count->counting, unit, METHOD_WHOLE, kernel_find("auto"), &count->progress.stop, &result);
    pthread_mutex_lock(&count->progress.lock);
    count->parts[counting_term(count->counting, unit)] += result.parts;
    pthread_mutex_unlock(&count->progress.lock);
    return progress_unit(&count->progress, counting_weight(count->counting, unit), status);
}

static enum nq_status count_all(struct count *count)
{
    count->source = plan_source_alone(&count->means);
    const enum nq_status status = counting_prepare(count->counting, NULL, &count->source, &count->progress.stop);
    if (status != NQ_OK)
        return status; /* without plans units have no weight */
    const struct parallel_units units = {
        .count = counting_units(count->counting), .make = count_unit, .of = count, .stop = &count->progress.stop};
    for (size_t unit = 0; unit < units.count; unit++)
        count->progress.whole += counting_weight(count->counting, unit);
    return parallel_units(count->means.threads, &units);
}

static enum nq_status count_query(const struct query *query, const struct nq_count_settings *settings, uint64_t *out)
{
    struct count count = {.means.threads = settings->threads ? settings->threads : process_processors()};
    const size_t memory = settings->memory ? settings->memory : SIZE_MAX;
    count.means.threads = count.means.threads < PARALLEL_MOST ? count.means.threads : PARALLEL_MOST;
    progress_begin(&count.progress, settings->progress, settings->context);
    enum nq_status status = counting_open(query, &count.progress.stop, &count.counting);
    if (status != NQ_OK) {
        progress_end(&count.progress);
        return status;
    }
    count.parts = calloc(counting_terms(count.counting) + 1, sizeof *count.parts);
    status = count.parts ? fit(&count, memory) : NQ_NOMEM;
    if (status == NQ_OK)
        status = count_all(&count);
    progress_end(&count.progress);
    nq_wide total;
    if (status == NQ_OK && !counting_sum(count.counting, count.parts, &total))
        status = NQ_AGAIN; /* no count comes to that, so this machine is wrong */
    if (status == NQ_OK) {
        *out = (uint64_t)total;
        status = total == *out ? NQ_OK : NQ_LIMIT;
    }
    counting_close(count.counting);
    free(count.parts);
    return status;
}

enum nq_status nq_count_query(const struct nq_query *query, const struct nq_count_settings *settings, uint64_t *count)
{
    static const struct nq_count_settings presets = {0};
    struct query its;
    library_query(query, &its);
    return count_query(&its, settings ? settings : &presets, count);
}

enum nq_status nq_count(uint32_t n, uint64_t *count)
{
    static const struct nq_count_settings alone = {.threads = 1};
    struct query query = {0};
    if (n > NQ_KNOWN_MAX_N)
        return NQ_LIMIT;
    filter_begin(&query.filter, n);
    return count_query(&query, &alone, count);
}
