/* test_board_values.c - tests of src/http/ask/board_values.c: which parameters a board stands for, in every form, what
 * becomes of them beside those of a query, and which boards it cannot be. */
/* CI builds: address */
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "engine/ask/query_values.h"
#include "http/ask/board_values.h"
#include "http/ask/verify_body.h"
#include "support/facts.h"

/* Rows of verify_forms. */
enum form { JSON, LINES, TEXT, CSV, OCTETS };

static const struct param rows[] = {
    PARAM_N_OR_REGIONS(0, 100),
    PARAM_ROWS(SHAPE_MAX_SIDE),
    PARAM_QUEENS(),
    PARAM_WALLS(),
    PARAM_MAXIMAL(),
    PARAM_PLACE(),
    PARAM_EXCLUDE(),
    PARAM_RULES(),
    PARAM_REGIONS(),
    PARAM_APART(),
    PARAM_BASE,
    {0},
};

/* Reads a query of names and values, parted by & and =. */
static void read_query(struct params *params, const struct param *table, const char *query)
{
    params_begin(params, table);
    for (const char *at = query, *end; *at; at = *end ? end + 1 : end) {
        const size_t name = strcspn(at, "=");
        end = at + strcspn(at, "&");
        params_read(params, at, name, at + name + 1, (size_t)(end - at) - name - 1);
    }
}

/* What a board and a query come to, as a canonical query; or "parameter reason" of the first error. */
static void come_to(const struct param *table, enum form form, const char *query, const char *text, size_t size,
                    struct bytes *out)
{
    static struct params own, said;
    ENDED_BY(verify_body_free) struct verify_body body;
    read_query(&own, table, query);
    const struct value *n = row_value(table, own.values, "n"), *regions = row_value(table, own.values, "regions");
    const struct verify_asked asked = {.wanted = VERIFY_ONLY,
                                       .board = true,
                                       .has_n = n->given && !n->ranged,
                                       .n = (uint32_t)n->number,
                                       .base = row_base(row_value(table, own.values, "base")),
                                       .m = (uint32_t)row_value(table, own.values, "m")->number,
                                       .regions = regions->given ? regions->text : NULL};
    const struct validation_error *error = &body.error;
    bytes_free(out);
    *out = (struct bytes){0};
    if (verify_body_read(&body, &verify_forms[form], &asked, text, size) == NQ_OK) {
        assert_true(board_values_read(&body, table, true, &said));
        board_values_add(&own, &said);
        params_end(&own);
        error = own.errors.count ? own.errors.list : NULL;
    }
    if (error)
        bytes_format(out, "%s %s", error->parameter, error->reason);
    else
        params_canonical(table, own.values, true, out);
    bytes_char(out, '\0');
}

TEST(test_forms)
{
    static const struct {
        enum form form;
        const char *query, *body, *made;
    } cases[] = {
        {JSON, "", "{\"n\":8,\"queens\":[[3,4],[1,2]],\"exclude\":[[2,8],[2,1]]}",
         "?n=8&place=1:2,3:4&exclude=2:1,2:8"},
        {JSON, "", "{\"exclude\":[{\"row\":0,\"col\":7}],\"n\":8,\"base\":0}", "?n=8&exclude=0:7&base=0"},
        {JSON, "base=0", "{\"n\":8,\"queens\":[[0,1]]}", "?n=8&place=0:1&base=0"},
        {JSON, "n=8", "[[3,4],[1,2],[5,5]]", "?n=8&place=1:2,3:4,5:5"},
        {JSON, "exclude=1:1&n=8", "{\"queens\":[]}", "?n=8&exclude=1:1"},
        {JSON, "", "{\"n\":5}", "?n=5"},
        {JSON, "", "{\"n\":8,\"m\":6,\"queens\":\"0-8\",\"walls\":[[3,4],[1,2],[3,4]],\"maximal\":true}",
         "?n=8&m=6&queens=0-8&walls=1:2,3:4&maximal=true"},
        {JSON, "", "{\"n\":8,\"queens\":3,\"squares\":[[1,1]],\"maximal\":false}", "?n=8&queens=3&place=1:1"},
        {JSON, "n=4", "{\"m\":3,\"permutation\":[1,null,4]}", "?n=4&m=3&place=1:1,3:4"},
        {JSON, "m=3", "{\"board\":[\"Q...\",\"....\",\"..Q.\"]}", "?n=4&m=3&place=1:1,3:3"},
        {TEXT, "", "n = 5, base = 1, m = 3\n > 1:5\nREADY.\n", "?n=5&m=3&place=1:5"},
        {JSON, "", "{\"n\":5,\"rules\":\"toroidal\"}", "?n=5&rules=toroidal"},
        {JSON, "", "{\"permutation\":[2,4,1,3]}", "?n=4&place=1:2,2:4,3:1,4:3"},
        {JSON, "", "{\"n\":4,\"permutation\":[2,4],\"rows\":{\"first\":2,\"last\":3}}", "?n=4&place=2:2,3:4"},
        {JSON, "", "{\"board\":[\"Q..\",\".x.\",\"..X\"]}", "?n=3&place=1:1&exclude=2:2,3:3"},
        {JSON, "base=0", "{\"board\":[\"Q..\",\".x.\",\"..X\"]}", "?n=3&place=0:0&exclude=1:1,2:2&base=0"},
        {JSON, "", "{\"states\":[[1,2,2],[2,0,0],[0,0,0]]}", "?n=3&place=1:1&exclude=1:2,1:3,2:1"},
        {JSON, "", "{\"board\":[[0,1],[0,0]]}", "?n=2&place=1:2"},
        {JSON, "", "{\"regions\":[[7,7,3,3],[7,7,3,3],[1,1,4,4],[1,1,4,4]]}", "?n=4&regions=aabb/aabb/ccdd/ccdd"},
        {JSON, "", "{\"regions\":\"aabb/aabb/ccdd/ccdd\",\"apart\":false,\"queens\":[[1,2]]}",
         "?n=4&place=1:2&regions=aabb/aabb/ccdd/ccdd&apart=false"},
        {JSON, "regions=1122/1122/3344/3344", "{\"queens\":[[1,2]]}", "?n=4&place=1:2&regions=1122/1122/3344/3344"},
        {JSON, "regions=1122/1122/3344/3344", "{\"regions\":\"aabb/aabb/ccdd/ccdd\"}",
         "?n=4&regions=1122/1122/3344/3344"},
        {TEXT, "", "aabb\naabb\nccdd\nccdd\n", "?n=4&regions=aabb/aabb/ccdd/ccdd"},
        {TEXT, "", "aabbq/aabbq/ccddq/ccddq/ccddq", "?n=5&regions=aabbc/aabbc/ddeec/ddeec/ddeec"},
        {TEXT, "", "Q x .\n. . .\nx . .\n", "?n=3&place=1:1&exclude=1:2,3:1"},
        {TEXT, "", "\xe2\x99\x9b\xc3\x97\xc2\xb7/\xc2\xb7\xc2\xb7\xc2\xb7/\xc2\xb7\xc2\xb7\xe2\x9c\x97",
         "?n=3&place=1:1&exclude=1:2,3:3"},
        {TEXT, "", "x.\n.x\n", "?n=2&place=1:1,2:2"},
        {TEXT, "", "..\n..\n", "?n=2"},
        {TEXT, "", "n = 5, base = 0\nREADY.\n", "?n=5&base=0"},
        {TEXT, "n=8", "b1 d2", "?n=8&place=1:2,2:4"},
        {LINES, "", "{\"row\":1,\"column\":2}\n{\"end\":true,\"n\":6}\n", "?n=6&place=1:2"},
        {LINES, "", "{\"n\":3,\"board\":[\"Q..\",\"...\",\"...\"],\"exclude\":[[3,3]]}\n",
         "?n=3&place=1:1&exclude=3:3"},
        {CSV, "", "row 0..3,column 0..3\n1,2\n", "?n=4&place=1:2&base=0"},
        {OCTETS, "", "\2\0\0\0\1\0\0\0", "?n=2&place=1:2,2:1"},
        {OCTETS, "n=2&base=0", "\1\0\0\0\0\0\0\0", "?n=2&place=0:1,1:0&base=0"},
    };
    BYTES(made);
    json_begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t size = cases[i].form == OCTETS ? 8 : strlen(cases[i].body);
        come_to(rows, cases[i].form, cases[i].query, cases[i].body, size, &made);
        assert_string_equal(made.data, cases[i].made);
    }
}

TEST(test_refusals)
{
    static const struct param small[] = {PARAM_N(1, 100), PARAM_BASE, {0}};
    static const struct {
        const struct param *table;
        enum form form;
        const char *query, *body, *made;
    } cases[] = {
        {rows, JSON, "n=9", "{\"n\":8}", "n is 9 in the query, but 8 in the body: leave one of them out"},
        {rows, JSON, "base=1", "{\"n\":8,\"base\":0}",
         "base is 1 in the query, but 0 in the body: leave one of them out"},
        {rows, JSON, "place=1:1", "{\"n\":8,\"queens\":[[1,1],[2,3]]}",
         "place is 1:1 in the query, but 1:1,2:3 in the body: leave one of them out"},
        {rows, JSON, "exclude=1:1,2:2,3:3,4:4,5:5,6:6,7:7,8:8,1:8", "{\"n\":8,\"exclude\":[[1,1]]}",
         "exclude is 1:1,1:8,2:2,3:3,4:4,5:5,6:6,7:7,... in the query, but 1:1 in the body: leave one of them out"},
        {rows, JSON, "n=8", "{}", "body has no board: give n, queens or regions"},
        {rows, JSON, "", "{\"queens\":[[1,1]]}", "n is required"},
        {rows, JSON, "", "{\"queens\":[[0,1]]}",
         "queens[0].row must be 1 to 1000000; if numbers begin with 0, give base 0"},
        {rows, JSON, "", "{\"n\":3,\"exclude\":[[1,4]]}", "exclude[0].column must be 1 to 3"},
        {rows, JSON, "", "{\"n\":3,\"exclude\":\"a1\"}", "exclude must be a list"},
        {rows, JSON, "", "{\"n\":3,\"queens\":[[1,1],[1,1]]}", "place names square 1:1 twice"},
        {rows, JSON, "", "{\"n\":101}", "n must be at most 100"},
        {rows, JSON, "", "{\"n\":3,\"base\":2}", "base must be 1 or 0"},
        {rows, JSON, "", "[[2,4,1,3],[3,1,4,2]]", "body has 2 boards, and one is asked about: send one"},
        {rows, JSON, "regions=aabb/aabb/ccdd/cddd", "{\"regions\":\"aabb/aabb/ccdd/ccdd\"}",
         "regions must be the same everywhere"},
        {rows, TEXT, "", "x..\n...\n...\n",
         "body can be read in two ways, with queens or with crosses: write Q for queens, or name the crosses in "
         "exclude"},
        {rows, TEXT, "", " x \n   \n  x\n",
         "body can be read in two ways, with queens or with crosses: write Q for queens, or name the crosses in "
         "exclude"},
        {rows, TEXT, "", "", "body has no board: give n, queens or regions"},
        {small, JSON, "", "{\"n\":8,\"queens\":[[1,1]]}",
         "place is not a parameter of this route, and the body has queens: send a board without them"},
        {small, JSON, "", "{\"n\":8,\"exclude\":[[1,1]]}",
         "exclude is not a parameter of this route, and the body has crosses: send a board without them"},
        {small, JSON, "", "{\"n\":0,\"queens\":[]}", "n must be at least 1"},
    };
    BYTES(made);
    json_begin();
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        come_to(cases[i].table, cases[i].form, cases[i].query, cases[i].body, strlen(cases[i].body), &made);
        assert_string_equal(made.data, cases[i].made);
    }
}

/* More squares than a parameter has, and far more than that, are refused; so many are not. */
TEST(test_many_squares)
{
    ENDED_BY(bytes_free) struct bytes made = {0}, text = {0};
    json_begin();
    for (int count = PARAM_SQUARES_MAX; count <= 10000; count += 4500) {
        bytes_text(&text, "{\"n\":100,\"exclude\":[");
        for (int i = 0; i < count; i++)
            bytes_format(&text, "%s[%d,%d]", i ? "," : "", 100 - i / 100, i % 100 + 1);
        bytes_text(&text, "]}");
        come_to(rows, JSON, "", text.data, text.size, &made);
        if (count == PARAM_SQUARES_MAX)
            assert_true(strncmp(made.data, "?n=100&exclude=91:1,91:2,", 25) == 0);
        else
            assert_string_equal(made.data, "exclude must have at most 1000 squares");
        bytes_free(&text);
        text = (struct bytes){0};
    }
}
