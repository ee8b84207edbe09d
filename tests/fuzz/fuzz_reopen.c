/* fuzz_reopen.c - the path of a job, as a ledger may have it, of any bytes: what is taken makes sense as a question,
 * and its own path leads to the same again. */
#include <string.h>

#include "count/counting.h"
#include "engine/engine.h"
#include "fuzz.h"
#include "http/ask_count.h"

static char *copy(const char *text, size_t size)
{
    char *data = malloc(size + 1);
    REQUIRE(data);
    if (size)
        memcpy(data, text, size);
    data[size] = '\0';
    return data;
}

static void check_question(const struct question *question)
{
    REQUIRE(question->kind == ASK_COUNT);
    REQUIRE(question->format && question->prefix && !question->prefix[0]);
    REQUIRE(question->base <= 1);
    REQUIRE(strncmp(question->path, "/count?n=", 9) == 0);
    REQUIRE(question->query.filter.n == question->n);
    REQUIRE(!question->query.by_square || question->n <= ENGINE_SQUARES_MAX_N);
    REQUIRE(!question->query.by_square || question->query.distinct == DISTINCT_ALL);
    REQUIRE(!question->fleeting || question->way == COUNT_ESTIMATE);
    for (const char *at = question->path; *at; at++)
        REQUIRE(*at > ' ' && *at <= '~');
    if (question->way == COUNT_COMPUTE)
        REQUIRE(question->n <= ENGINE_COMPUTE_MAX_N);
    if (question->way == COUNT_COMPUTE && question->n <= 5) { /* and it can be answered */
        struct counting *counting;
        REQUIRE(counting_open(&question->query, &counting) == NQ_OK);
        REQUIRE(counting_prepare(counting, NULL, NULL, NULL) == NQ_OK);
        counting_close(counting);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = copy((const char *)data, size);
    struct question question, again;
    memset(&question, 0xa5, sizeof question); /* nothing may be left to chance */
    if (ask_count_reopen(NULL, path, &question) == NQ_OK) {
        check_question(&question);
        memset(&again, 0xa5, sizeof again);
        REQUIRE(ask_count_reopen(NULL, question.path, &again) == NQ_OK);
        REQUIRE(strcmp(again.path, question.path) == 0 && strcmp(again.key, question.key) == 0);
        REQUIRE(again.way == question.way && again.n == question.n && again.seed == question.seed);
        REQUIRE(again.walks == question.walks && !again.fleeting);
        REQUIRE(again.query.distinct == question.query.distinct && again.query.symmetry == question.query.symmetry);
        REQUIRE(question.n > FILTER_MAX_N || filter_equal(&again.query.filter, &question.query.filter));
        ask_count_release(&again);
    }
    ask_count_release(&question);
    free(path);
    return 0;
}
