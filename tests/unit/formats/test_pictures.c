/* test_pictures.c - tests of src/formats: pictures of boards are well-formed, and show the queens where they stand. */
/* CI builds: address */
#include <png.h>
#include <stdio.h>

#include "board/conflicts.h"
#include "shapes/shape.h"
#include "support/written_formats.h"

#include "support/failing_bytes.h"

static const uint32_t sizes[] = {1, 4, 5, 8, 17, 64, 113, 114, 129, 512, 513, 4096};

/* Some permutation: queens that attack each other are drawn as well. */
static uint32_t *some_columns(uint32_t n)
{
    uint32_t *columns = malloc(n * sizeof *columns);
    assert_non_null(columns);
    for (uint32_t row = 0; row < n; row++)
        columns[row] = row % 2 ? row / 2 : n - 1 - row / 2;
    return columns;
}

TEST(test_scale)
{
    for (uint32_t n = 1; n <= PICTURE_MAX_N; n++) {
        assert_in_range(picture_scale(n), 1, 64);
        assert_in_range(n * picture_scale(n), 1, PICTURE_MAX_N);
        if (n > 1)
            assert_true(picture_scale(n) <= picture_scale(n - 1));
    }
    assert_int_equal(picture_scale(8), 64);
    assert_int_equal(picture_scale(512), 8);
    assert_int_equal(picture_scale(4096), 1);
}

/* Not a parser, but every tag it opens it closes, in order, and attributes are name="value". Returns the end. */
static const char *well_formed(const char *at)
{
    char open[8][16];
    size_t depth = 0;
    while ((at = strchr(at, '<'))) {
        const bool closes = at[1] == '/';
        at += 1 + closes;
        const size_t size = strcspn(at, " />");
        assert_in_range(size, 1, sizeof open[0] - 1);
        if (closes) {
            assert_true(depth-- > 0);
            assert_memory_equal(open[depth], at, size);
            assert_int_equal(open[depth][size], '\0');
            assert_int_equal(at[size], '>');
            if (depth == 0)
                return at + size + 1;
            continue;
        }
        assert_in_range(depth, 0, 7);
        memcpy(open[depth], at, size);
        open[depth++][size] = '\0';
        for (at += size; *at == ' ';) {
            at += 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyzBRU-");
            assert_memory_equal(at, "=\"", 2);
            at += 2 + strcspn(at + 2, "\"<&");
            assert_int_equal(*at++, '"');
        }
        if (*at == '/') {
            depth--;
            at++;
        }
        assert_int_equal(*at, '>');
    }
    fail_msg("an element is not closed");
    return NULL;
}

TEST(test_svg)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t n = sizes[i];
        OWNED(free) uint32_t *columns = some_columns(n);
        struct bytes out = {0};
        char expected[200];
        (void)format_find("svg")->paint(&out, &(struct painted_board){.n = n, .base = 1, .columns = columns}, NULL);
        assert_in_range(out.size, 1, 1400 + (size_t)n * 56);
        OWNED(free) char *text = bytes_take(&out);
        assert_string_equal(well_formed(text), "\n");
        (void)snprintf(expected, sizeof expected, "width=\"%1$u\" height=\"%1$u\" viewBox=\"0 0 %2$u %2$u\"",
                       n * picture_scale(n), n);
        assert_non_null(strstr(text, expected));
        assert_non_null(strstr(text, "<title"));
        assert_non_null(strstr(text, "prefers-color-scheme:dark"));
        const char *at = strstr(text, "<use");
        for (uint32_t row = 0; row < n; row++, at = strstr(at + 1, "<use")) {
            assert_non_null(at);
            (void)snprintf(expected, sizeof expected, "-queen\" x=\"%u\" y=\"%u\"/>", columns[row], row);
            assert_memory_equal(at, "<use href=\"#nq-", 15);
            assert_memory_equal(at + 15 + 8, expected, strlen(expected));
        }
        assert_null(at);
    }
    struct bytes out = {0};
    (void)format_find("svg")->paint(&out, &(struct painted_board){.n = 4, .columns = small[0]}, NULL);
    OWNED(free) char *text = bytes_take(&out);
    assert_non_null(strstr(text, "counted from 0: 1, 3, 0, 2.</desc>"));
    assert_non_null(strstr(text, ">4 queens on a board of 4 by 4, none attacking another</title>"));
    free(text);
    (void)format_find("svg")->paint(&out, &(struct painted_board){.n = 4, .rules = "semiqueens", .columns = small[0]},
                                    NULL);
    text = bytes_take(&out);
    assert_non_null(
        strstr(text, ">4 queens on a board of 4 by 4, none attacking another by the rule semiqueens</title>"));
}

struct reading {
    const struct bytes *bytes;
    size_t at;
};

static void read_bytes(png_structp png, png_bytep to, size_t size)
{
    struct reading *reading = png_get_io_ptr(png);
    assert_true(size <= reading->bytes->size - reading->at);
    memcpy(to, reading->bytes->data + reading->at, size);
    reading->at += size;
}

static void not_a_png(png_structp png, png_const_charp message)
{
    (void)png;
    fail_msg("%s", message);
    abort();
}

static uint32_t colour(const unsigned char *pixel)
{
    return (uint32_t)(pixel[0] << 16 | pixel[1] << 8 | pixel[2]);
}

/* Squares without a queen have one colour; a queen shows in the middle of hers and leaves its corner. */
static void check_row(const unsigned char *pixels, uint32_t n, uint32_t row, uint32_t y, uint32_t queen)
{
    const uint32_t scale = picture_scale(n);
    for (uint32_t column = 0; column < n; column++) {
        const unsigned char *square = pixels + (size_t)column * scale * 3;
        const uint32_t empty = (row + column) % 2 ? picture_day.dark : picture_day.light;
        if (column != queen) {
            for (uint32_t x = 0; x < scale; x++)
                assert_int_equal(colour(square + (size_t)x * 3), empty);
            continue;
        }
        if (y == scale * 5 / 8)
            assert_int_equal(colour(square + (size_t)(scale / 2) * 3), picture_day.queen);
        if (y == 0 && scale > 4)
            assert_int_equal(colour(square), empty);
    }
}

TEST(test_png)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const uint32_t n = sizes[i], scale = picture_scale(n);
        OWNED(free) uint32_t *columns = some_columns(n);
        ENDED_BY(bytes_free) struct bytes out = {0}, again = {0};
        (void)format_find("png")->paint(&out, &(struct painted_board){.n = n, .base = 1, .columns = columns}, NULL);
        (void)format_find("png")->paint(&again, &(struct painted_board){.n = n, .columns = columns}, NULL);
        assert_false(out.failed);
        assert_int_equal(out.size, again.size);
        assert_memory_equal(out.data, again.data, out.size);
        assert_in_range(out.size, 1, 100000);

        struct reading reading = {.bytes = &out};
        png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, not_a_png, NULL);
        png_infop info = png_create_info_struct(png);
        assert_non_null(info);
        png_set_read_fn(png, &reading, read_bytes);
        png_read_info(png, info);
        assert_int_equal(png_get_image_width(png, info), n * scale);
        assert_int_equal(png_get_image_height(png, info), n * scale);
        assert_int_equal(png_get_valid(png, info, PNG_INFO_tIME), 0);
        png_set_palette_to_rgb(png);
        OWNED(free) unsigned char *pixels = malloc((size_t)n * scale * 3);
        for (uint32_t row = 0; row < n; row++)
            for (uint32_t y = 0; y < scale; y++) {
                png_read_row(png, pixels, NULL);
                if (n <= 128 || row % 37 == 0 || row + 1 == n)
                    check_row(pixels, n, row, y, columns[row]);
            }
        png_read_end(png, NULL);
        assert_int_equal(reading.at, out.size);
        png_destroy_read_struct(&png, &info, NULL);
    }
}

/* The pixels of a picture, three bytes each, for the caller to free. */
static unsigned char *read_pixels(const struct bytes *file, uint32_t width, uint32_t height)
{
    struct reading reading = {.bytes = file};
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, NULL, not_a_png, NULL);
    png_infop info = png_create_info_struct(png);
    png_set_read_fn(png, &reading, read_bytes);
    png_read_info(png, info);
    assert_int_equal(png_get_image_width(png, info), width);
    assert_int_equal(png_get_image_height(png, info), height);
    png_set_palette_to_rgb(png);
    unsigned char *pixels = malloc((size_t)width * height * 3);
    assert_non_null(pixels);
    for (uint32_t y = 0; y < height; y++)
        png_read_row(png, pixels + (size_t)y * width * 3, NULL);
    png_read_end(png, NULL);
    png_destroy_read_struct(&png, &info, NULL);
    return pixels;
}

/* Walls have two colours that no other square has, a queen shows in the middle of her square, others have one colour.
 * On the boards of one square and of 5 x 3 she stands on a wall. */
TEST(test_png_of_shape)
{
    enum { WRONG = 0xc1121f }; /* the colour of attacks */
    static const uint32_t sides[][2] = {{1, 1}, {3, 5}, {5, 3}, {2, 64}, {64, 7}, {64, 64}};
    uint32_t wrong = 0;
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++) {
        const uint32_t rows = sides[i][0], columns = sides[i][1];
        const uint32_t scale = picture_scale(rows > columns ? rows : columns);
        const struct nq_square queen = {rows / 2, columns - 1};
        struct shape shape;
        BYTES(out);
        shape_begin(&shape, rows, columns);
        for (uint32_t row = 0; row < rows; row += 2)
            shape_wall(&shape, row, (row * 5 + 1) % columns);
        struct painted_board board = {.n = columns, .shape = &shape, .squares = &queen, .count = 1, .base = 1};
        assert_int_equal(format_find("png")->paint(&out, &board, NULL), NQ_OK);
        OWNED(free) unsigned char *pixels = read_pixels(&out, columns * scale, rows * scale);
        for (uint32_t at = 0; at < rows * scale * columns * scale; at++) {
            const uint32_t y = at / (columns * scale), x = at % (columns * scale), row = y / scale, column = x / scale;
            const uint32_t seen = colour(pixels + (size_t)at * 3);
            const bool wall = shape_is_wall(&shape, row, column);
            const bool crown = y % scale == scale * 5 / 8 && x % scale == scale / 2;
            if (row != queen.row || column != queen.column)
                assert_true(wall ? seen == picture_day.wall || seen == picture_day.hatch
                                 : seen == ((row + column) % 2 ? picture_day.dark : picture_day.light));
            else if (crown)
                assert_int_equal(seen, wall ? picture_day.light : picture_day.queen);
            else if (wall)
                assert_true(seen != picture_day.wall);
            wrong += wall && seen == WRONG;
        }
    }
    assert_true(wrong > 1000);
}

/* Columns as regions, and queens on a diagonal. */
static struct painted_board some_board(struct regions *regions, uint32_t *columns)
{
    for (uint32_t square = 0; square < regions->n * regions->n; square++)
        regions->of[square] = (uint8_t)(square % regions->n);
    for (uint32_t row = 0; row < regions->n; row++)
        columns[row] = row;
    return (struct painted_board){.n = regions->n, .regions = regions, .columns = columns, .caption = "abc, easy"};
}

TEST(test_painted)
{
    const atomic_bool stop = true;
    for (uint32_t n = REGIONS_MIN_N; n <= REGIONS_MAX_N; n++) {
        struct regions regions = {.n = n};
        uint32_t columns[REGIONS_MAX_N];
        struct painted_board board = some_board(&regions, columns);
        ENDED_BY(bytes_free) struct bytes svg = {0}, png = {0}, empty = {0};
        assert_int_equal(format_find("svg")->paint(&svg, &board, NULL), NQ_OK);
        assert_int_equal(format_find("png")->paint(&png, &board, NULL), NQ_OK);
        board.columns = NULL;
        assert_int_equal(format_find("png")->paint(&empty, &board, NULL), NQ_OK);
        assert_true(empty.size < png.size);
        OWNED(free) char *text = bytes_take(&svg);
        assert_string_equal(well_formed(text), "\n");
        uint32_t queens = 0;
        for (const char *at = text; (at = strstr(at, "<use ")); at++)
            queens++;
        assert_int_equal(queens, n);
        assert_int_equal(format_find("png")->paint(&empty, &board, &stop), NQ_CANCELLED);
    }
}

static uint32_t count_of(const char *text, const char *what)
{
    uint32_t count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

/* Three rows of five columns with two walls, one queen between them. */
static struct painted_board some_shape(struct shape *shape, const struct nq_square *squares, uint32_t count)
{
    shape_begin(shape, 3, 5);
    shape_wall(shape, 0, 1);
    shape_wall(shape, 2, 4);
    return (struct painted_board){.n = 5, .shape = shape, .squares = squares, .count = count, .base = 1};
}

TEST(test_svg_of_shape)
{
    static const struct nq_square squares[] = {{0, 0}, {0, 2}, {2, 3}};
    struct shape shape, plain;
    struct bytes out = {0};
    struct painted_board board = some_shape(&shape, squares, 3);
    (void)format_find("svg")->paint(&out, &board, NULL);
    OWNED(free) char *text = bytes_take(&out);
    assert_string_equal(well_formed(text), "\n");
    assert_non_null(strstr(text, "width=\"320\" height=\"192\" viewBox=\"0 0 5 3\""));
    assert_non_null(
        strstr(text, ">3 queens on a board of 3 rows and 5 columns with 2 walls, none attacking another</t"));
    assert_non_null(strstr(text, "counted from 1. Queens: 1:1, 1:3, 3:4. Walls: 1:2, 3:5.</desc>"));
    assert_int_equal(count_of(text, "<use "), 3);
    assert_non_null(strstr(text, "class=\"nq-walls\" fill=\"#3b2f26\" shape-rendering=\"crispEdges\""
                                 " d=\"M1 0h1v1h-1zM4 2h1v1h-1z\""));
    assert_non_null(strstr(text, ".nq-hatch{stroke:"));
    free(text);

    shape_begin(&plain, 3, 5);
    board.shape = &plain;
    board.count = 0;
    (void)format_find("svg")->paint(&out, &board, NULL);
    text = bytes_take(&out);
    assert_string_equal(well_formed(text), "\n");
    assert_non_null(strstr(text, ">0 queens on a board of 3 rows and 5 columns</title>"));
    assert_non_null(strstr(text, "counted from 1.</desc>"));
    assert_null(strstr(text, "nq-walls"));
    free(text);

    /* A position, on its way: words as on other boards. */
    static const struct queen queens[] = {{1, 1}};
    const struct shown_marks marks = {.queens = {queens, 1}};
    board = some_shape(&shape, NULL, 0);
    board.marks = &marks;
    (void)format_find("svg")->paint(&out, &board, NULL);
    text = bytes_take(&out);
    assert_string_equal(well_formed(text), "\n");
    assert_non_null(strstr(text, ">A board of 3 rows and 5 columns with 2 walls, 1 queen</title>"));
    assert_non_null(strstr(text, ">Squares are row:column, counted from 1. Walls: 1:2, 3:5. Queens: 2:2. </desc>"));
    assert_int_equal(count_of(text, "<use "), 1);
    assert_null(strstr(text, "nq-wrong"));
    free(text);

    /* A queen on a wall has another colour than others, and her wall than others. */
    static const struct queen wrong[] = {{0, 1}, {1, 1}};
    const struct shown_marks walled = {.queens = {wrong, 2}};
    board.marks = &walled;
    (void)format_find("svg")->paint(&out, &board, NULL);
    text = bytes_take(&out);
    assert_string_equal(well_formed(text), "\n");
    assert_non_null(strstr(text, ", 2 queens, 1 of them on a wall</title>"));
    assert_non_null(strstr(text, "class=\"nq-wrong\" fill=\"#c1121f\" shape-rendering=\"crispEdges\""
                                 " d=\"M1 0v1h1v-1z\""));
    assert_non_null(strstr(text, "</g>\n<g fill=\"#f3e3c7\">\n<use "));
    assert_int_equal(count_of(text, "<use "), 2);
}

/* A position with everything on it, and without and with regions: each square and each attack once. */
TEST(test_marks)
{
    static const struct queen queens[] = {{0, 0}, {1, 1}, {4, 2}}, crosses[] = {{2, 2}}, lit[] = {{3, 0}, {3, 1}},
                              targets[] = {{2, 4}};
    static const struct conflict attacks[] = {{.a = {0, 0}, .b = {1, 1}}, {.a = {0, 0}, .b = {4, 4}}};
    struct shown_marks marks = {.queens = {queens, 3},
                                .crosses = {crosses, 1},
                                .attacks = attacks,
                                .attack_count = 2,
                                .lit = {lit, 2},
                                .targets = {targets, 1}};
    struct regions regions = {.n = 5};
    uint32_t columns[REGIONS_MAX_N];
    struct painted_board board = some_board(&regions, columns);
    board.columns = NULL;
    board.marks = &marks;
    board.base = 1;
    char *words[2];
    for (int painted = 0; painted < 2; painted++) {
        struct bytes out = {0};
        board.regions = painted ? &regions : NULL;
        for (int placed = 0; placed < 2; placed++) {
            struct bytes png = {0};
            out.size = 0;
            marks.placed = placed;
            assert_int_equal(format_find("svg")->paint(&out, &board, NULL), NQ_OK);
            assert_int_equal(format_find("png")->paint(&png, &board, NULL), NQ_OK);
            assert_false(out.failed || png.failed);
            bytes_free(&png);
            bytes_char(&out, '\0');
            assert_string_equal(well_formed(out.data), "\n");
            assert_non_null(strstr(out.data, "Queens: 1:1, 2:2, 5:3. Crossed: 3:3. The hint rests on 4:1, 4:2. "));
            assert_non_null(strstr(out.data, placed ? "A queen belongs on 3:5. " : "To be crossed: 3:5. "));
            assert_non_null(strstr(out.data, "Attacks: 1:1-2:2, 1:1-5:5.</desc>"));
            assert_non_null(strstr(out.data, ", 3 queens, 2 attacks</title>"));
            assert_non_null(strstr(out.data, "d=\"M0.5 0.5L1.5 1.5M0.5 0.5L4.5 4.5\""));
            uint32_t uses = 0;
            for (const char *at = out.data; (at = strstr(at, "<use ")); at++)
                uses++;
            assert_int_equal(uses, 3 + placed);
        }
        words[painted] = bytes_take(&out);
    }
    /* Ids of two pictures differ, so that both stand in one page. */
    assert_true(strncmp(strstr(words[0], "id=\"nq-"), strstr(words[1], "id=\"nq-"), 16) != 0);
    free(words[0]);
    free(words[1]);
}

/* Its boards lie on the page, and none on another. */
TEST(test_sheet)
{
    struct painted_board boards[SHEET_MAX];
    struct regions regions = {.n = 5};
    uint32_t columns[REGIONS_MAX_N];
    for (size_t count = 1; count <= SHEET_MAX; count++) {
        struct bytes out = {0};
        unsigned at[SHEET_MAX][3];
        boards[count - 1] = some_board(&regions, columns);
        boards[count - 1].columns = NULL;
        assert_int_equal(format_find("svg")->sheet(&out, boards, count, NULL), NQ_OK);
        OWNED(free) char *text = bytes_take(&out);
        assert_string_equal(well_formed(text), "\n");
        const char *next = text;
        for (size_t i = 0; i < count; i++) {
            next = strstr(next, "<svg x=");
            assert_non_null(next);
            assert_int_equal(sscanf(next++, "<svg x=\"%u\" y=\"%u\" width=\"%u\"", &at[i][0], &at[i][1], &at[i][2]), 3);
            assert_in_range(at[i][0], 120, 2100 - 120 - at[i][2]);
            assert_in_range(at[i][1], 120, 2970 - 120 - 70 - at[i][2]);
            for (size_t k = 0; k < i; k++)
                assert_true(at[k][0] + at[k][2] < at[i][0] || at[i][0] + at[i][2] < at[k][0] ||
                            at[k][1] + at[k][2] + 70 < at[i][1]);
        }
        assert_null(strstr(next, "<svg x="));
    }
}

/* Whatever allocation fails, it is told in the end. */
TEST(test_pictures_without_memory)
{
    static const char *const names[] = {"svg", "png", "svg", "png"};
    struct regions regions = {.n = 5};
    uint32_t columns[REGIONS_MAX_N];
    const struct painted_board board = some_board(&regions, columns);
    for (size_t i = 0; i < 4; i++) {
        size_t succeed = 0;
        for (bool failed = true; failed; succeed++) {
            BYTES(out);
            bytes_failing_after = succeed;
            if (i < 2)
                (void)format_find(names[i])->paint(
                    &out, &(struct painted_board){.n = 4, .base = 1, .columns = small[0]}, NULL);
            else
                (void)format_find(names[i])->paint(&out, &board, NULL);
            bytes_failing_after = SIZE_MAX;
            failed = out.failed;
        }
        assert_true(succeed > 3);
    }
}
