/* bodies.h - boards in texts, read whole and cut at every place, and what they must come to. */
#ifndef SUPPORT_BODIES_H
#define SUPPORT_BODIES_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "http/ask/verify_body.h"
#include "support/facts.h"

static enum nq_status read_cut(struct verify_body *body, enum verify_shape shape, const char *text, size_t size,
                               size_t cut)
{
    char *first = malloc(cut + 1), *rest = malloc(size - cut + 1); /* a sanitizer sees the first byte too far */
    assert_true(first && rest);
    memcpy(first, text, cut);
    memcpy(rest, text + cut, size - cut);
    verify_body_begin(body, shape, VERIFY_ONLY, NULL, NULL);
    verify_body_add(body, first, cut);
    verify_body_add(body, rest, size - cut);
    free(first);
    free(rest);
    return verify_body_end(body);
}

/* The same but for where the queens are kept. */
static void assert_same(const struct verify_body *a, const struct verify_body *b)
{
    assert_int_equal(a->status, b->status);
    assert_string_equal(a->error.parameter, b->error.parameter);
    assert_string_equal(a->error.reason, b->error.reason);
    assert_int_equal(!a->placement, !b->placement);
    if (a->status != NQ_OK)
        return;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->base, b->base);
    assert_int_equal(a->ruled, b->ruled);
    assert_int_equal(a->rule, b->rule);
    assert_int_equal(a->placement->count, b->placement->count);
    assert_memory_equal(a->placement->queens, b->placement->queens, a->placement->count * sizeof(struct queen));
}

/* Reads a text whole, cut at every place, and byte by byte; the caller frees. */
static void read_text(struct verify_body *body, enum verify_shape shape, const char *text, size_t size)
{
    struct verify_body other;
    (void)read_cut(body, shape, text, size, size);
    assert_true(body->status == NQ_OK || (body->error.parameter[0] && body->error.reason[0] && !body->placement));
    for (size_t cut = 0; cut < size; cut++) {
        (void)read_cut(&other, shape, text, size, cut);
        assert_same(body, &other);
        verify_body_free(&other);
    }
    verify_body_begin(&other, shape, VERIFY_ONLY, NULL, NULL);
    for (size_t i = 0; i < size; i++)
        verify_body_add(&other, text + i, 1);
    (void)verify_body_end(&other);
    assert_same(body, &other);
    verify_body_free(&other);
}

struct good {
    const char *text;
    uint32_t n, base, count;
    struct queen queens[4];
};

static void check_good(enum verify_shape shape, const struct good *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        read_text(&body, shape, list[i].text, strlen(list[i].text));
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", list[i].text, body.error.parameter, body.error.reason);
        assert_int_equal(body.n, list[i].n);
        assert_int_equal(body.base, list[i].base);
        assert_int_equal(body.placement->count, list[i].count);
        assert_memory_equal(body.placement->queens, list[i].queens, list[i].count * sizeof(struct queen));
        verify_body_free(&body);
    }
}

struct bad {
    const char *text, *where, *why;
};

static void check_bad(enum verify_shape shape, const struct bad *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        read_text(&body, shape, list[i].text, strlen(list[i].text));
        if (body.status != NQ_INVALID || strcmp(body.error.parameter, list[i].where) != 0 ||
            strcmp(body.error.reason, list[i].why) != 0)
            fail_msg("%s: %d, %s %s", list[i].text, (int)body.status, body.error.parameter, body.error.reason);
        verify_body_free(&body);
    }
}

#endif
