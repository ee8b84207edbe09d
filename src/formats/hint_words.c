/* hint_words.c - templates by language, and what they are filled with. A place to fill is a letter after a percent
 * sign: %g groups, %o the other groups, %s the size of a step, %a a square, %c a number of squares, %l a line. */
#include "formats/hint_words.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

struct technique_words {
    const char *name; /* of the technique */
    const char *title, *why;
};

struct language {
    const char *code;
    const char *group[GROUP_KINDS], *square; /* %l the number or letter of a group; row and column of a square */
    const char *comma_and, *and;             /* before the last of three and more, of two */
    const char *place, *cross_one, *cross_many;
    const char *reason[HINT_REASONS];
    struct technique_words technique[8];
};

static const struct language languages[] = {
    {
        .code = "en",
        .group = {"row %l", "column %l", "region %l"},
        .square = "row %l, column %c",
        .comma_and = ", and ",
        .and = " and ",
        .place = "So a queen belongs on %a.",
        .cross_one = "So %c square can be crossed.",
        .cross_many = "So %c squares can be crossed.",
        .reason = {"No other square is left in row %l.", "No other square is left in column %l.",
                   "Every completion has a queen there.", "No other square leaves more completions."},
        .technique =
            {
                {"single", "The only square", "In %g only one square is free."},
                {"confined", "Confined",
                 "All free squares of %g lie in %o. The queen there is one of them, so the other squares there stay "
                 "empty."},
                {"common-attack", "Common attack", "Wherever the queen of %g goes, it attacks the same squares."},
                {"sets", "Set of %s",
                 "All free squares of %g lie in %o. Both are equally many, so the other squares there stay empty."},
                {"contradiction-1", "Contradiction at once", "A queen on %a would leave no square for %g."},
                {"contradiction", "Contradiction, %s steps",
                 "A queen on %a would, after the simplest conclusions, leave no square for %g."},
                {"contradiction-full", "Long contradiction, %s steps",
                 "A queen on %a would, after every easier conclusion, leave no square for %g."},
                {"search", "By trying", "No technique is enough here. Trying out finds what comes next."},
            },
    },
    {
        .code = "it",
        .group = {"riga %l", "colonna %l", "regione %l"},
        .square = "riga %l, colonna %c",
        .comma_and = " e ",
        .and = " e ",
        .place = "Quindi una regina va in %a.",
        .cross_one = "Quindi %c casella può avere una croce.",
        .cross_many = "Quindi %c caselle possono avere una croce.",
        .reason = {"Non resta nessun’altra casella nella riga %l.", "Non resta nessun’altra casella nella colonna %l.",
                   "Ogni completamento ha una regina lì.", "Nessun’altra casella lascia più completamenti."},
        .technique =
            {
                {"single", "L’unica casella", "Resta una sola casella libera (%g)."},
                {"confined", "Confinata",
                 "Le caselle libere (%g) sono tutte qui: %o. La regina sta su una di esse, e lì le altre caselle "
                 "restano vuote."},
                {"common-attack", "Attacco comune", "Ovunque vada la regina (%g), attacca le stesse caselle."},
                {"sets", "Insieme di %s",
                 "Le caselle libere (%g) sono tutte qui: %o. Le une e le altre sono in numero uguale, quindi lì le "
                 "altre caselle restano vuote."},
                {"contradiction-1", "Contraddizione immediata", "Una regina in %a non lascerebbe caselle per: %g."},
                {"contradiction", "Contraddizione, passi: %s",
                 "Una regina in %a, dopo le conclusioni più semplici, non lascerebbe caselle per: %g."},
                {"contradiction-full", "Contraddizione lunga, passi: %s",
                 "Una regina in %a, dopo ogni conclusione più facile, non lascerebbe caselle per: %g."},
                {"search", "Per tentativi", "Qui nessuna tecnica basta. Si trova il seguito solo provando."},
            },
    },
    {
        .code = "ru",
        .group = {"строка %l", "столбец %l", "область %l"},
        .square = "строка %l, столбец %c",
        .comma_and = " и ",
        .and = " и ",
        .place = "Значит, место ферзя: %a.",
        .cross_one = "Значит, крестиков можно поставить: %c.",
        .cross_many = "Значит, крестиков можно поставить: %c.",
        .reason = {"Другой клетки не осталось: строка %l.", "Другой клетки не осталось: столбец %l.",
                   "В каждом дополнении там стоит ферзь.", "Ни одна другая клетка не оставляет больше дополнений."},
        .technique =
            {
                {"single", "Единственная клетка", "Осталась одна свободная клетка (%g)."},
                {"confined", "Заперто",
                 "Свободные клетки (%g) лежат целиком здесь: %o. На одной из них ферзь, поэтому остальные клетки там "
                 "пусты."},
                {"common-attack", "Общий удар", "Где бы ни стоял ферзь (%g), он бьёт одни и те же клетки."},
                {"sets", "Набор из %s",
                 "Свободные клетки (%g) лежат целиком здесь: %o. Тех и других поровну, поэтому остальные клетки там "
                 "пусты."},
                {"contradiction-1", "Противоречие сразу", "Ферзь здесь (%a) не оставит места: %g."},
                {"contradiction", "Противоречие, шагов: %s",
                 "Если ферзь здесь (%a), простейшие выводы не оставят места: %g."},
                {"contradiction-full", "Длинное противоречие, шагов: %s",
                 "Если ферзь здесь (%a), все более лёгкие выводы не оставят места: %g."},
                {"search", "Перебор", "Приёмов здесь не хватает. Дальше ведёт только перебор."},
            },
    },
};
enum { LANGUAGES = sizeof languages / sizeof languages[0] };

const char *hint_language(size_t language)
{
    return language < LANGUAGES ? languages[language].code : NULL;
}

/* ---- Templates ---- */

/* Appends a template with each place filled by fill(). */
static void write_template(struct bytes *out, const char *template,
                           void (*fill)(struct bytes *out, char place, const void *of), const void *of)
{
    for (const char *at = template; *at; at++)
        if (*at == '%' && at[1])
            fill(out, *++at, of);
        else
            bytes_char(out, *at);
}

/* Of a group, a square, or a sentence: two numbers, or a letter in place of the first. */
struct numbers {
    uint32_t line, count;
    char letter;
};

static void fill_numbers(struct bytes *out, char place, const void *of)
{
    const struct numbers *numbers = of;
    if (place == 'l' && numbers->letter)
        bytes_char(out, numbers->letter);
    else
        bytes_number(out, place == 'l' ? numbers->line : numbers->count);
}

/* A step in a language, for its sentences. */
struct telling {
    const struct language *language;
    const struct grid *grid;
    const struct finding *finding;
    uint32_t base, crossed, square; /* squares that are crossed; the one that a sentence names */
};

static void write_group(struct bytes *out, const struct telling *of, const struct group *group)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRST";
    assert(group->kind != GROUP_REGION || group->index < sizeof letters - 1);
    struct numbers numbers = {.line = group->index + of->base};
    if (group->kind == GROUP_REGION)
        numbers.letter = letters[group->index];
    write_template(out, of->language->group[group->kind], fill_numbers, &numbers);
}

/* The groups of the first one's kind, or the others, as a list in words. */
static void write_groups(struct bytes *out, const struct telling *of, bool others)
{
    const struct finding *finding = of->finding;
    uint32_t all = 0, done = 0;
    for (uint32_t i = 0; i < finding->groups; i++)
        all += (finding->group[i].kind != finding->group[0].kind) == others;
    for (uint32_t i = 0; i < finding->groups; i++) {
        if ((finding->group[i].kind != finding->group[0].kind) != others)
            continue;
        if (done)
            bytes_text(out, done + 1 < all ? ", " : all > 2 ? of->language->comma_and : of->language->and);
        write_group(out, of, &finding->group[i]);
        done++;
    }
}

static void fill_step(struct bytes *out, char place, const void *cls)
{
    const struct telling *of = cls;
    const uint32_t n = of->grid ? of->grid->n : 1;
    switch (place) {
    case 'g': write_groups(out, of, false); break;
    case 'o': write_groups(out, of, true); break;
    case 'c': bytes_number(out, of->crossed); break;
    case 'a':
        write_template(out, of->language->square, fill_numbers,
                       &(struct numbers){of->square / n + of->base, of->square % n + of->base, '\0'});
        break;
    default: assert(place == 's'); bytes_number(out, of->finding->size);
    }
}

static const struct technique_words *words_of(const struct telling *of)
{
    const struct technique_words *words = of->language->technique;
    while (strcmp(words->name, of->finding->by->name) != 0)
        words++; /* test_hint_words.c knows that every technique has some */
    return words;
}

void hint_title(struct bytes *out, const struct finding *finding, size_t language)
{
    assert(language < LANGUAGES);
    const struct telling of = {.language = &languages[language], .finding = finding};
    write_template(out, words_of(&of)->title, fill_step, &of);
}

void hint_why(struct bytes *out, const struct grid *grid, uint32_t base, const struct finding *finding, size_t language)
{
    assert(language < LANGUAGES);
    struct telling of = {.language = &languages[language], .grid = grid, .finding = finding, .base = base};
    uint32_t square;
    for (struct squares_left at = squares_of(grid, finding->cross, NULL); squares_next(&at, &square); of.crossed++)
        of.square = square; /* of a contradiction the only one */
    if (finding->queen != GRID_NOWHERE)
        of.square = finding->queen;
    write_template(out, words_of(&of)->why, fill_step, &of);
    bytes_char(out, ' ');
    write_template(out,
                   finding->queen != GRID_NOWHERE ? of.language->place
                   : of.crossed == 1              ? of.language->cross_one
                                                  : of.language->cross_many,
                   fill_step, &of);
}

/* ---- Without a technique ---- */

const char *hint_reason_code(enum hint_reason reason)
{
    static const char *const codes[] = {[REASON_LAST_IN_ROW] = "last-in-row",
                                        [REASON_LAST_IN_COLUMN] = "last-in-column",
                                        [REASON_ALWAYS] = "in-every-completion",
                                        [REASON_MOST] = "most-completions"};
    return codes[reason];
}

void hint_reason(struct bytes *out, enum hint_reason reason, uint32_t line, size_t language)
{
    assert(language < LANGUAGES);
    write_template(out, languages[language].reason[reason], fill_numbers, &(struct numbers){.line = line});
}
