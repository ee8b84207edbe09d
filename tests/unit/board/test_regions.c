/* test_regions.c - tests of src/board/regions*.c: the forms of a painted board, and what is wrong with others. */
/* CI builds: address */
#include "board/regions.h"

#include "support/painted_boards.h"

/* A published board, as puzz.link writes it, and its regions as drawn there. */
static const char link[] = "starbattle/6/6/1/2u9gn9c9jpmk", painted[] = "aaaabb/acdabb/ccdddb/cbbbbb/ceebef/cceeef";

struct form {
    const char *text;
    bool apart;
    const char *expected; /* as letters; or what is wrong */
};

/* Reads a text, of exactly its size, as a link or as letters; the text it comes to, or the fault. */
static void check(const struct form *form)
{
    const size_t size = strlen(form->text);
    struct regions regions;
    struct regions_fault fault;
    BYTES(out);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    memcpy(copy, form->text, size);
    const bool right = regions_read(copy, size, form->apart, &regions, &fault);
    free(copy);
    if (right)
        regions_write_text(&regions, '/', &out);
    else
        regions_fault_text(&fault, 1, &out);
    bytes_char(&out, '\0');
    assert_string_equal(out.data, form->expected);
}

TEST(test_forms)
{
    static const struct form forms[] = {
        {"aabb/accb/acdb/addd", false, "aabb/accb/acdb/addd"},
        {"ZZaa\nZbba\nZbAa\nZAAA\n", false, "aabb/accb/acdb/addd"},
        {"xxyy\r\nxzzy\r\nxzty\r\nxttt", false, "aabb/accb/acdb/addd"},
        {"abab/cdcd/abab/cdcd", true, "abab/cdcd/abab/cdcd"},
        {link, false, painted},
        {"https://puzz.link/p?starbattle/6/6/1/2u9gn9c9jpmk", false, painted},
        {"starbattle/6/6/1/2U9GN9C9JPMK", false, painted},
        {"", false,
         "It has 0 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20."},
        {"abc/abc/abc", false, "The board has 3 rows; there must be 4 to 20."},
        {"aabb/accb/acdb/addd//", false, "aabb/accb/acdb/addd"},
        {"aabb/acc/acdb/addd", false, "Row 2 has 3 squares; a board of 4 rows needs 4."},
        {"aabb/ac-b/acdb/addd", false,
         "The board has 5 regions; 4 rows need 4. The first of one too many is row 3, column 3."},
        {"\xef\xbb\xbf"
         "aabb/accb/acdb/addd",
         false, "aabb/accb/acdb/addd"},
        {"aabb,accb,acdb,addd", false, "aabb/accb/acdb/addd"},
        {"aabb accb acdb addd", false, "aabb/accb/acdb/addd"},
        {"a a b b; a c c b; a c d b; a d d d", false, "aabb/accb/acdb/addd"},
        {"0011/0221/0231/0333", false, "aabb/accb/acdb/addd"},
        {"7,7,10,10,7,0,0,10,7,0,-1,10,7,-1,-1,-1", false, "aabb/accb/acdb/addd"},
        {"[[7,7,10,10],[7,0,0,10],[7,0,-1,10],[7,-1,-1,-1]]", false, "aabb/accb/acdb/addd"},
        {"[['A','A','B','B'],['A','C','C','B'],['A','C','D','B'],['A','D','D','D']]", false, "aabb/accb/acdb/addd"},
        {"[\"aabb\",\"accb\",\"acdb\",\"addd\"]", false, "aabb/accb/acdb/addd"},
        {"[\"light blue\",\"light blue\",\"red\",\"red\",\"light blue\",\"#fff\",\"#FFF\",\"red\",\"light "
         "blue\",\"#fff\","
         "\"rgb(0,1,2)\",\"red\",\"light blue\",\"rgb(0, 1, 2)\",\"rgb(0,1,2)\",\"rgb(0,1,2)\"]",
         false, "aabb/accb/acdb/addd"},
        {"{\"nRows\":4,\"nCols\":4,\"cellColors\":[1,1,2,2,1,3,3,2,1,3,4,2,1,4,4,4]}", false, "aabb/accb/acdb/addd"},
        {"4x1.AABBACCBACDBADDD", false, "aabb/accb/acdb/addd"},
        {"aabbaccbacdbaddd", false, "aabb/accb/acdb/addd"},
        {"4x2.AABBACCBACDBADDD", false, "It asks for 2 stars in each row; only boards with 1 are accepted."},
        {"1 1 2 2 1 3 3 2 1 3 4 2 1 4 4", false,
         "It has 15 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20."},
        {"[[1,1,2,2],[1,3,3],[1,3,4,2],[1,4,4,4]]", false, "Row 2 has 3 squares; a board of 4 rows needs 4."},
        {"1,1,2,2,1,.,3,2,1,3,4,2,1,4,4,4", false, "Row 2, column 2 is in no region; every square needs one."},
        {"[[]]", false,
         "It has 0 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20."},
        {"aabb/accb/a.db/addd", false, "Row 3, column 2 is in no region; every square needs one."},
        {"aabb/aaab/acbb/accc", false, "The board has 3 regions; 4 rows need 4."},
        {"aabb/accb/acdb/aefg", false,
         "The board has 7 regions; 4 rows need 4. The first of one too many is row 4, column 2."},
        {"aabb/accb/adda/ddda", false,
         "Row 3, column 4 is not connected with the squares of its region that come before it; the squares of a region "
         "must be connected by their sides."},
        {"https://example.org/", false, "The link must end with starbattle/n/n/1/borders."},
        {"starbattle/6/6", false, "The link must end with starbattle/n/n/1/borders."},
        {"starbattle/66666/6/1/0", false, "The link must end with starbattle/n/n/1/borders."},
        {"starbattle/6/5/1/0", false, "The board of the link has 6 columns and 5 rows; it must be square."},
        {"starbattle/21/21/1/0", false, "The board has 21 rows; there must be 4 to 20."},
        {"starbattle/10/10/2/0", false, "It asks for 2 stars in each row; only boards with 1 are accepted."},
        {"starbattle/6/6/1/2u9gn9c9jpm", false, "The link has 11 digits of borders; a board of 6 rows needs 12."},
        {"starbattle/6/6/1/2u9gn9c9jpmkk", false, "The link has 13 digits of borders; a board of 6 rows needs 12."},
        {"starbattle/6/6/1/2u9gn9w9jpmk", false, "Digit 7 of the link's borders is none of 0-9 and a-v."},
        {"starbattle/6/6/1/2u9gn9c9jpm0", false, "The board has 4 regions; 6 rows need 6."},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        check(&forms[i]);
}

TEST(test_links_within_and_codes)
{
    static const struct form forms[] = {
        {"https://swaroopg92.github.io/penpa-edit/?m=solve&p=https://puzz.link/p?starbattle/6/6/1/2u9gn9c9jpmk", false,
         painted},
        {"https://swaroopg92.github.io/penpa-edit/#m=solve&p=https%3a%2F%2Fpuzz.link%2Fp%3Fstarbattle%2F6%2F6%2F1%2F"
         "2u9gn9c9jpmk&l=solvedup",
         false, painted},
        {"https://puzz.link/p?starbattle/6/6/1/2u9gn9c9jpm%", false,
         "Digit 12 of the link's borders is none of 0-9 and a-v."},
        {"551W9jo0cIn", false, "abbbc/abbdc/aaedc/eeecc/eeeee"}, /* of a collection of such codes, as drawn there */
        {"551e9jo0cIn0Ab", false, "abbbc/abbdc/aaedc/eeecc/eeeee"},
        {"551W9jo0cIn\r\n", false, "abbbc/abbdc/aaedc/eeecc/eeeee"},
        {"551W9jo0cIn~moves", false, "abbbc/abbdc/aaedc/eeecc/eeeee"},
        {"552W9jo0cIn", false, "It asks for 2 stars in each row; only boards with 1 are accepted."},
        {"551W0000000", false, "The board has 1 regions; 5 rows need 5."},
        {"551W9jo0cI", false,
         "It has 10 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20."},
        {"551W9jo0c+n", false,
         "It has 11 labels; a board of n rows needs n * n of them, or n words of n letters, for n = 4 to 20."},
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++)
        check(&forms[i]);
}

TEST(test_faults_count_from_the_base)
{
    struct regions regions;
    struct regions_fault fault;
    BYTES(out);
    assert_false(regions_read_text("aabb/accb/a.db/addd", 19, false, &regions, &fault));
    assert_int_equal(fault.row, 2);
    assert_int_equal(fault.column, 1);
    regions_fault_text(&fault, 0, &out);
    assert_memory_equal(out.data, "Row 2, column 1 ", 16);
}

TEST(test_numbers_need_not_be_contiguous)
{
    const uint64_t ids[] = {
        7, 7, 0, 0, 7, 900, 900, 0, 7, 900, UINT64_MAX - 1, 0, 7, UINT64_MAX - 1, UINT64_MAX - 1, UINT64_MAX - 1};
    struct regions regions;
    struct regions_fault fault;
    BYTES(out);
    assert_true(regions_read_ids(4, ids, false, &regions, &fault));
    regions_write_text(&regions, '\n', &out);
    assert_int_equal(out.size, 19);
    assert_memory_equal(out.data, "aabb\naccb\nacdb\naddd", 19);
    uint64_t more[16];
    memcpy(more, ids, sizeof more);
    more[5] = REGIONS_NO_ID;
    assert_false(regions_read_ids(4, more, false, &regions, &fault));
    assert_int_equal(fault.wrong, REGIONS_NONE);
    assert_int_equal(fault.row * 4 + fault.column, 5);
    assert_false(regions_read_ids(21, ids, false, &regions, &fault));
    assert_int_equal(fault.wrong, REGIONS_SIZE);
}

/* Random boards of every size: what is written is read back, connected or not; a square less is none. */
TEST(test_round_trips)
{
    uint64_t dice = 1;
    for (uint32_t round = 0; round < 200; round++) {
        const uint32_t n = REGIONS_MIN_N + round % (REGIONS_MAX_N - REGIONS_MIN_N + 1);
        struct regions regions = {.n = n}, again;
        struct regions_fault fault;
        BYTES(text);
        BYTES(url);
        painted_random(&dice, n, regions.of);
        regions_number(&regions);
        regions_write_text(&regions, round % 2 ? '/' : '\n', &text);
        assert_true(regions_read_text(text.data, text.size, false, &again, &fault));
        assert_memory_equal(regions.of, again.of, n * n);
        regions_write_link(&regions, &url);
        assert_true(regions_read_link(url.data, url.size, &again, &fault));
        assert_memory_equal(regions.of, again.of, n * n);
        assert_false(regions_read_text(text.data, text.size - 1, false, &again, &fault));
        assert_int_equal(fault.wrong, REGIONS_ROW);
        for (uint32_t region = 0; region < n; region++)
            assert_true(regions_connected(n, regions.of, (uint8_t)region, REGIONS_MAX_SQUARES));
    }
}

/* Whether a square may leave its region, by painting it otherwise. */
TEST(test_connected_without_a_square)
{
    uint64_t dice = 1;
    for (uint32_t round = 0; round < 20; round++) {
        enum { N = 6 };
        uint8_t of[N * N], other[N * N];
        painted_random(&dice, N, of);
        for (uint32_t square = 0; square < N * N; square++) {
            memcpy(other, of, sizeof of);
            other[square] = N; /* a region of its own */
            assert_int_equal(regions_connected(N, of, of[square], square), painted_connected(N, other));
        }
    }
}
