/* test_verify_regions.c - tests of src/http/ask/verify_regions.c: boards with regions in every form, cut anywhere, with
 * what is wrong with them, and the square where it is. */
/* CI builds: address */
#include "support/bodies.h"

struct painted_body {
    const char *text, *regions;
};

static void check_painted(enum verify_shape shape, const struct painted_body *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct verify_body body;
        char text[REGIONS_TEXT_MAX];
        read_text(&body, shape, list[i].text, strlen(list[i].text));
        if (body.status != NQ_OK)
            fail_msg("%s: %s %s", list[i].text, body.error.parameter, body.error.reason);
        assert_int_equal(body.regions.regions.n, 4);
        assert_int_equal(body.n, 4);
        assert_string_equal(regions_text(&body.regions.regions, '/', text), list[i].regions);
        verify_body_free(&body);
    }
}

#define NO_BOARD "names no board: "
#define NOT_CONNECTED \
    " is not connected with the squares of its region that come before it; the squares of a region must be " \
    "connected by their sides, unless apart=true"

static const char board[] = "aabb/acbb/cccd/ccdd";

TEST(test_forms)
{
    static const struct painted_body list[] = {
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[]}", board},
        {"{\"queens\":[],\"regions\":\"xxYY\\/xyYY\\nyyyz\\r\\nyyzz\\n\"}", board},
        {"{\"regions\":[\"aabb\",\"acbb\" , \"cccd\",\"ccdd\"],\"permutation\":[2,4,1,3]}", board},
        {"{\"regions\":[[7,7,0,0],[7,999999999,0,0],[999999999,999999999,999999999,3],[999999999,999999999,3,3]],"
         "\"states\":[[0,1,2,2],[2,2,2,1],[1,0,0,0],[0,0,1,0]]}",
         board},
        {"{\"n\":4,\"regions\":\"https:\\/\\/puzz.link\\/p?starbattle\\/4\\/4\\/1\\/b2g9cg\",\"queens\":[]}", board},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"solutions\":[{\"permutation\":[2,4,1,3]}]}", board},
        {"{\"solutions\":[{\"permutation\":[2,4,1,3],\"regions\":[\"aabb\",\"acbb\",\"cccd\",\"ccdd\"]}],"
         "\"regions\":\"aabb/acbb/cccd/ccdd\"}",
         board},
        {"{\"apart\":true,\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[]}", "abcc/aacc/bbdd/bbdd"},
        {"{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[],\"apart\":true}", "abcc/aacc/bbdd/bbdd"},
        {"{\"apart\":false,\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[]}", board},
    };
    check_painted(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_lines)
{
    static const struct painted_body list[] = {
        {"{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":4,\"regions\":\"aabb/acbb/cccd/ccdd\"}\n", board},
        {"{\"row\":1,\"column\":2,\"regions\":\"aabb/acbb/cccd/ccdd\"}\n{\"end\":true,\"n\":4}\n", board},
        {"{\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,4]],\"states\":[[0,1,0,0],[0,0,0,1],[0,0,0,0],[0,0,0,0]]}",
         board},
    };
    check_painted(VERIFY_LINES, list, sizeof list / sizeof list[0]);
}

/* As /solve writes them. */
TEST(test_tables)
{
    static const struct painted_body text[] = {
        {"n = 4, base = 1, rules = touching, regions = aabb/acbb/cccd/ccdd\n\n2 4 1 3\n\nREADY.\n", board},
        {"n = 4, base = 0, rules = touching, regions = aabb/acbb/cccd/ccdd\n\n.Q..\n...Q\nQ...\n..Q.\n\nREADY.\n",
         board},
    };
    static const struct painted_body csv[] = {
        {"offset rules=touching regions=aabb/acbb/cccd/ccdd,row 1,row 2,row 3,row 4\r\n0,2,4,1,3\r\n", board},
        {"offset rules=touching regions=aabb/acbb/cccd/ccdd,row 0,row 1,row 2,row "
         "3,board\r\n0,1,3,0,2,.Q../...Q/Q.../..Q.\r\n",
         board},
    };
    static const struct bad wrong[] = {
        {"n = 4, base = 0, rules = touching, regions = aabb/acbb/cccd/ccda\n\n1 3 0 2\n\nREADY.\n", "regions",
         NO_BOARD "row 3, column 2" NOT_CONNECTED},
    };
    check_painted(VERIFY_TEXT, text, sizeof text / sizeof text[0]);
    check_painted(VERIFY_CSV, csv, sizeof csv / sizeof csv[0]);
    check_bad(VERIFY_TEXT, wrong, sizeof wrong / sizeof wrong[0]);
}

/* A file of boards, one a line: each has its own regions. */
TEST(test_several)
{
    static const char text[] = "{\"regions\":\"aabb/acbb/cccd/ccdd\",\"permutation\":[2,4,1,3]}\n"
                               "{\"permutation\":[2,4,1,3],\"regions\":\"aabb/aabb/ccdd/ccdd\"}\n"
                               "{\"regions\":\"bad\",\"permutation\":[3,1,4,2]}\n";
    static const char *const regions[] = {board, "aabb/aabb/ccdd/ccdd"};
    struct verify_body body;
    for (uint32_t index = 0; index < 3; index++) {
        char found[REGIONS_TEXT_MAX];
        verify_body_begin(&body, VERIFY_LINES, index, NULL, NULL);
        verify_body_add(&body, text, sizeof text - 1);
        if (index == 2) {
            assert_int_equal(verify_body_end(&body), NQ_INVALID);
            assert_string_equal(body.error.parameter, "regions");
            continue;
        }
        assert_int_equal(verify_body_end(&body), NQ_OK);
        assert_string_equal(regions_text(&body.regions.regions, '/', found), regions[index]);
        verify_body_free(&body);
    }
}

/* The queens of states, unless they are listed; and of a grid, unless there are states. */
TEST(test_states)
{
    static const struct good list[] = {
        {"{\"states\":[[0,1],[2,2]]}", 2, 1, 1, {{0, 1}}},
        {"{\"grid\":[[1,0],[0,0]],\"states\":[[0,1],[2,2]]}", 2, 1, 1, {{0, 1}}},
        {"{\"states\":[[0,1],[2,2]],\"grid\":[[1,0],[0,0]]}", 2, 1, 1, {{0, 1}}},
        {"{\"id\":\"x\",\"date\":null,\"grid\":[[1,0],[0,0]]}", 2, 1, 1, {{0, 0}}},
        {"{\"states\":[[0,1],[2,2]],\"permutation\":[1,2]}", 2, 1, 2, {{0, 0}, {1, 1}}},
        {"{\"permutation\":[1,2],\"states\":[[0,1],[2,2]]}", 2, 1, 2, {{0, 0}, {1, 1}}},
        {"{\"board\":[\"Q.\",\"..\"],\"states\":[[0,1],[2,2]]}", 2, 1, 1, {{0, 0}}},
    };
    check_good(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

TEST(test_bad)
{
    static const struct bad list[] = {
        {"{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[]}", "regions", NO_BOARD "row 3, column 1" NOT_CONNECTED},
        {"{\"regions\":\"abcc/aacc/bbdd/bbdd\",\"queens\":[],\"base\":0}", "regions",
         NO_BOARD "row 2, column 0" NOT_CONNECTED},
        {"{\"regions\":[[1,1,1,1],[1,1,1],[2,2,2,3],[3,3,3,4]],\"queens\":[]}", "regions",
         NO_BOARD "row 2 has 3 squares; a board of 4 rows needs 4"},
        {"{\"regions\":[\"aabb\",\"\",\"cccd\",\"ccdd\"],\"queens\":[]}", "regions",
         NO_BOARD "row 2 has 0 squares; a board of 4 rows needs 4"},
        {"{\"regions\":[[],[],[],[]],\"queens\":[]}", "regions",
         NO_BOARD "row 1 has 0 squares; a board of 4 rows needs 4"},
        {"{\"regions\":[],\"queens\":[]}", "regions", NO_BOARD "the board has 0 rows; there must be 4 to 20"},
        {"{\"regions\":[[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1],[1]],"
         "\"queens\":[]}",
         "regions", NO_BOARD "the board has 21 rows; there must be 4 to 20"},
        {"{\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,5]],\"queens\":[]}", "regions",
         NO_BOARD "the board has 5 regions; 4 rows need 4. The first of one too many is row 4, column 4"},
        {"{\"regions\":\"aabb/acbb/cccd/ccd5\",\"queens\":[],\"base\":0}", "regions",
         NO_BOARD "row 3, column 3 is no letter; write one letter (a-z, A-Z) per square"},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"queens\":[],\"n\":5}", "n",
         "is 5, but regions has 4 rows; leave n out"},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\",\"permutation\":[1]}", "permutation", "has 1 columns, but n is 4"},
        {"{\"regions\":\"aabb/acbb/cccd/ccdd\"}", "body", "must have permutation, queens, board or states"},
        {"{\"regions\":\"aabb/aabb/ccdd/ccdd\",\"solutions\":[{\"permutation\":[2,4,1,3],"
         "\"regions\":\"aabb/acbb/cccd/ccdd\"}]}",
         "regions", "must be the same everywhere"},
        {"{\"regions\":7,\"queens\":[]}", "body", "at byte 11: expected a string or [, found 7"},
        {"{\"regions\":[7],\"queens\":[]}", "body", "at byte 12: expected a row of regions, found 7"},
        {"{\"regions\":[\"a\",[1]],\"queens\":[]}", "body",
         "at byte 18: the rows of regions must be all strings or all lists"},
        {"{\"regions\":[[1000000000]],\"queens\":[]}", "body",
         "at byte 23: the number of a region must have at most nine digits"},
        {"{\"regions\":[[-1]],\"queens\":[]}", "body", "at byte 13: numbers must not be negative"},
        {"{\"regions\":\"a\\u0062\",\"queens\":[]}", "body",
         "at byte 14: expected /, n or r after the backslash, found u"},
        {"{\"apart\":1}", "body", "at byte 9: expected true, found 1"},
        {"{\"states\":[[0,3]]}", "body", "at byte 14: expected 0, 1 or 2, found 3"},
        {"{\"board\":[[0,2]]}", "body", "at byte 13: expected 0 or 1, found 2"},
        {"{\"regions\":\"a\",\"regions\":\"a\"}", "body", "at byte 23: the member \"regions\" is given twice"},
    };
    check_bad(VERIFY_JSON, list, sizeof list / sizeof list[0]);
}

/* What comes with a request beside its body. */
TEST(test_parameter)
{
    static const struct {
        const char *body, *parameter, *why;
        bool apart;
    } cases[] = {
        {"{\"queens\":[]}", board, NULL, false},
        {"{\"queens\":[],\"regions\":[[1,1,2,2],[1,3,2,2],[3,3,3,4],[3,3,4,4]]}", board, NULL, false},
        {"{\"queens\":[],\"regions\":\"aabb/aabb/ccdd/ccdd\"}", board, "must be the same everywhere", false},
        {"{\"queens\":[]}", "abcc/aacc/bbdd/bbdd", NO_BOARD "row 3, column 1" NOT_CONNECTED, false},
        {"{\"queens\":[],\"base\":0}", "abcc/aacc/bbdd/bbdd", NO_BOARD "row 2, column 0" NOT_CONNECTED, false},
        {"{\"queens\":[],\"base\":0}", "abcc/aacc/bbdd/bbdd", NULL, true},
        {"{\"queens\":[],\"regions\":\"abcc/aacc/bbdd/bbdd\"}", NULL, NULL, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct verify_body body;
        verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, NULL, NULL);
        verify_body_add(&body, cases[i].body, strlen(cases[i].body));
        verify_body_paint(&body, cases[i].parameter, cases[i].apart);
        assert_int_equal(verify_body_end(&body), cases[i].why ? NQ_INVALID : NQ_OK);
        if (cases[i].why)
            assert_string_equal(body.error.reason, cases[i].why);
        else
            assert_int_equal(body.regions.regions.n, 4);
        verify_body_free(&body);
    }
}

/* The largest board fits, and a text without end is refused while it is read. */
TEST(test_large)
{
    struct verify_body body;
    char text[4 * REGIONS_MAX_SQUARES + 100];
    int size = sprintf(text, "{\"queens\":[],\"regions\":[");
    for (int row = 0; row < REGIONS_MAX_N; row++) {
        size += sprintf(text + size, "%s[", row ? "," : "");
        for (int column = 0; column < REGIONS_MAX_N; column++)
            size += sprintf(text + size, "%s%d", column ? "," : "", row);
        size += sprintf(text + size, "]");
    }
    size += sprintf(text + size, "]}");
    assert_int_equal(read_cut(&body, VERIFY_JSON, text, (size_t)size, 1), NQ_OK);
    assert_int_equal(body.n, REGIONS_MAX_N);
    verify_body_free(&body);
    verify_body_begin(&body, VERIFY_JSON, VERIFY_ONLY, NULL, NULL);
    verify_body_add(&body, "{\"regions\":\"", 12);
    for (int i = 0; i <= PARAM_TEXT_MAX; i++)
        verify_body_add(&body, "a", 1);
    assert_int_equal(body.status, NQ_LIMIT);
    assert_string_equal(body.error.reason, "must have at most 511 characters");
    verify_body_free(&body);
}
