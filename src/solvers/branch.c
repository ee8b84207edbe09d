/* branch.c - the most constrained line first, with the queen that takes the fewest squares first. */
#include "solvers/branch.h"

static uint32_t mix(uint32_t x) /* C. Wellons, Prospecting for Hash Functions, 2018: lowbias32 */
{
    x ^= x >> 16;
    x *= 0x7feb352d;
    x ^= x >> 15;
    x *= 0x846ca68b;
    return x ^ x >> 16;
}

/* Equal squares are mixed: what is regular about the squares of a path leaves few free ones at its end. */
static uint32_t branch_key(const struct vacancies *vacancies, const struct branch *branch, uint32_t at)
{
    const uint32_t row = branch->by_column ? at : branch->line, column = branch->by_column ? branch->line : at;
    return vacancies_cost(vacancies, row, column) << 6 | (mix(row * VACANCIES_MAX_N + column) & 63);
}

static const struct ring *squares_of(const struct vacancies *vacancies, const struct branch *branch)
{
    return branch->by_column ? &vacancies->rows : &vacancies->columns;
}

static bool free_at(const struct vacancies *vacancies, const struct branch *branch, uint32_t at)
{
    return branch->by_column ? vacancies_free(vacancies, at, branch->line)
                             : vacancies_free(vacancies, branch->line, at);
}

static uint32_t far_out(uint32_t n, uint32_t line)
{
    const uint32_t twice = 2 * line, middle = n - 1;
    return 2 * (twice > middle ? twice - middle : middle - twice) + (twice > middle);
}

/* Chooses a row, or a column, if there is one with fewer free squares than have been found; false: one has none. */
static bool choose_among(const struct vacancies *vacancies, bool by_column, struct branch *branch, uint32_t *fewest)
{
    const uint32_t n = vacancies->n;
    const struct ring *lines = by_column ? &vacancies->columns : &vacancies->rows;
    const uint16_t *in_line = by_column ? vacancies->in_column : vacancies->in_row;
    for (uint32_t line = lines->next[n]; line != n; line = lines->next[line]) {
        const uint32_t count = in_line[line];
        if (count == 0)
            return false;
        if (count > *fewest || (count == *fewest && far_out(n, line) >= far_out(n, branch->line)))
            continue;
        *fewest = count;
        branch->line = (uint16_t)line;
        branch->by_column = by_column;
    }
    return true;
}

bool branch_choose(const struct vacancies *vacancies, struct branch *branch)
{
    uint32_t fewest = UINT32_MAX;
    *branch = (struct branch){.left = (uint16_t)vacancies->left};
    if (!choose_among(vacancies, false, branch, &fewest) || !choose_among(vacancies, true, branch, &fewest))
        return false;
    branch->squares = (uint16_t)fewest;
    return true;
}

void branch_keys(const struct vacancies *vacancies, const struct branch *branch, uint32_t *keys)
{
    const struct ring *squares = squares_of(vacancies, branch);
    for (uint32_t at = squares->next[vacancies->n]; at != vacancies->n; at = squares->next[at])
        if (free_at(vacancies, branch, at))
            keys[at] = branch_key(vacancies, branch, at);
}

bool branch_next(const struct vacancies *vacancies, struct branch *branch)
{
    const struct ring *squares = squares_of(vacancies, branch);
    uint32_t best = vacancies->n, best_key = UINT32_MAX;
    for (uint32_t at = squares->next[vacancies->n]; at != vacancies->n; at = squares->next[at]) {
        if (!free_at(vacancies, branch, at))
            continue;
        const uint32_t key = branch_key(vacancies, branch, at);
        const bool before = key < branch->key || (key == branch->key && at <= branch->at);
        if (key < best_key && !(branch->begun && before)) {
            best = at;
            best_key = key;
        }
    }
    if (best == vacancies->n)
        return false;
    branch->begun = true;
    branch->at = (uint16_t)best;
    branch->key = best_key;
    branch->tried++;
    return true;
}

void branch_pass(const struct vacancies *vacancies, struct branch *branch, uint32_t at)
{
    const struct ring *squares = squares_of(vacancies, branch);
    const uint32_t key = branch_key(vacancies, branch, at);
    branch->begun = true;
    branch->at = (uint16_t)at;
    branch->key = key;
    branch->tried = 0;
    for (uint32_t other = squares->next[vacancies->n]; other != vacancies->n; other = squares->next[other]) {
        const uint32_t its = free_at(vacancies, branch, other) ? branch_key(vacancies, branch, other) : UINT32_MAX;
        branch->tried = (uint16_t)(branch->tried + (its < key || (its == key && other <= at)));
    }
}
