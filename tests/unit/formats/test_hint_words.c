/* test_hint_words.c - tests of src/formats/hint_words.c: every technique and reason has words in every language,
 * and all that a template names is filled in. */
/* CI builds: address */
#include "formats/hint_words.h"

#include <string.h>

#include "support/tests.h"

enum { N = 6 };

/* A step of a technique with some groups, of a row and a column, or of two and two. */
static void make(const struct grid *grid, const struct technique *by, uint32_t each, struct finding *finding)
{
    finding_begin(grid, finding);
    finding->by = by;
    finding->size = by->sized ? 3 : 0;
    for (uint32_t i = 0; i < 2 * each; i++)
        finding->group[finding->groups++] = (struct group){i < each ? GROUP_ROW : GROUP_REGION, (uint8_t)(i % each)};
    finding->cross[0] = 1U << 8; /* row 2, column 3 */
}

static const char *told(struct bytes *out)
{
    bytes_char(out, '\0');
    assert_false(out->failed);
    return out->data;
}

static void check_words(struct bytes *out)
{
    const char *text = told(out);
    assert_true(strlen(text) > 3 && !strpbrk(text, "%\"\\") && text[strlen(text) - 1] != ' ');
    out->size = 0;
}

TEST(test_every_technique)
{
    uint8_t of[N * N] = {0};
    struct grid *grid = grid_new(rules[0], N, of);
    BYTES(out);
    size_t language = 0;
    assert_non_null(grid);
    for (; hint_language(language); language++) {
        for (const struct technique *const *by = techniques; *by; by++)
            for (uint32_t each = 1; each <= 4; each++) {
                struct finding finding;
                make(grid, *by, each, &finding);
                hint_title(&out, &finding, language);
                check_words(&out);
                hint_why(&out, grid, 1, &finding, language);
                check_words(&out);
                finding.queen = 8;
                hint_why(&out, grid, 0, &finding, language);
                check_words(&out);
            }
        for (enum hint_reason reason = 0; reason < HINT_REASONS; reason++) {
            hint_reason(&out, reason, 7, language);
            check_words(&out);
            assert_non_null(hint_reason_code(reason));
        }
    }
    assert_int_equal(language, 3);
    grid_free(grid);
}

static const struct technique *named(const char *name)
{
    const struct technique *const *by = techniques;
    while (strcmp((*by)->name, name) != 0)
        by++;
    return *by;
}

TEST(test_sentences)
{
    static const struct {
        const char *technique;
        uint32_t each, base;
        size_t language;
        const char *why;
    } rows[] = {
        {"confined", 1, 1, 0,
         "All free squares of row 1 lie in region A. The queen there is one of them, so the other squares there stay "
         "empty. So 1 square can be crossed."},
        {"sets", 2, 0, 0,
         "All free squares of row 0 and row 1 lie in region A and region B. Both are equally many, so the other "
         "squares "
         "there stay empty. So 1 square can be crossed."},
        {"sets", 3, 1, 0,
         "All free squares of row 1, row 2, and row 3 lie in region A, region B, and region C. Both are equally many, "
         "so "
         "the other squares there stay empty. So 1 square can be crossed."},
        {"contradiction-1", 1, 1, 0,
         "A queen on row 2, column 3 would leave no square for row 1. So 1 square can be crossed."},
        {"contradiction-1", 1, 0, 1,
         "Una regina in riga 1, colonna 2 non lascerebbe caselle per: riga 0. Quindi 1 casella può avere una croce."},
        {"sets", 3, 1, 2,
         "Свободные клетки (строка 1, строка 2 и строка 3) лежат целиком здесь: область A, область B и область C. Тех "
         "и "
         "других поровну, поэтому остальные клетки там пусты. Значит, крестиков можно поставить: 1."},
    };
    uint8_t of[N * N] = {0};
    struct grid *grid = grid_new(rules[0], N, of);
    assert_non_null(grid);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct finding finding;
        BYTES(out);
        make(grid, named(rows[i].technique), rows[i].each, &finding);
        hint_why(&out, grid, rows[i].base, &finding, rows[i].language);
        assert_string_equal(told(&out), rows[i].why);
    }
    grid_free(grid);
}
