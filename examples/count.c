/* count.c - how many ways there are to complete a board, by a rule, on all processors; progress is shown while it
 * counts. */
#include <inttypes.h>
#include <nqueens.h>
#include <stdio.h>
#include <stdlib.h>

static bool show(void *context, double done)
{
    (void)context;
    fprintf(stderr, "\r%3.0f %%", 100 * done);
    return true; /* false would cancel the count */
}

static void must(enum nq_status status)
{
    if (status == NQ_OK)
        return;
    fprintf(stderr, "count: %s\n", nq_status_text(status));
    exit(1);
}

int main(int argc, char **argv)
{
    const uint32_t n = argc > 1 ? (uint32_t)atoi(argv[1]) : 12;
    const char *rule = argc > 2 ? argv[2] : NULL;
    const struct nq_count_settings settings = {.memory = (size_t)256 << 20, .progress = show};
    struct nq_query *query;
    uint64_t all, corner, classes;
    must(nq_query_open(n, rule, &query));
    must(nq_count_query(query, &settings, &all));
    must(nq_query_distinct(query, NQ_DISTINCT_FUNDAMENTAL));
    must(nq_count_query(query, &settings, &classes));
    must(nq_query_distinct(query, NQ_DISTINCT_ALL));
    must(nq_query_place(query, 0, 0));
    must(nq_count_query(query, &settings, &corner));
    printf("n = %" PRIu32 ": %" PRIu64 " solutions in %" PRIu64 " classes, %" PRIu64
           " of them with a queen in the corner\n",
           n, all, classes, corner);
    nq_query_close(query);
}
