/* nqueens.h - the public interface of the library: placements of n queens on an n x n board, none attacking another.
 *
 * Rows and columns are 0-based. The library depends on the C library, libm and POSIX threads only. It prints nothing
 * and keeps no state between calls. Calls for different objects may be made on different threads; one object is used by
 * one thread at a time. Only nq_count_query() and nq_shape_count() start threads, which end before they return. A
 * function that runs out of memory returns NQ_NOMEM and leaves its objects as they were, or fit to be closed. */
#ifndef NQUEENS_H
#define NQUEENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#ifdef __GNUC__
#define NQ_API __attribute__((visibility("default")))
#define NQ_CHECKED __attribute__((warn_unused_result))
#else
#define NQ_API
#define NQ_CHECKED
#endif

/* ---- Version: which release this is --------------------------------------------------------------------------- */

/* The release of this header. */
#define NQ_VERSION "1.0.0"
#define NQ_VERSION_MAJOR 1
#define NQ_VERSION_MINOR 0
#define NQ_VERSION_PATCH 0

/* The same as one number, to be compared: 10000 * major + 100 * minor + patch. */
#define NQ_VERSION_NUMBER (10000 * NQ_VERSION_MAJOR + 100 * NQ_VERSION_MINOR + NQ_VERSION_PATCH)

/* The release of the library that the program runs with: as NQ_VERSION_NUMBER, and as NQ_VERSION. */
NQ_API uint32_t nq_version(void);
NQ_API const char *nq_version_text(void);

/* ---- Status: the result of a call ----------------------------------------------------------------------------- */

/* The result of a call. Later releases may add values. */
enum nq_status {
    NQ_OK,       /* done */
    NQ_END,      /* there is nothing more */
    NQ_AGAIN,    /* not finished: call again to continue */
    NQ_INVALID,  /* the arguments are malformed or contradict each other */
    NQ_LIMIT,    /* the arguments are valid, but above a limit */
    NQ_NONE,     /* no such placement exists */
    NQ_NOMEM,    /* out of memory */
    NQ_CANCELLED /* the caller cancelled it */
};

/* A status in English: one sentence in lower case, without a full stop. Static, never NULL. */
NQ_API const char *nq_status_text(enum nq_status status);

/* ---- Boards: permutations, attacks and symmetries -------------------------------------------------------------
 * A permutation is an array of n columns: columns[row] is the column of the queen in that row. */

/* True if the two squares are different and share a row, a column or a diagonal. */
NQ_API bool nq_attack(uint32_t row_a, uint32_t column_a, uint32_t row_b, uint32_t column_b);

/* Sets *valid to whether columns[0..n) is a solution: all columns are below n, and no two queens attack each other. The
 * empty board (n = 0) is a solution. O(n) time and memory. Returns NQ_OK or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_verify(uint32_t n, const uint32_t *columns, bool *valid);

/* The symmetries of the square by number: 0 is the identity, 1 to 3 are that many quarter turns, 4 to 7 are a
 * left-right reflection and then 0 to 3 quarter turns. */
enum { NQ_SYMMETRIES = 8 };

/* Writes the image of the permutation columns[0..n) under a symmetry (0 to 7) to image[0..n). The arrays must not
 * overlap. O(n). */
NQ_API void nq_transform(unsigned symmetry, uint32_t n, const uint32_t *columns, uint32_t *image);

/* Writes the canonical form of a permutation, the lexicographically least of its eight images, to canonical[0..n).
 * scratch[0..n) is work space. Returns how many of the images are different: 1 (n <= 1), 2, 4 or 8. O(n). */
NQ_API unsigned nq_canonical(uint32_t n, const uint32_t *columns, uint32_t *canonical, uint32_t *scratch);

/* The rotations that leave a permutation unchanged: none, the half turn only, or all quarter turns, as for n <= 1. All
 * columns must be different. O(n). */
enum nq_symmetry { NQ_SYMMETRY_NONE, NQ_SYMMETRY_POINT, NQ_SYMMETRY_QUARTER };
NQ_API enum nq_symmetry nq_symmetry(uint32_t n, const uint32_t *columns);

/* A square. */
struct nq_square {
    uint32_t row, column;
};

/* Two queens that attack each other, a before b, and the line that they share: "row", "column", "diagonal",
 * "antidiagonal", "square" (they stand on the same one), or a word of the rule. Static. */
struct nq_conflict {
    struct nq_square a, b;
    const char *line;
};

enum { NQ_CONFLICTS_MAX = 100, NQ_CONFLICTS_RULE_MAX = 10000, NQ_CONFLICTS_MAX_N = 1000000000 };

/* Finds all pairs among queens[0..count) that attack each other, whatever stands between them. n is at most
 * NQ_CONFLICTS_MAX_N. rule: a name of NQ_RULES, or NULL for queens; by another rule count must be at most
 * NQ_CONFLICTS_RULE_MAX. *total is the number of pairs; the first of them, NQ_CONFLICTS_MAX at most, are written to
 * list (NULL: none), which has room for so many. Returns NQ_OK, NQ_INVALID (a queen is not on the board, or there is no
 * such rule), NQ_LIMIT or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_conflicts(uint32_t n, const char *rule, const struct nq_square *queens,
                                              uint32_t count, struct nq_conflict *list, uint64_t *total);

/* ---- Queries: which solutions ---------------------------------------------------------------------------------
 * A query selects solutions of one board: by a rule, with queens on some squares and none on others, with a symmetry,
 * or one of each class. Cursors and counts take it as it is at that moment. */

struct nq_query;

/* Opens a query for all solutions of n rows; the caller closes it. rule: a name of NQ_RULES, or NULL for queens.
 * Returns NQ_OK, NQ_INVALID (there is no such rule), NQ_LIMIT (n is above NQ_SEARCH_MAX_N) or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_query_open(uint32_t n, const char *rule, struct nq_query **query);

/* Selects the solutions with a queen on a square, or without one. Any squares on the board are accepted; queens that
 * attack each other leave no solution. Returns NQ_OK, or NQ_INVALID if the square is not on the board. */
NQ_API NQ_CHECKED enum nq_status nq_query_place(struct nq_query *query, uint32_t row, uint32_t column);
NQ_API NQ_CHECKED enum nq_status nq_query_exclude(struct nq_query *query, uint32_t row, uint32_t column);

/* Selects the solutions that a rotation leaves unchanged: a half turn (NQ_SYMMETRY_POINT; those that a quarter turn
 * leaves unchanged are included), or a quarter turn. NQ_SYMMETRY_NONE: all. Returns NQ_OK, or NQ_INVALID for any other
 * value. */
NQ_API NQ_CHECKED enum nq_status nq_query_symmetry(struct nq_query *query, enum nq_symmetry symmetry);

/* Selects one solution of each class, the lexicographically first: of those that a left-right reflection carries into
 * each other, or any symmetry of the rule. Symmetries that do not carry the placed and the excluded squares into
 * themselves are left out. Returns NQ_OK, or NQ_INVALID for any other value. */
enum nq_distinct { NQ_DISTINCT_ALL, NQ_DISTINCT_FUNDAMENTAL, NQ_DISTINCT_MIRROR };
NQ_API NQ_CHECKED enum nq_status nq_query_distinct(struct nq_query *query, enum nq_distinct distinct);

/* Frees a query; NULL is allowed. */
NQ_API void nq_query_close(struct nq_query *query);

/* ---- Enumerating: solutions one by one ------------------------------------------------------------------------
 * A cursor lists the solutions of one n in the order of its algorithm. Its position is a prefix of columns, of length 0
 * to n: every placement up to and including the last one with this prefix is finished. In an order that is not
 * lexicographic, only a position of length n is one of columns, the solution listed last; shorter ones are numbers
 * below n that mean something to the algorithm alone. */

/* The largest board of an algorithm: those of lexicographic order list boards up to NQ_SEARCH_MAX_N. */
enum { NQ_SEARCH_MAX_N = 64, NQ_LIST_MAX_N = 1000 };

struct nq_cursor;

/* Opens a cursor before the first solution; the caller closes it. algorithm: a name of NQ_ALGORITHMS, or NULL for
 * the default ("bitboard": backtracking on bit masks, Richards 1997, in lexicographic order). Returns NQ_OK, NQ_INVALID
 * (there is no such algorithm), NQ_LIMIT (n is above the algorithm's largest) or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_cursor_open(const char *algorithm, uint32_t n, struct nq_cursor **cursor);

/* Opens a cursor before the first solution of a query, which is not used after the call. algorithm: NULL for the
 * default, which lists the solutions of any query; others list those of some. Returns as nq_cursor_open(), or
 * NQ_INVALID if the algorithm does not list the solutions of this query. */
NQ_API NQ_CHECKED enum nq_status nq_cursor_open_query(const char *algorithm, const struct nq_query *query,
                                                      struct nq_cursor **cursor);

/* Writes the next solution to columns[0..n). *budget is the number of placements that may be tried; the number tried is
 * subtracted from it. Returns NQ_OK, NQ_END, NQ_AGAIN if the budget ran out first, or of algorithms that keep all
 * partial placements of a row NQ_LIMIT (there are too many) or NQ_NOMEM. Every call makes progress: to reach a position
 * it may try up to n placements more than the budget. */
NQ_API NQ_CHECKED enum nq_status nq_cursor_next(struct nq_cursor *cursor, uint64_t *budget, uint32_t *columns);

/* Moves the cursor to just after a position; length 0 is before the first solution. In lexicographic order, a solution
 * that the cursor does not list is a position, too, if it stands on allowed squares. Returns NQ_OK, NQ_INVALID (the
 * prefix is too long or off the board, two of its queens attack each other, or no listed solution can have one of them)
 * or NQ_NOMEM. The last two leave the cursor where it was. */
NQ_API NQ_CHECKED enum nq_status nq_cursor_seek(struct nq_cursor *cursor, const uint32_t *prefix, uint32_t length);

/* Writes the position to prefix[0..n) and returns its length: 0 before the first step. */
NQ_API uint32_t nq_cursor_position(const struct nq_cursor *cursor, uint32_t *prefix);

/* The order of the solutions: "lexicographic" and others. Static. */
NQ_API const char *nq_cursor_order(const struct nq_cursor *cursor);

/* Frees a cursor; NULL is allowed. */
NQ_API void nq_cursor_close(struct nq_cursor *cursor);

/* ---- Counting: how many solutions there are ------------------------------------------------------------------- */

enum { NQ_KNOWN_MAX_N = 27 };

/* Writes the number of solutions, Q(n), from the table of published counts (OEIS A000170), which has n = 0 to 27.
 * Returns NQ_OK, or NQ_LIMIT for a larger n. */
NQ_API NQ_CHECKED enum nq_status nq_known_count(uint32_t n, uint64_t *count);

/* Writes Q(n), computed on the calling thread, which takes hours from n = 22 on. Returns NQ_OK, NQ_LIMIT (n is above
 * NQ_KNOWN_MAX_N) or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_count(uint32_t n, uint64_t *count);

/* Called now and then, at most some ten times a second, on the thread that made the call: done is the share of the work
 * that is done, from 0 to 1, or 0 if that is not known. False cancels the call, which then returns NQ_CANCELLED within
 * some tenths of a second. It may call functions of the library, but not with objects that the call uses. */
typedef bool (*nq_progress)(void *context, double done);

/* How a count may work. All zero: the default. */
struct nq_count_settings {
    unsigned threads;     /* that may work at once, the calling one among them; 0: one for each processor */
    size_t memory;        /* bytes that it may allocate, about; 0: no limit. With less it takes longer. */
    nq_progress progress; /* NULL: it is not called */
    void *context;        /* given to progress */
};

/* Writes the number of solutions of a query to *count. settings: NULL for the default. The number is the same with any
 * settings and on any machine. Returns NQ_OK, NQ_LIMIT (n is above 32, or above 48 for solutions by another rule that a
 * rotation leaves unchanged, and it is not known that there are none; the number does not fit into 64 bits; or the
 * memory is too little), NQ_NOMEM, NQ_CANCELLED or NQ_AGAIN (the result is known to be wrong, by a fault of the
 * machine). */
NQ_API NQ_CHECKED enum nq_status nq_count_query(const struct nq_query *query, const struct nq_count_settings *settings,
                                                uint64_t *count);

/* ---- Shapes: boards of any shape ------------------------------------------------------------------------------
 * Rows by columns, walls that hold no queen and end lines of attack, and how many queens there are. A placement is a
 * set of squares of which none attacks another. */

enum { NQ_SHAPE_MAX_SIDE = 64 };

struct nq_shape;

/* Opens a board without walls, for as many queens as its shorter side has squares; the caller closes it. rule: a name
 * of NQ_RULES, or NULL for queens. Returns NQ_OK, NQ_INVALID (there is no such rule, or a side is 0), NQ_LIMIT (a side
 * is above NQ_SHAPE_MAX_SIDE) or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_shape_open(uint32_t rows, uint32_t columns, const char *rule,
                                               struct nq_shape **shape);

/* Makes a square a wall; selects the placements with a queen on a square, or without one. Lines of attack end at walls,
 * moves of a knight pass over them; they pass over excluded squares. Returns NQ_OK, or NQ_INVALID if the square is not
 * on the board, or would be a wall with a queen. */
NQ_API NQ_CHECKED enum nq_status nq_shape_wall(struct nq_shape *shape, uint32_t row, uint32_t column);
NQ_API NQ_CHECKED enum nq_status nq_shape_place(struct nq_shape *shape, uint32_t row, uint32_t column);
NQ_API NQ_CHECKED enum nq_status nq_shape_exclude(struct nq_shape *shape, uint32_t row, uint32_t column);

/* Selects the placements of least to most queens, those that are placed included. UINT32_MAX: of any number. Returns
 * NQ_OK, or NQ_INVALID if least is above most. */
NQ_API NQ_CHECKED enum nq_status nq_shape_queens(struct nq_shape *shape, uint32_t least, uint32_t most);

/* Selects the placements to which no queen can be added, on any square that is no wall; or all of them. */
NQ_API void nq_shape_maximal(struct nq_shape *shape, bool maximal);

/* Counts one placement of each class, as nq_query_distinct(): under the symmetries of the board with its walls, its
 * placed and its excluded squares. Returns NQ_OK, or NQ_INVALID for any other value. */
NQ_API NQ_CHECKED enum nq_status nq_shape_distinct(struct nq_shape *shape, enum nq_distinct distinct);

/* Writes the number of placements to *total, and for each k below room the number of those with k queens to
 * by_queens[k] (NULL if room is 0). settings: as for nq_count_query(), but memory is not heeded: a thread takes some
 * megabytes. The numbers are the same with any settings and on any machine. Returns NQ_OK, NQ_INVALID (the rule has no
 * meaning on this board: a torus is square, and lines that wrap or reflect do not end at walls), NQ_LIMIT (*total does
 * not fit into 64 bits), NQ_NOMEM or NQ_CANCELLED. */
NQ_API NQ_CHECKED enum nq_status nq_shape_count(const struct nq_shape *shape, const struct nq_count_settings *settings,
                                                uint64_t *by_queens, uint32_t room, uint64_t *total);

/* What queens on such a board are. */
struct nq_shape_verdict {
    bool valid;            /* a placement that nq_shape_count() counts, if it counts all */
    bool maximal;          /* no queen can be added on any square that is no wall, */
    struct nq_square free; /* else one can on this square, the first row by row */
    uint32_t on_walls;     /* queens that stand on walls: they attack nothing */
    uint64_t conflicts;    /* pairs of queens that attack each other, or share a square */
};

/* Judges queens[0..count), at most NQ_CONFLICTS_RULE_MAX. The first conflicts, NQ_CONFLICTS_MAX at most, are written to
 * list (NULL: none), which has room for so many. Returns NQ_OK, NQ_INVALID (a queen is not on the board, or the rule
 * has no meaning there), NQ_LIMIT or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_shape_verify(const struct nq_shape *shape, const struct nq_square *queens,
                                                 uint32_t count, struct nq_conflict *list,
                                                 struct nq_shape_verdict *verdict);

/* Frees a shape; NULL is allowed. */
NQ_API void nq_shape_close(struct nq_shape *shape);

/* ---- Constructing: one solution of any size ------------------------------------------------------------------- */

struct nq_construction;

/* Prepares one solution of size n; the caller closes it. method: a name of NQ_CONSTRUCTIONS, or NULL for the default
 * ("explicit": a closed form, Bernhardsson 1991). A method that depends on a seed gets 0; there is no limit of time.
 * Returns NQ_OK, NQ_INVALID (there is no such method), NQ_LIMIT (n is above the method's largest, or the method gives
 * up), NQ_NONE (n is 2 or 3, which have no solution, or this method has none for n) or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_construction_open(const char *method, uint32_t n,
                                                      struct nq_construction **construction);

/* How a construction may work. All zero: the default. */
struct nq_construction_settings {
    const char *rule;     /* a name of NQ_RULES; NULL: queens */
    uint64_t seed;        /* of methods that depend on one */
    nq_progress progress; /* NULL: it is not called */
    void *context;        /* given to progress */
};

/* The same with settings (NULL: the default). Also returns NQ_INVALID (there is no such rule), NQ_LIMIT (the method has
 * no solutions by it) or NQ_CANCELLED. */
NQ_API NQ_CHECKED enum nq_status nq_construction_open_with(const char *method, uint32_t n,
                                                           const struct nq_construction_settings *settings,
                                                           struct nq_construction **construction);

/* Writes the columns of the queens in the rows from `first` on to columns[0..count). first + count must not exceed n.
 */
NQ_API void nq_construction_rows(const struct nq_construction *construction, uint32_t first, uint32_t count,
                                 uint32_t *columns);

/* Frees a construction; NULL is allowed. */
NQ_API void nq_construction_close(struct nq_construction *construction);

/* ---- Puzzles: boards of regions, and hints --------------------------------------------------------------------
 * A board of regions is painted in n colours, each of which gets one queen; queens may not share a row, a column or a
 * region, nor touch. A game is such a board, or one without regions by any rule, on which a player places queens and
 * crosses squares where no queen can be. */

/* What a board or a step asks of a player. NQ_BEYOND, which no puzzle has: squares must be tried. */
enum nq_level { NQ_EASY, NQ_MEDIUM, NQ_HARD, NQ_EXPERT, NQ_BEYOND };

enum { NQ_REGIONS_MIN_N = 5, NQ_REGIONS_MAX_N = 20, NQ_PUZZLE_CODE_SIZE = 16 };

/* A puzzle: region[row * n + column] is the region of a square, from 0 to n - 1; columns is its only solution; code is
 * a short text that brings the same board back in every release. */
struct nq_puzzle {
    uint32_t n;
    enum nq_level level;
    uint8_t region[NQ_REGIONS_MAX_N * NQ_REGIONS_MAX_N];
    uint32_t columns[NQ_REGIONS_MAX_N];
    char code[NQ_PUZZLE_CODE_SIZE];
};

/* How a puzzle is made. All zero: the default. */
struct nq_puzzle_settings {
    uint64_t seed;        /* below 2^53 */
    nq_progress progress; /* NULL: it is not called; its `done` is 0 */
    void *context;        /* given to progress */
};

/* Makes a puzzle of n x n squares and a level; the same seed makes the same puzzle in this release, its code in every
 * later one. A seed that comes to no board has that of the next one that does. settings: NULL for the default. Takes
 * some milliseconds to some seconds. Returns NQ_OK, NQ_INVALID (there is no such level), NQ_LIMIT (n is not
 * NQ_REGIONS_MIN_N to NQ_REGIONS_MAX_N, or the seed is not below 2^53), NQ_NOMEM or NQ_CANCELLED. */
NQ_API NQ_CHECKED enum nq_status nq_puzzle_make(uint32_t n, enum nq_level level,
                                                const struct nq_puzzle_settings *settings, struct nq_puzzle *puzzle);

/* Brings back the puzzle of a code. Returns as nq_puzzle_make(), NQ_INVALID if it is no code, or NQ_LIMIT if it is one
 * of a later release. */
NQ_API NQ_CHECKED enum nq_status nq_puzzle_read(const char *code, struct nq_puzzle *puzzle);

struct nq_game;

/* Opens a game; the caller closes it. rule: a name of NQ_RULES; NULL: with regions "touching", else queens. region[0..n
 * * n): the region of each square, below n; NULL: a board without regions. Returns NQ_OK, NQ_INVALID (there is no such
 * rule or region), NQ_LIMIT (n is not 1 to NQ_SEARCH_MAX_N) or NQ_NOMEM. */
NQ_API NQ_CHECKED enum nq_status nq_game_open(uint32_t n, const char *rule, const uint8_t *region,
                                              struct nq_game **game);

/* Places a queen, which crosses every square that it excludes; or crosses one square. Returns NQ_OK, or NQ_INVALID if
 * the square is not on the board, or a queen is to be placed on a square that is crossed or has one. */
NQ_API NQ_CHECKED enum nq_status nq_game_place(struct nq_game *game, uint32_t row, uint32_t column);
NQ_API NQ_CHECKED enum nq_status nq_game_cross(struct nq_game *game, uint32_t row, uint32_t column);

/* A step of deduction: its technique, "single", "sets-2" and others, and the level at which a player knows it. queen is
 * the square where a queen must stand, if placed is true. */
struct nq_hint {
    char technique[32];
    enum nq_level level;
    bool placed;
    struct nq_square queen;
};

/* Where the free squares times n are more, steps are not looked for: that would take more than some tenths of a second.
 */
enum { NQ_HINT_MOST = 32768 };

/* What a hint says about squares, as bits. */
enum { NQ_MARK_CROSS = 1, NQ_MARK_BECAUSE = 2 };

/* Finds the easiest next step, and makes no move. marks[0..n * n), NULL allowed, gets for each square NQ_MARK_CROSS, if
 * the step crosses it, and NQ_MARK_BECAUSE, if the step rests on it. Returns NQ_OK, NQ_END (every row has its queen),
 * NQ_NONE (no technique finds a step: there is no solution, more than one, or it takes too long to find it) or NQ_LIMIT
 * (see NQ_HINT_MOST). */
NQ_API NQ_CHECKED enum nq_status nq_game_hint(const struct nq_game *game, uint8_t *marks, struct nq_hint *hint);

/* Makes the step that nq_game_hint() finds; returns as it. */
NQ_API NQ_CHECKED enum nq_status nq_game_step(struct nq_game *game);

/* Counts the solutions that the game can still have, up to a limit (1 finds whether there is any, 2 whether there is
 * only one). *budget is the number of placements that may be tried; the number tried is subtracted from it. Returns
 * NQ_OK, NQ_NOMEM, or NQ_AGAIN: the budget ran out first, and *count is what was found. */
NQ_API NQ_CHECKED enum nq_status nq_game_count(const struct nq_game *game, uint64_t limit, uint64_t *budget,
                                               uint64_t *count);

/* Whether every row has its queen; if columns is not NULL, the columns of the queens are written to columns[0..n), and
 * UINT32_MAX for rows without one. */
NQ_API bool nq_game_solved(const struct nq_game *game, uint32_t *columns);

/* Frees a game; NULL is allowed. */
NQ_API void nq_game_close(struct nq_game *game);

/* ---- Listing: what there is to choose from -------------------------------------------------------------------- */

/* The tables of names. */
enum nq_table { NQ_RULES, NQ_ALGORITHMS, NQ_COUNTING_METHODS, NQ_CONSTRUCTIONS, NQ_TECHNIQUES };

/* An entry. Texts are static, and empty if the table has none of these. */
struct nq_entry {
    const char *name;    /* as functions take it */
    const char *summary; /* a sentence or two */
    const char *source;  /* where it was published */
    int year;            /* of the source; 0: none is given */
    uint32_t max_n;      /* the largest board; 0: no such limit */
};

/* Writes the i-th entry of a table. The first rule, algorithm and construction are the defaults. False: it has none. */
NQ_API bool nq_list(enum nq_table table, size_t i, struct nq_entry *entry);

#ifdef __cplusplus
}
#endif

#endif
