/* verify_parts.h - what the readers of all forms share: what is wrong and where, numbers, solutions and their queens,
 * drawn boards, regions. It knows no form. */
#ifndef HTTP_ASK_VERIFY_PARTS_H
#define HTTP_ASK_VERIFY_PARTS_H

#include "http/ask/verify_body.h"

/* The readers. */
void verify_read_json(struct verify_body *body);
void verify_read_lines(struct verify_body *body);
void verify_read_text(struct verify_body *body);
void verify_read_csv(struct verify_body *body);

/* ---- What is wrong ---- */

/* `where` is what the reason is about; see reject_param(). The first reason stays. */
void verify_refuse(struct verify_body *body, enum refusal why, const char *where, const char *reason, ...)
    __attribute__((format(printf, 4, 5)));

/* For now: NQ_BUSY, NQ_NOMEM or NQ_CANCELLED. */
void verify_give_up(struct verify_body *body, enum nq_status status);

/* At body->offset, of which the reason has the byte, counted from 0, and line and column, counted from 1. */
void verify_refuse_here(struct verify_body *body, const char *what);
void verify_unexpected(struct verify_body *body, unsigned char c, const char *wanted);

/* Whether to go on: nothing is wrong so far, and nobody stops it. For every loop that a body makes long. */
bool verify_goes_on(struct verify_body *body);

/* ---- Bytes of forms that come in lines, where a \r says nothing ---- */

/* The byte at body->offset; at the end of the text \n, as at that of a line. */
int verify_peek(struct verify_body *body);
/* The same, and moves behind it, but not behind the end of the text. */
int verify_next(struct verify_body *body);

/* Whether the text has nothing more. */
static inline bool verify_at_end(struct verify_body *body)
{
    return verify_peek(body) == '\n' && body->offset == body->size;
}

static inline bool verify_is_digit(int c)
{
    return c >= '0' && c <= '9';
}

/* A number with one more digit; UINT32_MAX for what is larger than any that means something. */
uint32_t verify_digit(uint32_t number, int digit);

/* Reads what stands before a number, and the number, of up to nine digits, and moves the text behind it. False: they
 * are not there, and nothing is read. */
bool verify_labelled(const char **text, const char *label, uint32_t *number);

/* ---- The board ---- */

/* The size of the board and the number of its first row and column. */
void verify_board(struct verify_body *body, uint32_t n, uint32_t base);

/* A rule by its name. */
void verify_rule(struct verify_body *body, const char *name, size_t length);
/* The same, of a text that goes on with a label and the name, and moves the text behind it; without the label nothing
 * is read. */
void verify_rule_after(struct verify_body *body, const char **text, const char *label);

/* Regions as letters or as a link; as numbers, row by row (n of them, each of lengths[row], at most REGIONS_MAX_N of
 * either are there). In all places they must be the same. */
void verify_regions_text(struct verify_body *body, const char *text, size_t size);
void verify_regions_ids(struct verify_body *body, uint32_t n, const uint32_t *lengths, const uint64_t *ids);
/* As verify_rule_after(). */
void verify_regions_after(struct verify_body *body, const char **text, const char *label);

/* ---- Queens ---- */

/* A solution begins; its queens are kept if it is the wanted one. */
void verify_solution(struct verify_body *body);

/* Begins to read its queens in a kind; what another kind gave before is dropped. */
void verify_kind(struct verify_body *body, enum verify_kind kind);

/* Numbers as they are written, from `base`. */
void verify_queen(struct verify_body *body, uint32_t row, uint32_t column);

uint32_t verify_count(const struct verify_body *body);

/* A byte of a row that is drawn: Q . 1 0 or the two signs of board=unicode. False: it is none. */
bool verify_square(struct verify_body *body, unsigned char c);

/* Whether a row that was drawn ends as it may: not within a sign, and as wide as the first. */
enum verify_row { VERIFY_ROW, VERIFY_ROW_CUT, VERIFY_ROW_WIDTH };
enum verify_row verify_row(struct verify_body *body);

/* The end of a drawn board, which must have as many rows as the first of them has squares. */
void verify_drawing(struct verify_body *body);

#endif
