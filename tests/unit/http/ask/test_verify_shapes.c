/* test_verify_shapes.c - tests of src/http/ask/verify_*.c: boards of any shape in every form of a body, whole or with
 * what is said beside it. */
/* CI builds: address */
#include <inttypes.h>
#include <string.h>

#include "http/ask/verify_body.h"
#include "support/facts.h"

/* Rows of verify_forms. */
enum form { JSON, LINES, TEXT, CSV, OCTETS };

struct shaped {
    enum form form;
    uint32_t n, m; /* beside the body; 0: not */
    bool shaped;
    const char *text, *made; /* the board that is said of it, or "parameter reason" of what is wrong with it */
};

/* What a body says of the board, and the queens: "n m queens walls maximal: squares". */
static void say(const struct verify_body *body, struct bytes *out)
{
    bytes_format(out, "%" PRIu32 " %s%" PRIu32 " [%s]", body->n, body->has_m ? "m=" : "",
                 body->has_m ? body->m : body->height, body->queens);
    for (uint32_t i = 0; i < body->walls.count; i++)
        bytes_format(out, " %" PRIu32 ":%" PRIu32, body->walls.squares[i].row, body->walls.squares[i].column);
    bytes_text(out, body->maximal ? " maximal:" : ":");
    for (uint32_t i = 0; i < body->placement->count; i++)
        bytes_format(out, " %" PRIu32 ":%" PRIu32, body->placement->queens[i].row, body->placement->queens[i].column);
    bytes_char(out, '\0');
}

static void check(const struct shaped *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct verify_asked asked = {.wanted = VERIFY_ONLY,
                                           .has_n = list[i].n,
                                           .n = list[i].n,
                                           .base = 1,
                                           .m = list[i].m,
                                           .shaped = list[i].shaped};
        const size_t size = list[i].form == OCTETS ? 8 : strlen(list[i].text);
        struct verify_body body;
        struct bytes out = {0};
        if (verify_body_read(&body, &verify_forms[list[i].form], &asked, list[i].text, size) == NQ_OK)
            say(&body, &out);
        else
            bytes_format(&out, "%s %s%c", body.error.parameter, body.error.reason, '\0');
        if (strncmp(out.data, list[i].made, strlen(list[i].made)) != 0)
            fail_msg("%s: %s, not %s", list[i].text, out.data, list[i].made);
        bytes_free(&out);
        verify_body_free(&body);
    }
}

TEST(test_read)
{
    static const struct shaped list[] = {
        {JSON, 0, 0, false,
         "{\"n\":4,\"m\":3,\"queens\":2,\"walls\":[[1,2],{\"row\":3,\"column\":1}],\"squares\":[[1,1]]}",
         "4 m=3 [2] 0:1 2:0: 0:0"},
        {JSON, 0, 0, false, "{\"squares\":[[2,3]],\"maximal\":true,\"queens\":\"0-4\",\"base\":0,\"n\":4,\"m\":3}",
         "4 m=3 [0-4] maximal: 2:3"},
        {JSON, 0, 0, false,
         "{\"n\":4,\"m\":3,\"queens\":\"any\",\"solutions\":[{\"squares\":[],\"permutation\":[4,null,1]}]}",
         "4 m=3 [any]: 0:3 2:0"},
        {JSON, 0, 0, false, "{\"m\":2,\"board\":[\"Q..\",\"..Q\"]}", "3 m=2 []: 0:0 1:2"},
        {JSON, 0, 0, false, "{\"board\":[\"Q..\",\"..Q\"],\"m\":2}", "3 m=2 []: 0:0 1:2"},
        {JSON, 0, 0, false, "{\"board\":\"Q../..Q\",\"m\":2,\"n\":3}", "3 m=2 []: 0:0 1:2"},
        {JSON, 0, 2, true, "{\"board\":[[0,0,1],[1,0,0]]}", "3 2 []: 0:2 1:0"},
        {JSON, 4, 3, true, "{\"permutation\":[4,null,1]}", "4 3 []: 0:3 2:0"},
        {JSON, 0, 0, true, "{\"permutation\":[4,null,1,null]}", "4 4 []: 0:3 2:0"},
        {JSON, 5, 0, true, "[[1,1],[2,3],[3,5]]", "5 5 []: 0:0 1:2 2:4"},
        {LINES, 0, 0, false,
         "{\"squares\":[[1,3]]}\n{\"end\":true,\"n\":3,\"m\":2,\"queens\":1,\"walls\":[[2,2]],\"returned\":1}\n",
         "3 m=2 [1] 1:1: 0:2"},
        {TEXT, 0, 0, false, "n = 4, base = 0, m = 3, rules = superqueens\n\n 1 > 0:1 2:3\n\nREADY.\n",
         "4 m=3 []: 0:1 2:3"},
        {TEXT, 0, 0, false, "n = 4, base = 1, m = 3\n > \nREADY.\n", "4 m=3 []:"},
        {TEXT, 0, 2, true, "Q..\n..Q\n", "3 2 []: 0:0 1:2"},
        {TEXT, 0, 2, true, "Q . .\n. . x\n", "3 2 []: 0:0"},
        {TEXT, 0, 2, true, "0 1 0\n0 0 0\n", "3 2 []: 0:1"},
        {TEXT, 0, 2, true, "010\n000\n", "3 2 []: 0:1"},
        {TEXT, 3, 2, true, "b1 c2", "3 2 []: 0:1 1:2"},
        {CSV, 0, 0, false, "offset rules=superqueens m=3 n=4,squares\r\n0,1:1 2:4\r\n", "4 m=3 []: 0:0 1:3"},
        {CSV, 0, 0, false, "offset m=3 n=4 base=0,squares\n7,0:1\n", "4 m=3 []: 0:1"},
        {CSV, 0, 0, false, "offset m=3 n=4,squares\n,\n", "4 m=3 []:"},
        {CSV, 0, 0, false, "offset m=3 n=4,squares\n0\n",
         "body at byte 24, line 2, column 2: a line must have as many fields as the first"},
        {OCTETS, 3, 2, true, "\1\0\0\0\3\0\0\0", "3 2 []: 0:0 1:2"},
    };
    check(list, sizeof list / sizeof list[0]);
}

TEST(test_what_does_not_fit)
{
    static const struct shaped list[] = {
        {JSON, 0, 0, false, "{\"board\":[\"Q..\",\"..Q\"]}", "body has a board of 2 rows of 3 squares"},
        {JSON, 0, 0, false, "{\"board\":[\"Q..\",\"..Q\"],\"m\":3}", "body has a board of 2 rows, but m is 3"},
        {JSON, 0, 0, false, "{\"n\":4,\"board\":[\"Q..\",\"..Q\"],\"m\":2}",
         "body has a board of 3 columns, but n is 4"},
        {JSON, 0, 0, false, "{\"n\":4,\"m\":3,\"permutation\":[1,2,3,4]}", "permutation has 4 columns, but m is 3"},
        {JSON, 0, 0, false, "{\"m\":3,\"permutation\":[1,2,3]}", "n is required with queens"},
        {JSON, 0, 0, false, "{\"n\":4,\"m\":3,\"squares\":[[4,1]]}", "queens[0].row must be 1 to 3"},
        {JSON, 0, 0, false, "{\"n\":4,\"m\":3,\"permutation\":[null,5,null]}", "permutation[1] must be 1 to 4"},
        {JSON, 0, 0, false, "{\"n\":4,\"m\":3,\"walls\":[[3,4],[4,1]],\"squares\":[]}", "walls[1].row must be 1 to 3"},
        {JSON, 0, 0, false, "{\"n\":4,\"walls\":8,\"squares\":[]}", "walls must be a list"},
        {JSON, 0, 0, false, "{\"n\":4,\"maximal\":1,\"squares\":[]}", "maximal must be true or false"},
        {JSON, 0, 0, false, "{\"n\":1,\"queens\":\"any\",\"squares\":[[1,1],[1,1]]}",
         "body has 2 queens, and the limit is the number of squares, 1"},
        {JSON, 5, 0, true, "{\"n\":4,\"squares\":[]}", "n is 5 in the query, but 4 in the body: leave one of them out"},
        {TEXT, 0, 3, true, "Q..\n..Q\n", "body has a board of 2 rows of 3 squares"},
        {TEXT, 0, 3, true, " Q \nQ  \n  Q\n", "body does not show how many columns the board has: write Q and ."},
        {TEXT, 0, 2, true, "b1 c2", "n is required with queens"},
        {TEXT, 0, 0, false, "n = 4, base = 1, m = 3\n 1 > 1:1 2\nREADY.\n",
         "body at byte 33, line 2, column 11: expected :, found 0x0a"},
        {TEXT, 0, 0, false, "n = 4, base = 1, m = 3\n 1  2\nREADY.\n",
         "body at byte 27, line 2, column 5: expected >, found 2"},
    };
    check(list, sizeof list / sizeof list[0]);
}
