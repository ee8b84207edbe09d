/* regions.h - an n x n board that is painted in n regions, and the forms in which people exchange it: lines of letters,
 * numbers by square, and the links of puzz.link. It knows neither queens nor rules. */
#ifndef BOARD_REGIONS_H
#define BOARD_REGIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

enum { REGIONS_MIN_N = 4, REGIONS_MAX_N = 20, REGIONS_MAX_SQUARES = REGIONS_MAX_N * REGIONS_MAX_N };

/* Regions are numbered by their first squares, row by row: however they were called, equal boards are equal. */
struct regions {
    uint32_t n;
    uint8_t of[REGIONS_MAX_SQUARES]; /* by row * n + column */
};

/* What is wrong with a board that was given. */
enum regions_wrong {
    REGIONS_RIGHT,
    REGIONS_SIZE,      /* not 4 to 20 rows; number: how many */
    REGIONS_ROW,       /* a row of another length; row; number: its length */
    REGIONS_LETTER,    /* a square that is no letter */
    REGIONS_NONE,      /* a square in no region */
    REGIONS_FEW,       /* fewer than n regions; number: how many */
    REGIONS_MANY,      /* the first square of one too many; number: how many there are */
    REGIONS_APART,     /* the first square that does not touch its region's part before it */
    REGIONS_LINK,      /* not of the form starbattle/n/n/1/borders */
    REGIONS_LINK_SIZE, /* not square; number: the other side */
    REGIONS_STARS,     /* a link with another number of stars; number: how many */
    REGIONS_BORDERS,   /* a link with too few or too many digits; number: how many there are */
    REGIONS_LABELS,    /* neither n * n labels nor n words of n signs; number: how many */
    REGIONS_TWO_WAYS,  /* both; n: how many */
    REGIONS_DIGIT      /* a link with something that is no digit of base 32; number: which, from 1 on */
};

struct regions_fault {
    enum regions_wrong wrong;
    uint32_t n; /* if it is known */
    uint32_t row, column, number;
};

/* The fault as a sentence, with a full stop; rows and columns are counted from base. */
void regions_fault_text(const struct regions_fault *fault, uint32_t base, struct bytes *out);

/* In ids: a square in no region. */
#define REGIONS_NO_ID UINT64_MAX

/* All readers return whether there is such a board: n regions that cover it, each connected by sides, unless `apart`
 * allows others. If not, *fault says why. */

/* From any numbers, one by square: ids[0..n * n), n <= REGIONS_MAX_N. */
bool regions_read_ids(uint32_t n, const uint64_t *ids, bool apart, struct regions *regions,
                      struct regions_fault *fault);

/* From n rows of n letters, separated by / or line ends; capitals are letters of their own. */
bool regions_read_text(const char *text, size_t size, bool apart, struct regions *regions, struct regions_fault *fault);

/* From a link, or what follows its question mark: "starbattle/n/n/1/borders"; also one within the address of another
 * page, as that of penpa-edit, escaped or not. Borders are bits, five in a digit of base
 * 32, the first the most significant: those between squares of a row, row by row, n - 1 each; then, in a new digit,
 * those between a row and the next, n each. As puzz.link does, it ignores the bits that are left over, and borders that
 * end inside a region. */
bool regions_read_link(const char *text, size_t size, struct regions *regions, struct regions_fault *fault);

/* From any of these, perhaps behind a byte order mark. */
bool regions_read(const char *text, size_t size, bool apart, struct regions *regions, struct regions_fault *fault);

/* Whether a text is meant as a link. */
bool regions_is_link(const char *text, size_t size);

/* The same board as letters from a on, rows separated by a character. Returns text. */
enum { REGIONS_TEXT_MAX = REGIONS_MAX_N * (REGIONS_MAX_N + 1) };
const char *regions_text(const struct regions *regions, char separator, char text[static REGIONS_TEXT_MAX]);

/* Appends the same board as letters from a on, rows separated by a character; without one at the end. */
void regions_write_text(const struct regions *regions, char separator, struct bytes *out);

/* As "starbattle/n/n/1/borders". Regions that are not connected come back as several. */
void regions_write_link(const struct regions *regions, struct bytes *out);

/* ---- What the generator needs ---- */

/* Whether the squares of a region, but for one (REGIONS_MAX_SQUARES: none), are connected by sides, or none. */
bool regions_connected(uint32_t n, const uint8_t *of, uint8_t region, uint32_t without);

/* Marks the squares that are not connected with the first one of their region; false: there are none. */
bool regions_apart(const struct regions *regions, bool apart[static REGIONS_MAX_SQUARES]);

/* The squares beside a square. Returns how many. */
unsigned regions_beside(uint32_t n, uint32_t square, uint32_t beside[static 4]);

/* Numbers regions by their first squares. */
void regions_number(struct regions *regions);

#endif
