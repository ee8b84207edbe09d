/* puzzle.c - makes a board of regions, and solves it as a player would, step by step. */
#include <nqueens.h>
#include <stdio.h>
#include <stdlib.h>

static void draw(const struct nq_puzzle *puzzle)
{
    for (uint32_t row = 0; row < puzzle->n; row++) {
        for (uint32_t column = 0; column < puzzle->n; column++)
            putchar('a' + puzzle->region[row * puzzle->n + column]);
        putchar('\n');
    }
}

int main(int argc, char **argv)
{
    const struct nq_puzzle_settings settings = {.seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 1};
    struct nq_puzzle puzzle;
    struct nq_game *game;
    struct nq_hint hint;
    enum nq_status status = nq_puzzle_make(7, NQ_MEDIUM, &settings, &puzzle);
    if (status == NQ_OK)
        status = nq_game_open(puzzle.n, NULL, puzzle.region, &game);
    if (status != NQ_OK) {
        fprintf(stderr, "puzzle: %s\n", nq_status_text(status));
        return 1;
    }
    printf("puzzle %s\n", puzzle.code);
    draw(&puzzle);
    while (nq_game_hint(game, NULL, &hint) == NQ_OK && nq_game_step(game) == NQ_OK)
        if (hint.placed)
            printf("a queen in row %u, column %u: %s\n", hint.queen.row + 1, hint.queen.column + 1, hint.technique);
        else
            printf("some squares are crossed: %s\n", hint.technique);
    nq_game_close(game);
}
