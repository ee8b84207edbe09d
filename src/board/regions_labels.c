/* regions_labels.c - boards as people write and as programs print them: n * n labels in any notation of lists, or n
 * words of n signs. Squares of one label are one region.
 *
 * Between labels stand blanks, commas, semicolons and line ends, brackets and quotes, as in JSON, CSV or Python. What
 * is in quotes, or in parentheses as in rgb(0, 128, 0), is part of a label. Of an object the list is read. */
#include <string.h>
#include <strings.h>

#include "board/regions.h"

enum { LABELS_MAX = REGIONS_MAX_SQUARES };

struct label {
    const char *at;
    size_t size;
    uint32_t row; /* lists, or lines, before it that had labels */
};

/* The labels of a text, as far as they are kept: those beyond only count. */
struct labels {
    struct label list[LABELS_MAX];
    uint32_t count, row;
    bool begun; /* the row has a label */
};

static bool is_any(char c, const char *of)
{
    return c != '\0' && strchr(of, c);
}

static void add(struct labels *labels, const char *at, size_t size)
{
    if (labels->count < LABELS_MAX)
        labels->list[labels->count] = (struct label){at, size, labels->row};
    labels->count++;
    labels->begun = true;
}

/* How long the label is that begins here: up to what parts labels, but not within parentheses. */
static size_t label_length(const char *text, size_t size)
{
    bool within = false;
    size_t at = 0;
    for (; at < size && (within || !is_any(text[at], " \t\r\n,;/[]{}\"'")); at++)
        within = text[at] == '(' || (within && text[at] != ')');
    return at;
}

static void end_row(struct labels *labels)
{
    labels->row += labels->begun;
    labels->begun = false;
}

/* What stands here: a label, which is added, or what parts them. Returns how many bytes it takes. */
static size_t take(struct labels *labels, const char *text, size_t size)
{
    if (*text == '"' || *text == '\'') {
        const char *end = memchr(text + 1, *text, size - 1);
        const size_t length = end ? (size_t)(end - text) - 1 : size - 1;
        add(labels, text + 1, length);
        return length + 1 + (end != NULL);
    }
    if (is_any(*text, "/\n]"))
        end_row(labels);
    if (is_any(*text, " \t\r\n,;/[]{}"))
        return 1;
    const size_t length = label_length(text, size);
    add(labels, text, length);
    return length;
}

/* Leaves of {"name":[...]} the list: from the first bracket to the last. */
static void cut_object(const char **text, size_t *size)
{
    const char *begin = memchr(*text, '[', *size);
    size_t end = *size;
    if (**text != '{' || !begin)
        return;
    while (end && (*text)[end - 1] != ']')
        end--;
    if (*text + end <= begin)
        return;
    *size = (size_t)(*text + end - begin);
    *text = begin;
}

static void read_labels(const char *text, size_t size, struct labels *labels)
{
    labels->count = labels->row = 0;
    labels->begun = false;
    for (size_t at = 0; at < size;)
        at += take(labels, text + at, size - at);
}

/* Whether two labels are the same: blanks are none, and hexadecimal colours may be written in capitals. */
static bool same(const struct label *a, const struct label *b)
{
    size_t i = 0, k = 0;
    const bool colours = a->size && *a->at == '#';
    for (;;) {
        for (; i < a->size && a->at[i] == ' '; i++)
            ;
        for (; k < b->size && b->at[k] == ' '; k++)
            ;
        if (i == a->size || k == b->size)
            return i == a->size && k == b->size;
        if (colours ? strncasecmp(a->at + i, b->at + k, 1) != 0 : a->at[i] != b->at[k])
            return false;
        i++;
        k++;
    }
}

/* What stands for a square in no region. */
static bool is_none(const struct label *label)
{
    return label->size == 0 || (label->size == 1 && *label->at == '.') ||
           (label->size == 4 && memcmp(label->at, "null", 4) == 0);
}

/* The side of a square of so many; 0: there is none of a board's size. */
static uint32_t side_of(size_t squares)
{
    uint32_t n = REGIONS_MAX_N;
    while (n >= REGIONS_MIN_N && (size_t)n * n != squares)
        n--;
    return n >= REGIONS_MIN_N ? n : 0;
}

/* Every label is a square. */
static bool read_squares(const struct labels *labels, bool apart, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = side_of(labels->count);
    *fault = (struct regions_fault){.wrong = REGIONS_LABELS, .number = labels->count};
    if (!n)
        return false;
    for (uint32_t i = 0; i < labels->count; i++) {
        ids[i] = REGIONS_NO_ID;
        for (uint32_t first = 0; first <= i && ids[i] == REGIONS_NO_ID && !is_none(&labels->list[i]); first++)
            if (same(&labels->list[first], &labels->list[i]))
                ids[i] = first;
    }
    return regions_read_ids(n, ids, apart, regions, fault);
}

/* Every label is a row, each of its bytes a square. */
static bool read_rows(const struct labels *labels, bool apart, struct regions *regions, struct regions_fault *fault)
{
    uint64_t ids[REGIONS_MAX_SQUARES];
    const uint32_t n = labels->count;
    *fault = (struct regions_fault){.wrong = REGIONS_SIZE, .number = n};
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N)
        return false;
    for (uint32_t row = 0; row < n; row++) {
        const struct label *label = &labels->list[row];
        *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, (uint32_t)label->size};
        if (label->size != n)
            return false;
        for (uint32_t column = 0; column < n; column++)
            ids[row * n + column] = label->at[column] == '.' ? REGIONS_NO_ID : (unsigned char)label->at[column];
    }
    return regions_read_ids(n, ids, apart, regions, fault);
}

/* One word has all squares: "aabb...", perhaps behind its size and number of stars, as in "4x1.aabb...". */
static bool read_word(struct label word, bool apart, struct regions *regions, struct regions_fault *fault)
{
    struct labels labels = {0};
    uint32_t numbers[2] = {0};
    size_t at = 0;
    for (unsigned i = 0; i < 2; i++, at++) {
        const size_t begin = at;
        for (; at < word.size && at < begin + 4 && word.at[at] >= '0' && word.at[at] <= '9'; at++)
            numbers[i] = numbers[i] * 10 + (uint32_t)(word.at[at] - '0');
        if (at == begin || at == word.size || word.at[at] != (i ? '.' : 'x'))
            numbers[1] = 0;
    }
    const bool sized = numbers[0] && numbers[1];
    for (at = sized ? at : 0; at < word.size; at++)
        add(&labels, word.at + at, 1);
    *fault = (struct regions_fault){.wrong = REGIONS_STARS, .number = numbers[1]};
    if (sized && numbers[1] != 1)
        return false;
    *fault = (struct regions_fault){.wrong = REGIONS_LABELS, .number = labels.count};
    return (!sized || side_of(labels.count) == numbers[0]) && read_squares(&labels, apart, regions, fault);
}

/* Whether the lists, or lines, are rows of a board, but one has another length. */
static bool is_uneven(const struct labels *labels, struct regions_fault *fault)
{
    const uint32_t n = labels->row + labels->begun, kept = labels->count < LABELS_MAX ? labels->count : LABELS_MAX;
    uint32_t lengths[REGIONS_MAX_N] = {0}, row = 0;
    if (n < REGIONS_MIN_N || n > REGIONS_MAX_N || n >= labels->count)
        return false;
    for (uint32_t i = 0; i < kept; i++)
        lengths[labels->list[i].row]++;
    while (row < n && lengths[row] == n)
        row++;
    *fault = (struct regions_fault){REGIONS_ROW, n, row, 0, row < n ? lengths[row] : 0};
    return row < n;
}

/* Whether some label has more than one byte. */
static bool has_words(const struct labels *labels)
{
    const uint32_t kept = labels->count < LABELS_MAX ? labels->count : LABELS_MAX;
    for (uint32_t i = 0; i < kept; i++)
        if (labels->list[i].size > 1)
            return true;
    return false;
}

bool regions_read_labels(const char *text, size_t size, bool apart, struct regions *regions,
                         struct regions_fault *fault)
{
    struct labels labels;
    struct regions other;
    struct regions_fault why;
    *fault = (struct regions_fault){.wrong = REGIONS_LABELS};
    if (!size)
        return false;
    cut_object(&text, &size);
    read_labels(text, size, &labels);
    if (labels.count == 1)
        return read_word(labels.list[0], apart, regions, fault);
    const bool squares = read_squares(&labels, apart, regions, fault);
    const bool rows = read_rows(&labels, apart, squares ? &other : regions, squares ? &why : fault);
    if (squares && rows)
        *fault = (struct regions_fault){.wrong = REGIONS_TWO_WAYS, .n = labels.count};
    if (squares != rows)
        *fault = (struct regions_fault){.n = regions->n};
    if (!squares && !rows) {
        if (side_of(labels.count))
            (void)read_squares(&labels, apart, regions, fault);
        else if ((fault->wrong == REGIONS_SIZE || !has_words(&labels)) && !is_uneven(&labels, fault))
            *fault = (struct regions_fault){.wrong = REGIONS_LABELS, .number = labels.count};
    }
    return squares != rows;
}
