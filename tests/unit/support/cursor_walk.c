/* cursor_walk.c - positions of cursors, and which solvers have such of any kind. */
#include "support/cursor_walk.h"

struct position position_of(const struct nq_cursor *cursor)
{
    struct position position = {0};
    CHECKED(cursor_check(cursor));
    position.length = nq_cursor_position(cursor, position.prefix);
    return position;
}

bool position_gained(bool lexicographic, const struct position *before, const struct position *after)
{
    if (before->length == 0)
        return after->length > 0;
    uint32_t common = before->length < after->length ? before->length : after->length, i = 0;
    while (i < common && before->prefix[i] == after->prefix[i])
        i++;
    if (!lexicographic)
        return i < common || before->length != after->length;
    return i < common ? after->prefix[i] > before->prefix[i] : after->length < before->length && after->length > 0;
}

static struct nq_cursor *open_at(const struct cursor_settings *settings, const struct query *query,
                                 const struct position *at)
{
    struct nq_cursor *cursor = NULL;
    assert_int_equal(cursor_open(settings, query, &cursor), NQ_OK);
    assert_int_equal(nq_cursor_seek(cursor, at->prefix, at->length), NQ_OK);
    return cursor;
}

/* More calls than any walk here needs: a walk that does not end is a failure, not a hang. */
enum { CALLS_MAX = 1000000 };

void walk_check(const struct cursor_settings *settings, const struct query *query, const uint32_t *solutions,
                size_t count, const struct manner *manner)
{
    static uint64_t dice = 1;
    const uint32_t n = query->filter.n;
    struct position before = {0};
    OWNED(nq_cursor_close) struct nq_cursor *cursor = open_at(settings, query, &before);
    size_t found = 0, calls = 0;
    for (enum nq_status status = NQ_OK; status != NQ_END;) {
        uint32_t columns[NQ_SEARCH_MAX_N];
        const uint64_t budget = manner->random ? facts_below(&dice, (uint32_t)manner->budget) : manner->budget;
        uint64_t left = budget;
        assert_true(++calls < CALLS_MAX);
        status = nq_cursor_next(cursor, &left, columns);
        assert_true(left <= budget && (status != NQ_AGAIN || left == 0));
        if (status == NQ_END) /* the end is the end */
            assert_int_equal(nq_cursor_next(cursor, &left, columns), NQ_END);
        const struct position after = position_of(cursor);
        assert_true(status == NQ_OK || status == NQ_AGAIN || status == NQ_END);
        assert_true(status == NQ_END || n == 0 || position_gained(true, &before, &after));
        if (status == NQ_OK) {
            assert_true(found < count && after.length == n);
            assert_memory_equal(after.prefix, columns, n * sizeof *columns);
            if (n)
                assert_memory_equal(columns, solutions + found * n, n * sizeof *columns);
            found++;
        }
        before = after;
        if (manner->fresh && status != NQ_END && n) {
            nq_cursor_close(cursor);
            cursor = open_at(settings, query, &before);
        }
    }
    assert_int_equal(found, count);
}

struct seeks {
    const struct query *query;
    const uint32_t *solutions;
    size_t count;
    walk_stands *stands;
    uint64_t *accepted;
    struct nq_cursor *cursor;
    uint32_t prefix[NQ_SEARCH_MAX_N + 1];
};

static void check_tail(const struct seeks *seeks, uint32_t length)
{
    const uint32_t n = seeks->query->filter.n;
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t plenty = UINT64_MAX;
    assert_int_equal(nq_cursor_position(seeks->cursor, columns), length);
    if (length)
        assert_memory_equal(columns, seeks->prefix, length * sizeof *columns);
    size_t i = 0;
    while (length && i < seeks->count && facts_compare(seeks->solutions + i * n, seeks->prefix, &length) <= 0)
        i++;
    for (; i < seeks->count; i++) {
        assert_int_equal(nq_cursor_next(seeks->cursor, &plenty, columns), NQ_OK);
        assert_memory_equal(columns, seeks->solutions + i * n, n * sizeof *columns);
    }
    assert_int_equal(nq_cursor_next(seeks->cursor, &plenty, columns), NQ_END);
}

static void seek_below(struct seeks *seeks, uint32_t length)
{
    const uint32_t n = seeks->query->filter.n;
    uint32_t *column = &seeks->prefix[length];
    assert_int_equal(nq_cursor_seek(seeks->cursor, seeks->prefix, length), NQ_OK);
    if (seeks->accepted)
        seeks->accepted[length]++;
    for (*column = 0; length < n && *column <= n; ++*column)
        if (*column == n || !seeks->stands(seeks->query, length + 1, seeks->prefix))
            assert_int_equal(nq_cursor_seek(seeks->cursor, seeks->prefix, length + 1), NQ_INVALID);
    check_tail(seeks, length);
    for (*column = 0; length < n && *column < n; ++*column)
        if (seeks->stands(seeks->query, length + 1, seeks->prefix))
            seek_below(seeks, length + 1);
}

void walk_seek_check(const struct cursor_settings *settings, const struct query *query, const uint32_t *solutions,
                     size_t count, walk_stands *stands, uint64_t *accepted)
{
    struct seeks seeks = {
        .query = query, .solutions = solutions, .count = count, .stands = stands, .accepted = accepted};
    assert_int_equal(cursor_open(settings, query, &seeks.cursor), NQ_OK);
    seek_below(&seeks, 0);
    nq_cursor_close(seeks.cursor);
}

const struct solver *const *walker_next(const struct solver *const *at)
{
    for (at = at ? at + 1 : solvers; *at; at++)
        if ((*at)->lists == LISTS_ALL && solver_resumes(*at) && (*at)->max_n == NQ_SEARCH_MAX_N)
            return at;
    return NULL;
}
