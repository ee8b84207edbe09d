/* memory.c - the library of an installed package whose k-th allocation fails, and all later ones, for every k: each
 * call returns NQ_NOMEM until it has enough, and nothing stays allocated. It takes the allocator's place in front of
 * glibc's. */
#include <inttypes.h>
#include <nqueens.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *data, size_t size);
void __libc_free(void *data);

/* How many allocations succeed before all others fail; negative: all succeed. */
static atomic_long left = -1;
static atomic_long live;

static bool fails(void)
{
    long now = atomic_load(&left);
    while (now > 0 && !atomic_compare_exchange_weak(&left, &now, now - 1)) {
    }
    return now == 0;
}

static void *counted(void *data)
{
    atomic_fetch_add(&live, data != NULL);
    return data;
}

void *malloc(size_t size)
{
    return fails() ? NULL : counted(__libc_malloc(size));
}

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *data, size_t size)
{
    if (fails())
        return NULL;
    return data ? __libc_realloc(data, size) : counted(__libc_realloc(data, size));
}

void free(void *data)
{
    atomic_fetch_sub(&live, data != NULL);
    __libc_free(data);
}

static bool go_on(void *context, double done)
{
    (void)context;
    return done <= 1;
}

/* ---- Each does one thing whole, and frees what it opened. What comes out must be right. ---- */

static uint64_t result;

static enum nq_status count(const char *rule, uint32_t n, bool placed, enum nq_distinct distinct)
{
    const struct nq_count_settings settings = {.threads = 1, .progress = go_on};
    struct nq_query *query;
    enum nq_status status = nq_query_open(n, rule, &query);
    if (status != NQ_OK)
        return status;
    if (placed)
        status = nq_query_place(query, 0, 0);
    if (status == NQ_OK)
        status = nq_query_distinct(query, distinct);
    if (status == NQ_OK)
        status = nq_count_query(query, &settings, &result);
    nq_query_close(query);
    return status;
}

static enum nq_status count_corner(void)
{
    return count(NULL, 10, true, NQ_DISTINCT_ALL);
}
static enum nq_status count_classes(void)
{
    return count(NULL, 10, false, NQ_DISTINCT_FUNDAMENTAL);
}
static enum nq_status count_superqueens(void)
{
    return count("superqueens", 11, false, NQ_DISTINCT_FUNDAMENTAL);
}
static enum nq_status count_toroidal(void)
{
    return count("toroidal-semiqueens", 9, false, NQ_DISTINCT_ALL);
}
static enum nq_status count_joined(void)
{
    return nq_count(12, &result);
}

static enum nq_status list_by(const char *algorithm, const char *rule)
{
    struct nq_query *query;
    struct nq_cursor *cursor = NULL;
    uint64_t budget = UINT64_MAX;
    uint32_t columns[9];
    enum nq_status status = nq_query_open(9, rule, &query);
    if (status != NQ_OK)
        return status;
    status = nq_cursor_open_query(algorithm, query, &cursor);
    for (result = 0; status == NQ_OK; result += status == NQ_OK)
        status = nq_cursor_next(cursor, &budget, columns);
    nq_cursor_close(cursor);
    nq_query_close(query);
    return status == NQ_END ? NQ_OK : status;
}

static enum nq_status list_bitboard(void)
{
    return list_by(NULL, NULL);
}
static enum nq_status list_links(void)
{
    return list_by("dancing-links", NULL);
}
static enum nq_status list_semiqueens(void)
{
    return list_by(NULL, "semiqueens");
}

static enum nq_status verify(void)
{
    struct nq_conflict list[NQ_CONFLICTS_MAX];
    static const struct nq_square queens[] = {{0, 0}, {1, 1}, {5, 3}};
    enum nq_status status = nq_conflicts(8, NULL, queens, 3, list, &result);
    return status == NQ_OK && strcmp(list[0].line, "diagonal") ? NQ_INVALID : status;
}

static enum nq_status verify_superqueens(void)
{
    static const struct nq_square queens[] = {{0, 0}, {1, 2}, {7, 4}};
    return nq_conflicts(8, "superqueens", queens, 3, NULL, &result);
}

static enum nq_status count_shape(void)
{
    static const struct nq_count_settings settings = {.threads = 1, .progress = go_on};
    struct nq_shape *shape;
    uint64_t by_queens[4];
    enum nq_status status = nq_shape_open(5, 4, NULL, &shape);
    if (status != NQ_OK)
        return status;
    if (nq_shape_wall(shape, 1, 1) != NQ_OK || nq_shape_queens(shape, 0, UINT32_MAX) != NQ_OK)
        status = NQ_INVALID;
    if (status == NQ_OK)
        status = nq_shape_count(shape, &settings, by_queens, 4, &result);
    nq_shape_close(shape);
    return status;
}

static enum nq_status verify_shape(void)
{
    static const struct nq_square queens[] = {{0, 0}, {0, 2}, {3, 3}};
    struct nq_conflict list[NQ_CONFLICTS_MAX];
    struct nq_shape_verdict verdict;
    struct nq_shape *shape;
    enum nq_status status = nq_shape_open(4, 5, NULL, &shape);
    if (status != NQ_OK)
        return status;
    if (nq_shape_wall(shape, 0, 1) != NQ_OK)
        status = NQ_INVALID;
    if (status == NQ_OK)
        status = nq_shape_verify(shape, queens, 3, list, &verdict);
    if (status == NQ_OK)
        result = verdict.conflicts;
    nq_shape_close(shape);
    return status;
}

static enum nq_status construct(const char *method)
{
    const struct nq_construction_settings settings = {.seed = 7, .progress = go_on};
    struct nq_construction *construction;
    uint32_t columns[25];
    bool valid;
    enum nq_status status = nq_construction_open_with(method, 25, &settings, &construction);
    if (status != NQ_OK)
        return status;
    nq_construction_rows(construction, 0, 25, columns);
    nq_construction_close(construction);
    status = nq_verify(25, columns, &valid);
    result = status == NQ_OK && valid;
    return status;
}

static enum nq_status construct_explicit(void)
{
    return construct(NULL);
}
static enum nq_status construct_tensor(void)
{
    return construct("tensor");
}
static enum nq_status construct_local(void)
{
    return construct("local-search");
}
static enum nq_status construct_neural(void)
{
    return construct("neural");
}

static enum nq_status play(void)
{
    struct nq_puzzle puzzle;
    struct nq_game *game;
    struct nq_hint hint;
    uint8_t marks[36];
    uint64_t budget = UINT64_MAX;
    uint32_t columns[6];
    enum nq_status status = nq_puzzle_make(6, NQ_EASY, NULL, &puzzle);
    if (status != NQ_OK)
        return status;
    status = nq_game_open(6, NULL, puzzle.region, &game);
    if (status != NQ_OK)
        return status;
    status = nq_game_count(game, 2, &budget, &result);
    while (status == NQ_OK && (status = nq_game_hint(game, marks, &hint)) == NQ_OK)
        status = nq_game_step(game);
    if (status == NQ_END)
        status = nq_game_solved(game, columns) && !memcmp(columns, puzzle.columns, sizeof columns) ? NQ_OK : NQ_INVALID;
    nq_game_close(game);
    return status;
}

static const struct {
    const char *name;
    enum nq_status (*run)(void);
    uint64_t result;
} calls[] = {
    {"count with a queen in the corner", count_corner, 64},
    {"count of classes", count_classes, 92},
    {"count of superqueens", count_superqueens, 6},
    {"count of toroidal semiqueens", count_toroidal, 2025},
    {"count", count_joined, 14200},
    {"list", list_bitboard, 352},
    {"list by dancing links", list_links, 352},
    {"list semiqueens", list_semiqueens, 12657},
    {"conflicts", verify, 1},
    {"conflicts of superqueens", verify_superqueens, 1},
    {"count a shape", count_shape, 203},
    {"verify on a shape", verify_shape, 1},
    {"construct", construct_explicit, 1},
    {"construct by products", construct_tensor, 1},
    {"construct by local search", construct_local, 1},
    {"construct by a network", construct_neural, 1},
    {"play", play, 1},
};

int main(void)
{
    int failed = nq_version() != NQ_VERSION_NUMBER || strcmp(nq_version_text(), NQ_VERSION) != 0;
    printf("1..%zu\n", sizeof calls / sizeof calls[0]);
    fflush(stdout);
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        const long before = atomic_load(&live);
        enum nq_status status = NQ_NOMEM;
        long k = 0;
        bool kept = false;
        for (; status == NQ_NOMEM && k < 10000; k++) {
            atomic_store(&left, k);
            status = calls[i].run();
            atomic_store(&left, -1);
            kept = kept || atomic_load(&live) != before;
        }
        const bool right = status == NQ_OK && result == calls[i].result && !kept && k > 1;
        failed += !right;
        printf("%sok %zu - %s: %ld allocations; %s, %" PRIu64 "%s\n", right ? "" : "not ", i + 1, calls[i].name, k - 1,
               nq_status_text(status), result, kept ? ", some memory was kept" : "");
        fflush(stdout);
    }
    return failed != 0;
}
