/* test_token.c - tests of src/board/token.c: what is written reads back, and nothing else is taken. */
/* CI builds: address */
#include "base/hash.h"
#include "board/token.h"
#include "support/facts.h"

enum { HEAD = 10, CHECK = 8, RAW_MAX = HEAD + NQ_SEARCH_MAX_N + 8 + CHECK };

static const uint64_t list = UINT64_C(0x1234567890abcdef);
static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

static struct token random_token(uint64_t *dice, uint32_t length)
{
    struct token token = {.ordinal = facts_random(dice), .length = length};
    for (uint32_t i = 0; i < length; i++)
        token.prefix[i] = facts_below(dice, NQ_SEARCH_MAX_N);
    return token;
}

static void assert_same(const struct token *a, const struct token *b)
{
    assert_int_equal(a->ordinal, b->ordinal);
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->prefix, b->prefix, a->length * sizeof *a->prefix);
}

static void assert_refused(const char *text)
{
    struct token token;
    if (token_decode(text, list, &token) != NQ_INVALID)
        fail_msg("\"%s\" was taken", text);
}

TEST(test_round_trip)
{
    uint64_t dice = 1;
    for (uint32_t length = 0; length <= NQ_SEARCH_MAX_N; length++) {
        static const uint64_t ordinals[] = {0, 1, UINT64_C(1) << 63, UINT64_MAX};
        struct token token = random_token(&dice, length);
        for (size_t i = 0; i <= sizeof ordinals / sizeof *ordinals; i++) {
            struct token back;
            char text[TOKEN_TEXT_MAX];
            memset(&back, 0xa5, sizeof back);
            memset(text, 0xa5, sizeof text);
            token_encode(&token, list, text);
            assert_true(memchr(text, '\0', sizeof text));
            assert_int_equal(strspn(text, alphabet), strlen(text));
            assert_int_equal(token_decode(text, list, &back), NQ_OK);
            assert_same(&back, &token);
            if (i < sizeof ordinals / sizeof *ordinals)
                token.ordinal = ordinals[i];
        }
    }
}

TEST(test_what_comes_before_all_queens_is_an_end)
{
    assert_false(token_is_end(0, 0));
    assert_true(token_is_end(1, 0));
    assert_false(token_is_end(1, 1));
}

TEST(test_every_changed_letter_is_refused)
{
    uint64_t dice = 2;
    static const uint32_t lengths[] = {0, 1, 2, 8, 63, 64};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct token token = random_token(&dice, lengths[i]);
        char text[TOKEN_TEXT_MAX];
        token_encode(&token, list, text);
        for (size_t at = 0; text[at]; at++) {
            char kept = text[at];
            for (int c = 0; c < 256; c++) { /* 0 cuts the text short */
                text[at] = (char)c;
                if (text[at] != kept)
                    assert_refused(text);
            }
            text[at] = kept;
        }
        assert_int_equal(token_decode(text, list, &token), NQ_OK);
    }
}

TEST(test_letters_too_many_or_too_few_are_refused)
{
    uint64_t dice = 3;
    for (uint32_t length = 0; length <= NQ_SEARCH_MAX_N; length++) {
        struct token token = random_token(&dice, length);
        char text[TOKEN_TEXT_MAX], other[TOKEN_TEXT_MAX + 8];
        token_encode(&token, list, text);
        size_t size = strlen(text);
        static const char *const endings[] = {"A", "=", "==", "AAA", "AAAA", " ", "\n"};
        for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
            (void)snprintf(other, sizeof other, "%s%s", text, endings[i]);
            assert_refused(other);
            (void)snprintf(other, sizeof other, "%s%s", endings[i], text);
            assert_refused(other);
        }
        for (size_t at = 0; at < size; at++) { /* without the letter at this place */
            (void)snprintf(other, sizeof other, "%.*s%s", (int)at, text, text + at + 1);
            if (strcmp(other, text) != 0)
                assert_refused(other);
        }
    }
}

TEST(test_empty_and_over_long_are_refused)
{
    char text[5000];
    assert_refused("");
    for (size_t size = 1; size < sizeof text; size += size < 200 ? 1 : 100) {
        memset(text, 'A', size);
        text[size] = '\0';
        assert_refused(text);
    }
}

TEST(test_another_list_is_refused)
{
    uint64_t dice = 4;
    struct token token = random_token(&dice, 8);
    char text[TOKEN_TEXT_MAX];
    token_encode(&token, list, text);
    assert_int_equal(token_decode(text, list, &token), NQ_OK);
    for (int bit = 0; bit < 64; bit++)
        assert_int_equal(token_decode(text, list ^ UINT64_C(1) << bit, &token), NQ_INVALID);
}

/* Bytes as base64url; the bits the last letter has to spare are set to `spare`. */
static size_t base64(const unsigned char *raw, size_t size, unsigned spare, char *text)
{
    size_t letters = (size * 8 + 5) / 6;
    for (size_t letter = 0; letter < letters; letter++) {
        unsigned value = 0;
        for (size_t bit = letter * 6; bit < letter * 6 + 6; bit++)
            value = value << 1 | (bit < size * 8 ? raw[bit / 8] >> (7 - bit % 8) & 1 : 0);
        text[letter] = alphabet[letter + 1 < letters ? value : value | spare];
    }
    text[letters] = '\0';
    return letters * 6 - size * 8;
}

/* A token as a stranger would make it: any bytes, then the right check for them in a given release. */
static size_t forge(unsigned char *raw, size_t size, const char *release)
{
    unsigned char name[8];
    for (int i = 0; i < 8; i++)
        name[i] = (unsigned char)(list >> (56 - 8 * i));
    uint64_t check = hash_bytes(hash_bytes(hash_text(HASH_START, release), name, sizeof name), raw, size);
    for (int i = 0; i < CHECK; i++)
        raw[size + (size_t)i] = (unsigned char)(check >> (56 - 8 * i));
    return size + CHECK;
}

/* The last letter has 0, 2 or 4 bits to spare: the same bytes can be spelt otherwise, and only one spelling is ours. */
TEST(test_other_spellings_are_refused)
{
    unsigned refused = 0;
    for (uint32_t length = 0; length <= NQ_SEARCH_MAX_N; length++) {
        unsigned char raw[RAW_MAX] = {1, (unsigned char)length};
        char text[2 * RAW_MAX];
        struct token token;
        size_t size = forge(raw, HEAD + length, NQ_VERSION), spare = base64(raw, size, 0, text);
        assert_int_equal(token_decode(text, list, &token), NQ_OK);
        assert_int_equal(token.length, length);
        for (unsigned bits = 1; bits < 1u << spare; bits++) {
            (void)base64(raw, size, bits, text);
            assert_refused(text);
            refused++;
        }
    }
    assert_int_equal(refused, 21 * 3 + 22 * 15);
}

TEST(test_forgeries_are_refused)
{
    static const struct {
        unsigned char version, said;
        size_t length;
        const char *release;
    } cases[] = {
        {0, 8, 8, NQ_VERSION},     {2, 8, 8, NQ_VERSION},   {255, 8, 8, NQ_VERSION}, {1, 7, 8, NQ_VERSION},
        {1, 9, 8, NQ_VERSION},     {1, 255, 8, NQ_VERSION}, {1, 65, 64, NQ_VERSION}, {1, 66, 65, NQ_VERSION},
        {1, 8, 8, NQ_VERSION "x"}, {1, 8, 8, ""},
    };
    unsigned char raw[RAW_MAX] = {1, 8};
    char text[2 * RAW_MAX];
    struct token token;
    (void)base64(raw, forge(raw, HEAD + 8, NQ_VERSION), 0, text);
    assert_int_equal(token_decode(text, list, &token), NQ_OK); /* so the forger knows his trade */
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        memset(raw, 0, sizeof raw);
        raw[0] = cases[i].version;
        raw[1] = cases[i].said;
        (void)base64(raw, forge(raw, HEAD + cases[i].length, cases[i].release), 0, text);
        assert_refused(text);
    }
}

/* Whether columns are a placement is the cursor's to say; a token keeps whatever byte it is given. */
TEST(test_any_byte_is_a_column)
{
    struct token token = {.length = 4, .prefix = {0, 255, 255, 128}}, back;
    char text[TOKEN_TEXT_MAX];
    token_encode(&token, list, text);
    assert_int_equal(token_decode(text, list, &back), NQ_OK);
    assert_same(&back, &token);
}
