/* fuzz_count_query.c - the path of a job, as a journal may have it, of any bytes: what is taken makes sense as a
 * question, and its own path leads to the same again. */
#include <string.h>

#include "count/counting.h"
#include "engine/ask/count_query.h"
#include "engine/engine.h"
#include "fuzz.h"

static void check_question(const struct question *question)
{
    REQUIRE(question->kind == ASK_COUNT);
    REQUIRE(question->format && question->prefix && !question->prefix[0]);
    REQUIRE(question->base <= 1);
    REQUIRE(strncmp(question->path, "/count?n=", 9) == 0);
    REQUIRE(question->query.filter.n == question->n);
    REQUIRE(!question->query.by_square || question->n <= COUNT_SQUARES_MAX_N);
    REQUIRE(!question->query.by_square || question->query.distinct == DISTINCT_ALL);
    REQUIRE(!question->uncacheable || question->count.way == COUNT_ESTIMATE);
    for (const char *at = question->path; *at; at++)
        REQUIRE(*at > ' ' && *at <= '~');
    if (question->count.way == COUNT_COMPUTE)
        REQUIRE(question->n <= counting_most(&question->query));
    if (question->count.way == COUNT_COMPUTE && question->n <= 5) { /* and it can be answered */
        struct counting *counting;
        REQUIRE(counting_open(&question->query, NULL, &counting) == NQ_OK);
        REQUIRE(counting_prepare(counting, NULL, NULL, NULL) == NQ_OK);
        counting_close(counting);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *path = fuzz_text(data, size);
    struct shared_question *parsed, *reparsed;
    if (count_query_parse(path, &parsed) == NQ_OK) {
        REQUIRE(count_query_parse(parsed->question.path, &reparsed) == NQ_OK);
        const struct question question = parsed->question, again = reparsed->question;
        check_question(&question);
        REQUIRE(strcmp(again.path, question.path) == 0 && strcmp(again.key, question.key) == 0);
        REQUIRE(again.count.way == question.count.way && again.n == question.n && again.seed == question.seed);
        REQUIRE(again.count.walks == question.count.walks && !again.uncacheable && again.base == question.base);
        REQUIRE(again.query.broken == question.query.broken && again.query.by_square == question.query.by_square);
        REQUIRE(again.query.distinct == question.query.distinct && again.query.symmetry == question.query.symmetry);
        REQUIRE(question.n > FILTER_MAX_N || filter_equal(&again.query.filter, &question.query.filter));
        question_unref(reparsed);
    }
    question_unref(parsed);
    free(path);
    return 0;
}
