/* test_lister.c - tests of src/solvers/lister: against the cursor that goes from placement to placement, with every
 * finder this machine supports, from every place and with room for any number of solutions. The lines that formats
 * write of its rows are here too. */
/* CI builds: address */
#include <nqueens.h>

#include "base/bytes.h"
#include "formats/format.h"
#include "formats/lines.h"
#include "solvers/lister.h"
#include "support/facts.h"

OWNER(lister_close, struct lister *)
OWNER(nq_cursor_close, struct nq_cursor *)

enum { FINDERS_MAX = 8, ROOM = 256 };

/* Every finder that is supported, each once; ends with NULL. */
static const struct finder *const *finders(void)
{
    static const struct finder *list[FINDERS_MAX + 1];
    size_t count = 0;
    for (const struct kernel *const *at = kernels; *at; at++) {
        const struct finder *finder = finder_of(*at);
        bool seen = false;
        for (size_t i = 0; i < count; i++)
            seen = seen || list[i] == finder;
        if (!seen)
            list[count++] = finder;
    }
    assert_in_range(count, 1, FINDERS_MAX);
    list[count] = NULL;
    return list;
}

static struct lister *open_lister(uint32_t n, const uint64_t *allow, const struct finder *finder, size_t room)
{
    struct lister *lister = NULL;
    assert_int_equal(lister_open(n, allow, finder, room, &lister), NQ_OK);
    return lister;
}

/* Whether columns[0..length) begin with a prefix. */
static bool begins(const uint32_t *columns, const uint8_t *prefix, uint32_t length)
{
    for (uint32_t row = 0; row < length; row++)
        if (columns[row] != prefix[row])
            return false;
    return true;
}

static bool allowed(const uint32_t *columns, uint32_t n, const uint64_t *allow)
{
    for (uint32_t row = 0; allow && row < n; row++)
        if (!(allow[row] >> columns[row] & 1))
            return false;
    return true;
}

/* What is to be listed: the solutions from the cursor on that begin with a prefix and stand on allowed squares, if any.
 */
struct tail {
    struct nq_cursor *cursor;
    uint32_t n;
    const uint64_t *allow;
    const uint8_t *prefix;
    uint32_t length;
};

/* The cursor's next solution below a prefix and on allowed squares; false when there is none. */
static bool next_expected(const struct tail *tail, uint32_t *columns)
{
    uint64_t plenty = UINT64_MAX;
    while (nq_cursor_next(tail->cursor, &plenty, columns) == NQ_OK) {
        if (!begins(columns, tail->prefix, tail->length))
            return false;
        if (allowed(columns, tail->n, tail->allow))
            return true;
    }
    return false;
}

/* What a lister lists from where it stands, up to `most` solutions, with room for so many at once. */
static uint64_t check_tail(struct lister *lister, const struct tail *tail, size_t room, uint64_t most)
{
    const uint32_t n = tail->n;
    uint8_t *rows = malloc(room * n + 1); /* of this size, so that a sanitizer sees what is written beyond */
    uint32_t columns[NQ_SEARCH_MAX_N];
    uint64_t seen = 0;
    enum nq_status status = NQ_OK;
    while (status == NQ_OK && seen < most) {
        uint64_t budget = UINT64_MAX;
        size_t count;
        status = lister_next(lister, &budget, rows, room, &count);
        assert_true(status == NQ_END || count == room);
        for (size_t i = 0; i < count; i++, seen++) {
            assert_true(next_expected(tail, columns));
            for (uint32_t row = 0; row < n; row++)
                assert_int_equal(rows[i * n + row], columns[row]);
        }
    }
    assert_in_range(status, NQ_OK, NQ_END);
    if (status == NQ_END)
        assert_false(next_expected(tail, columns));
    free(rows);
    return seen;
}

static void to_wide(uint32_t *wide, const uint8_t *narrow, uint32_t length)
{
    for (uint32_t i = 0; i < length; i++)
        wide[i] = narrow[i];
}

/* A cursor from just before a prefix: just after the nearest placement that comes before it. */
static struct nq_cursor *cursor_before(uint32_t n, const uint8_t *prefix, uint32_t length)
{
    struct nq_cursor *cursor;
    uint32_t wide[NQ_SEARCH_MAX_N];
    assert_int_equal(nq_cursor_open(NULL, n, &cursor), NQ_OK);
    to_wide(wide, prefix, length);
    for (uint32_t row = length; row-- > 0;)
        while (wide[row]-- > 0)
            if (nq_cursor_seek(cursor, wide, row + 1) == NQ_OK)
                return cursor;
    return cursor;
}

/* With little room, too: then finders are called again, further down. */
TEST(test_lists)
{
    static const size_t rooms[] = {0, 1, 600};
    for (const struct finder *const *at = finders(); *at; at++)
        for (uint32_t n = 0; n <= 10; n++)
            for (size_t i = 0; i < sizeof rooms / sizeof *rooms; i++) {
                OWNED(lister_close) struct lister *lister = open_lister(n, NULL, *at, rooms[i]);
                OWNED(nq_cursor_close) struct nq_cursor *cursor = cursor_before(n, NULL, 0);
                assert_int_equal(check_tail(lister, &(struct tail){.cursor = cursor, .n = n}, ROOM, UINT64_MAX),
                                 facts_term("all", n));
            }
}

/* A random prefix that can be placed, as long as asked if luck will have it. */
static uint32_t random_prefix(uint64_t *dice, uint32_t n, uint32_t wanted, uint8_t *prefix)
{
    uint32_t wide[NQ_SEARCH_MAX_N], length = 0;
    for (int tries = 0; tries < 400 && length < wanted; tries++) {
        wide[length] = facts_below(dice, n);
        prefix[length] = (uint8_t)wide[length];
        length += facts_peaceful(length + 1, wide);
    }
    return length;
}

TEST(test_random_prefixes)
{
    uint64_t dice = 1, solutions = 0;
    for (const struct finder *const *at = finders(); *at; at++)
        for (uint32_t n = 8; n <= 32; n += 2)
            for (int round = 0; round < 5; round++) {
                uint8_t prefix[NQ_SEARCH_MAX_N];
                const uint32_t free_rows = n <= 20 ? 12 : 10;
                const uint32_t least = n > free_rows ? n - free_rows : 0;
                const uint32_t length = random_prefix(&dice, n, least + facts_below(&dice, 4), prefix);
                const size_t room = 1 + facts_below(&dice, ROOM);
                if (length < least)
                    continue;
                OWNED(lister_close) struct lister *lister = open_lister(n, NULL, *at, facts_below(&dice, 2) * 300);
                OWNED(nq_cursor_close) struct nq_cursor *cursor = cursor_before(n, prefix, length);
                assert_int_equal(lister_begin(lister, prefix, length), NQ_OK);
                solutions += check_tail(
                    lister, &(struct tail){.cursor = cursor, .n = n, .prefix = prefix, .length = length}, room, 300);
            }
    assert_true(solutions > 1000);
}

/* Boards with holes: filters. */
TEST(test_allowed_squares)
{
    uint64_t dice = 3;
    for (const struct finder *const *at = finders(); *at; at++)
        for (uint32_t n = 1; n <= 10; n++)
            for (int round = 0; round < 3; round++) {
                uint64_t allow[NQ_SEARCH_MAX_N];
                for (uint32_t row = 0; row < n; row++)
                    allow[row] = ~(UINT64_C(1) << facts_below(&dice, n) | UINT64_C(1) << facts_below(&dice, n));
                OWNED(lister_close) struct lister *lister = open_lister(n, allow, *at, 0);
                OWNED(nq_cursor_close) struct nq_cursor *cursor = cursor_before(n, NULL, 0);
                check_tail(lister, &(struct tail){.cursor = cursor, .n = n, .allow = allow}, ROOM, UINT64_MAX);
            }
}

/* However small the budget is where nothing is found. */
TEST(test_nothing_to_list)
{
    uint64_t allow[12] = {1}, budget = 0;
    struct run run;
    for (uint32_t row = 1; row < 12; row++)
        allow[row] = row < 11 ? ~UINT64_C(0) : 1; /* in the column of the first row */
    OWNED(lister_close) struct lister *lister = open_lister(12, allow, *finders(), 0);
    assert_int_equal(lister_take(lister, &budget, ROOM, &run), NQ_AGAIN);
}

/* Cut anywhere, by room and by budget, and gone on with by another lister from the position alone. */
TEST(test_resume)
{
    uint64_t dice = 4;
    for (const struct finder *const *at = finders(); *at; at++)
        for (uint32_t n = 1; n <= 8; n++)
            for (int way = 0; way < 8; way++) {
                struct nq_cursor *cursor = cursor_before(n, NULL, 0);
                struct lister *lister = open_lister(n, NULL, *at, 0);
                uint8_t position[NQ_SEARCH_MAX_N], rows[ROOM * 11];
                uint64_t total = 0;
                enum nq_status status = NQ_OK;
                for (int calls = 0; status != NQ_END; calls++) {
                    uint64_t budget = way == 6 ? 0 : way % 2 ? facts_below(&dice, 20000) : UINT64_MAX;
                    const size_t room = n < 9 || way == 5 ? 1 + facts_below(&dice, 9) : 1 + facts_below(&dice, ROOM);
                    size_t count;
                    assert_true(calls < 20000);
                    status = lister_next(lister, &budget, rows, room, &count);
                    for (size_t i = 0; i < count; i++) {
                        uint32_t columns[NQ_SEARCH_MAX_N], wide[NQ_SEARCH_MAX_N];
                        uint64_t plenty = UINT64_MAX;
                        assert_int_equal(nq_cursor_next(cursor, &plenty, columns), NQ_OK);
                        to_wide(wide, rows + i * n, n);
                        assert_memory_equal(columns, wide, n * sizeof *columns);
                    }
                    total += count;
                    if (way < 2)
                        continue;
                    const uint32_t length = lister_position(lister, position);
                    if (status != NQ_END)
                        assert_true(length > 0);
                    if (way % 3 == 0) {
                        lister_close(lister);
                        lister = open_lister(n, NULL, *at, 100);
                    }
                    assert_int_equal(lister_seek(lister, position, length), NQ_OK);
                    assert_int_equal(lister_position(lister, rows), length);
                }
                assert_int_equal(total, facts_term("all", n));
                nq_cursor_close(cursor);
                lister_close(lister);
            }
}

/* Every buffer size. */
TEST(test_every_room)
{
    for (const struct finder *const *at = finders(); *at; at++)
        for (size_t room = 1; room <= 93; room++) {
            OWNED(lister_close) struct lister *lister = open_lister(8, NULL, *at, 0);
            OWNED(nq_cursor_close) struct nq_cursor *cursor = cursor_before(8, NULL, 0);
            assert_int_equal(check_tail(lister, &(struct tail){.cursor = cursor, .n = 8}, room, UINT64_MAX), 92);
        }
}

/* From every position of every length, as the cursor does. */
static void seek_below(struct lister *lister, uint32_t n, uint8_t *position, uint32_t length)
{
    uint32_t wide[NQ_SEARCH_MAX_N];
    struct nq_cursor *cursor;
    assert_int_equal(nq_cursor_open(NULL, n, &cursor), NQ_OK);
    to_wide(wide, position, length);
    const enum nq_status status = nq_cursor_seek(cursor, wide, length);
    assert_int_equal(lister_seek(lister, position, length), status);
    if (status == NQ_OK)
        check_tail(lister, &(struct tail){.cursor = cursor, .n = n}, 16, 40);
    nq_cursor_close(cursor);
    for (uint32_t column = 0; status == NQ_OK && length < n && column <= n; column++) {
        position[length] = (uint8_t)column;
        seek_below(lister, n, position, length + 1);
    }
}

TEST(test_seek_every_position)
{
    for (const struct finder *const *at = finders(); *at; at++)
        for (uint32_t n = 1; n <= 6; n++) {
            uint8_t position[NQ_SEARCH_MAX_N];
            OWNED(lister_close) struct lister *lister = open_lister(n, NULL, *at, 0);
            seek_below(lister, n, position, 0);
        }
}

TEST(test_seek_random_positions)
{
    uint64_t dice = 5;
    for (const struct finder *const *at = finders(); *at; at++)
        for (uint32_t n = 11; n <= 20; n += 3)
            for (int round = 0; round < 6; round++) {
                uint8_t position[NQ_SEARCH_MAX_N];
                uint32_t wide[NQ_SEARCH_MAX_N];
                const uint32_t length = random_prefix(&dice, n, facts_below(&dice, n), position);
                OWNED(lister_close) struct lister *lister = open_lister(n, NULL, *at, 0);
                OWNED(nq_cursor_close) struct nq_cursor *cursor = cursor_before(n, NULL, 0);
                to_wide(wide, position, length);
                assert_int_equal(nq_cursor_seek(cursor, wide, length), NQ_OK);
                assert_int_equal(lister_seek(lister, position, length), NQ_OK);
                check_tail(lister, &(struct tail){.cursor = cursor, .n = n}, 40, 100);
            }
}

/* Every finder tries as many placements, so that a budget cuts everywhere alike: what a page holds rests on these
 * numbers. */
TEST(test_same_placements)
{
    static const uint64_t placements[] = {[4] = 10, [7] = 333, [10] = 21984, [13] = 300238};
    for (uint32_t n = 4; n <= 13; n += 3)
        for (const struct finder *const *at = finders(); *at; at++) {
            static uint8_t rows[13 * 5000];
            uint64_t budget = UINT64_MAX;
            size_t count;
            OWNED(lister_close) struct lister *lister = open_lister(n, NULL, *at, 0);
            (void)lister_next(lister, &budget, rows, 5000, &count);
            assert_int_equal(UINT64_MAX - budget, placements[n]);
        }
}

TEST(test_bad_arguments)
{
    OWNED(lister_close) struct lister *lister = NULL;
    uint8_t rows[64 * 8], bad[] = {0, 1}, far[] = {8}, good[] = {1, 3}, other[] = {2}, nothing[33] = {0};
    uint64_t budget = UINT64_MAX;
    size_t count;
    assert_int_equal(lister_open(LISTER_MAX_N + 1, NULL, NULL, 0, &lister), NQ_LIMIT);
    lister = open_lister(8, NULL, NULL, 0);
    assert_int_equal(lister_begin(lister, good, 2), NQ_OK);
    assert_int_equal(lister_begin(lister, bad, 2), NQ_INVALID);
    assert_int_equal(lister_begin(lister, far, 1), NQ_INVALID);
    assert_int_equal(lister_begin(lister, nothing, 33), NQ_INVALID);
    assert_int_equal(lister_seek(lister, other, 1), NQ_INVALID);
    assert_int_equal(lister_seek(lister, good, 1), NQ_INVALID); /* shorter than the prefix */
    assert_int_equal(lister_next(lister, &budget, rows, 64, &count), NQ_END);
    assert_in_range(count, 1, 64);
    assert_memory_equal(rows, good, 2);
    assert_int_equal(lister_seek(lister, good, 2), NQ_OK);
    assert_int_equal(lister_next(lister, &budget, rows, 64, &count), NQ_END);
    assert_int_equal(count, 0);
    lister_close(NULL);
}

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Numbers of any width and spread, with many that are equal, in any quantity. */
TEST(test_order)
{
    enum { MOST = 3000 };
    static uint64_t numbers[MOST], spare[MOST], expected[MOST];
    uint64_t dice = 6;
    for (int round = 0; round < 300; round++) {
        const size_t count = facts_below(&dice, round % 2 ? 100 : MOST);
        const uint64_t mask = facts_random(&dice) | facts_random(&dice) << 32, base = facts_random(&dice);
        for (size_t i = 0; i < count; i++)
            numbers[i] = base ^ ((facts_random(&dice) << 32 ^ facts_random(&dice)) & mask >> facts_below(&dice, 64));
        memcpy(expected, numbers, sizeof expected);
        qsort(expected, count, sizeof *expected, ascending);
        const uint64_t *sorted = lister_sort(numbers, spare, count);
        assert_memory_equal(sorted, expected, count * sizeof *expected);
    }
}

/* Runs are the solutions of the rows, whatever the room; and where one has ended a lister can go on without it. */
TEST(test_runs)
{
    enum { MANY = 3000 };
    static uint8_t rows[MANY * NQ_SEARCH_MAX_N], unpacked[MANY * NQ_SEARCH_MAX_N];
    static const size_t rooms[] = {1, 7, MANY};
    for (const struct finder *const *finder = finders(); *finder; finder++)
        for (uint32_t n = 0; n <= 9; n++)
            for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
                OWNED(lister_close) struct lister *lister = open_lister(n, NULL, *finder, 0);
                OWNED(lister_close) struct lister *taken = open_lister(n, NULL, *finder, 0);
                enum nq_status status = NQ_OK;
                while (status == NQ_OK) {
                    uint64_t budget = UINT64_MAX, plenty = UINT64_MAX;
                    uint8_t position[NQ_SEARCH_MAX_N];
                    struct run run;
                    size_t count;
                    status = lister_take(taken, &budget, rooms[i], &run);
                    assert_true(status == NQ_END || (run.count > 0 && run.count <= rooms[i]));
                    lister_rows_of(&run, n, unpacked);
                    if (run.count)
                        (void)lister_next(lister, &plenty, rows, run.count, &count);
                    if (n && run.count)
                        assert_memory_equal(unpacked, rows, n * run.count);
                    const uint32_t done = lister_done_length(taken);
                    assert_true(!done || (done <= n && lister_position(taken, position) == n));
                    assert_true(!done || lister_seek(taken, position, done) == NQ_OK);
                }
                uint64_t plenty = UINT64_MAX;
                size_t count;
                assert_int_equal(lister_next(lister, &plenty, rows, MANY, &count), NQ_END);
                assert_int_equal(count, 0);
            }
}

/* Lines from runs are those from rows, however many rows the run's prefix has. */
static void check_run_lines(const struct lines *lines, uint32_t length, uint64_t *dice)
{
    enum { COUNT = 5 };
    const uint32_t n = lines->n;
    uint8_t rows[COUNT * LINES_MAX_N + 1], order[LINES_MAX_N];
    uint64_t paths[COUNT] = {0};
    for (uint32_t row = 0; row < n; row++)
        order[row] = (uint8_t)row;
    for (uint32_t i = 0; i < COUNT; i++) {
        for (uint32_t row = i ? length : 0; row + 1 < n; row++) { /* the first one shuffles the prefix, too */
            const uint32_t other = row + facts_below(dice, n - row);
            const uint8_t column = order[row];
            order[row] = order[other];
            order[other] = column;
        }
        for (uint32_t row = 0; row < n; row++)
            rows[i * n + row] = order[row];
        for (uint32_t row = length; row < n; row++)
            paths[i] = paths[i] << find_bits(n) | order[row];
    }
    const struct run run = {.length = length, .columns = rows, .paths = paths, .count = COUNT};
    OWNED(free) char *expected = malloc(COUNT * lines->size + LINES_SLACK);
    OWNED(free) char *text = malloc(COUNT * lines->size + LINES_SLACK);
    assert_int_equal(lines_write(lines, rows, COUNT, expected), COUNT * lines->size);
    assert_int_equal(lines_write_run(lines, &run, text), COUNT * lines->size);
    assert_memory_equal(text, expected, COUNT * lines->size);
}

TEST(test_lines_of_runs)
{
    static struct lines lines;
    uint64_t dice = 8;
    for (uint32_t n = 0; n <= LINES_MAX_N; n++)
        for (uint32_t base = 0; base <= 1; base++) {
            lines_begin(&lines, n, base);
            assert_true(lines.size <= LINES_MAX_SIZE);
            for (uint32_t length = n > find_rows(n) ? n - find_rows(n) : 0; length <= n; length++)
                check_run_lines(&lines, length, &dice);
        }
}

/* The bytes of format_ndjson, in both bases, for every n. */
TEST(test_lines)
{
    uint64_t dice = 7;
    for (uint32_t n = 0; n <= LINES_MAX_N; n++)
        for (uint32_t base = 0; base <= 1; base++) {
            static struct lines lines;
            const struct list_head head = {.n = n, .base = base, .order = "lexicographic"};
            BYTES(expected);
            uint8_t rows[5 * LINES_MAX_N + 1];
            for (int i = 0; i < 5; i++) {
                uint32_t columns[NQ_SEARCH_MAX_N];
                for (uint32_t row = 0; row < n; row++) { /* any permutation */
                    const uint32_t other = facts_below(&dice, row + 1);
                    columns[row] = columns[other];
                    columns[other] = row;
                }
                for (uint32_t row = 0; row < n; row++)
                    rows[(uint32_t)i * n + row] = (uint8_t)columns[row];
                format_find("ndjson")->list_solution(&expected, &head, columns, i == 0, i);
            }
            lines_begin(&lines, n, base);
            OWNED(free) char *text = malloc(5 * lines.size + LINES_SLACK);
            const size_t size = lines_write(&lines, rows, 5, text);
            assert_int_equal(size, expected.size);
            assert_int_equal(size, 5 * lines.size);
            assert_memory_equal(text, expected.data, size);
        }
}
