/* game.c - the public game: a board on which a player places queens and crosses squares, and the next step. */
#include <stdlib.h>
#include <string.h>

#include "library/query.h"
#include "puzzles/completions.h"
#include "puzzles/technique.h"

_Static_assert(FINDING_NAME_MAX <= sizeof(((struct nq_hint *)NULL)->technique), "a hint has room for a name");
_Static_assert(LEVELS == (int)NQ_BEYOND, "nqueens.h states the levels");

struct nq_game {
    struct grid *grid; /* NULL: n is 0 */
    struct position position;
};

static const char touching[] = "touching";

enum nq_status nq_game_open(uint32_t n, const char *rule, const uint8_t *region, struct nq_game **out)
{
    const struct rule *its;
    if (!library_rule(rule ? rule : region ? touching : NULL, &its))
        return NQ_INVALID;
    if (!n || n > GRID_MAX_N)
        return NQ_LIMIT;
    for (uint32_t square = 0; region && square < n * n; square++)
        if (region[square] >= n)
            return NQ_INVALID;
    struct nq_game *game = malloc(sizeof *game);
    struct grid *grid = grid_new(its, n, region);
    if (!game || !grid) {
        free(game);
        grid_free(grid);
        return NQ_NOMEM;
    }
    game->grid = grid;
    position_begin(grid, &game->position);
    *out = game;
    return NQ_OK;
}

static bool on_board(const struct nq_game *game, uint32_t row, uint32_t column)
{
    return row < game->grid->n && column < game->grid->n;
}

enum nq_status nq_game_place(struct nq_game *game, uint32_t row, uint32_t column)
{
    const bool placed =
        on_board(game, row, column) && position_place(game->grid, &game->position, row * game->grid->n + column);
    return placed ? NQ_OK : NQ_INVALID;
}

enum nq_status nq_game_cross(struct nq_game *game, uint32_t row, uint32_t column)
{
    if (!on_board(game, row, column))
        return NQ_INVALID;
    position_cross(&game->position, row * game->grid->n + column);
    return NQ_OK;
}

static enum nq_status next_step(const struct nq_game *game, struct finding *finding)
{
    if (position_solved(game->grid, &game->position))
        return NQ_END;
    if (position_free_squares(game->grid, &game->position) * game->grid->n > NQ_HINT_MOST)
        return NQ_LIMIT;
    return finding_next(game->grid, &game->position, GRADE_TECHNIQUES, finding, NULL) ? NQ_OK : NQ_NONE;
}

static void write_marks(uint32_t n, const struct finding *finding, uint8_t *marks)
{
    for (uint32_t square = 0; square < n * n; square++) {
        const bool cross = finding->cross[square / 64] >> square % 64 & 1;
        const bool because = finding->squares[square / 64] >> square % 64 & 1;
        marks[square] = (uint8_t)((cross ? NQ_MARK_CROSS : 0) | (because ? NQ_MARK_BECAUSE : 0));
    }
}

enum nq_status nq_game_hint(const struct nq_game *game, uint8_t *marks, struct nq_hint *hint)
{
    const uint32_t n = game->grid->n;
    struct finding finding;
    const enum nq_status status = next_step(game, &finding);
    if (status != NQ_OK)
        return status;
    *hint = (struct nq_hint){.level = (enum nq_level)finding.by->level, .placed = finding.queen != GRID_NOWHERE};
    (void)finding_name(&finding, hint->technique);
    if (hint->placed)
        hint->queen = (struct nq_square){finding.queen / n, finding.queen % n};
    if (marks)
        write_marks(n, &finding, marks);
    return NQ_OK;
}

enum nq_status nq_game_step(struct nq_game *game)
{
    struct finding finding;
    const enum nq_status status = next_step(game, &finding);
    if (status == NQ_OK)
        finding_apply(game->grid, &game->position, &finding);
    return status;
}

enum nq_status nq_game_count(const struct nq_game *game, uint64_t limit, uint64_t *budget, uint64_t *count)
{
    struct completions *search = malloc(sizeof *search);
    if (!search)
        return NQ_NOMEM;
    *count = 0;
    completions_begin(search, game->grid, &game->position, false);
    const enum nq_status status = completions_count(search, limit, count, budget, NULL);
    free(search);
    return status;
}

bool nq_game_solved(const struct nq_game *game, uint32_t *columns)
{
    for (uint32_t row = 0; columns && row < game->grid->n; row++)
        columns[row] = game->position.filled[GROUP_ROW] >> row & 1 ? game->position.columns[row] : UINT32_MAX;
    return position_solved(game->grid, &game->position);
}

void nq_game_close(struct nq_game *game)
{
    if (!game)
        return;
    grid_free(game->grid);
    free(game);
}
