/* test_routes.c - tests of src/http/routes/routes.c: the table of endpoints makes sense. That `nqueensd routes`
 * writes all of it is for tests/http/contract.test.js to see. */
/* CI builds: address */
#include "engine/ask/query_values.h"
#include "http/routes/routes.h"
#include "solvers/solver.h"
#include "support/facts.h"

static const struct param no_params[] = {{0}};

static const struct param *params_of(const struct route *route)
{
    return route->asks.params ? route->asks.params : no_params;
}

TEST(test_paths)
{
    size_t count = 0;
    for (const struct route *const *at = routes; *at; at++, count++) {
        const struct route *route = *at;
        assert_int_equal(route->asks.path[0], '/');
        assert_int_equal(strspn(route->asks.path, "/abcdefghijklmnopqrstuvwxyz0123456789.-{}"),
                         strlen(route->asks.path));
        assert_true(route->asks.path[1] == '\0' || route->asks.path[strlen(route->asks.path) - 1] != '/');
        assert_non_null(route->handle);
        assert_true(strlen(route->summary) > 0);
        assert_null(strchr(route->summary, '\n'));
        assert_true(route->verb <= VERB_DELETE);
        for (const struct route *const *other = routes; other < at; other++) {
            const bool same = (*other)->port == route->port && strcmp((*other)->asks.path, route->asks.path) == 0;
            assert_false(same && ((*other)->verb == route->verb || strcmp(at[-1]->asks.path, route->asks.path) != 0));
        }
        const char *open = strchr(route->asks.path, '{'), *close = strchr(route->asks.path, '}');
        assert_int_equal(open != NULL, close != NULL);
        if (open) { /* one whole segment, with a name */
            assert_int_equal(open[-1], '/');
            assert_true(close > open + 1 && (close[1] == '\0' || close[1] == '/'));
            assert_null(strpbrk(open + 1, "{"));
            assert_null(strpbrk(close + 1, "{}"));
        }
    }
    assert_int_equal(routes_count(), count);
    assert_true(count >= 8);
}

/* The route of a path. */
static const struct route *find(enum port port, const char *path, enum verb verb)
{
    struct route_match match;
    memset(&match, 0xa5, sizeof match); /* nothing may be left to chance */
    const struct route *route = route_find(port, path, verb, &match);
    assert_true(!route || match.any);
    return route;
}

/* Whether there is nothing at a path, for no verb. */
static bool nothing_at(enum port port, const char *path)
{
    bool nothing = true;
    for (int verb = VERB_READ; verb <= VERB_UNKNOWN; verb++) {
        struct route_match match;
        nothing &= !route_find(port, path, (enum verb)verb, &match) && !match.any && !match.verbs;
    }
    return nothing;
}

/* A path of a route's pattern, "id" in the place of its {name}. */
static void path_of(const struct route *route, const char *id, char path[static 256])
{
    const char *open = strchr(route->asks.path, '{'), *close = strchr(route->asks.path, '}');
    if (open)
        (void)snprintf(path, 256, "%.*s%s%s", (int)(open - route->asks.path), route->asks.path, id, close + 1);
    else
        (void)snprintf(path, 256, "%s", route->asks.path);
}

TEST(test_find)
{
    for (const struct route *const *at = routes; *at; at++) {
        const enum port other = (*at)->port == PORT_PUBLIC ? PORT_ADMIN : PORT_PUBLIC;
        char plain[256], path[300];
        path_of(*at, "0123456789abcdef", plain);
        assert_ptr_equal(find((*at)->port, plain, (*at)->verb), *at);
        assert_true(nothing_at(other, plain));           /* what one port has, the other does not show */
        (void)snprintf(path, sizeof path, "%s/", plain); /* more slashes than are needed */
        assert_ptr_equal(find((*at)->port, path, (*at)->verb), *at);
        (void)snprintf(path, sizeof path, "/%s", plain);
        assert_ptr_equal(find((*at)->port, path, (*at)->verb), *at);
        (void)snprintf(path, sizeof path, "%s?n=8", plain);
        assert_true(nothing_at((*at)->port, path));
    }
    static const char *const unknown[] = {"",       "web",    "/web",  "/web/a/b",  "solve",
                                          "/Solve", "/SOLVE", "/solv", "/solve/..", "*"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_true(nothing_at(PORT_PUBLIC, unknown[i]));
    static const char *const wanted[] = {"/solve",        "/count", "/construct", "/algorithms", "/openapi.yaml",
                                         "/openapi.json", "/",      "/docs",      "/web/main.js"};
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        assert_non_null(find(PORT_PUBLIC, wanted[i], VERB_READ));
    static const char *const admin[] = {"/healthz", "/readyz", "/metrics"};
    for (size_t i = 0; i < sizeof admin / sizeof admin[0]; i++)
        assert_non_null(find(PORT_ADMIN, admin[i], VERB_READ));
    assert_non_null(find(PORT_PUBLIC, "/jobs", VERB_POST));
    assert_non_null(find(PORT_PUBLIC, "/jobs/1", VERB_READ));
    assert_non_null(find(PORT_PUBLIC, "/jobs/1", VERB_DELETE));
    assert_non_null(find(PORT_PUBLIC, "/jobs/1/events", VERB_READ));
}

/* A {name} is one segment of letters, digits, -, _ and dots. */
TEST(test_segments)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.";
    char path[256], longest[SEGMENT_MAX + 2];
    struct route_match match;
    for (const struct route *const *at = routes; *at; at++) {
        const bool named = strchr((*at)->asks.path, '{');
        path_of(*at, letters + 1, path); /* there is one more than a segment holds */
        memset(&match, 0xa5, sizeof match);
        assert_ptr_equal(route_find((*at)->port, path, (*at)->verb, &match), *at);
        assert_string_equal(match.segment, named ? letters + 1 : "");
        if (!named)
            continue;
        memset(longest, 'x', sizeof longest);
        longest[SEGMENT_MAX] = '\0';
        path_of(*at, longest, path);
        assert_ptr_equal(route_find((*at)->port, path, (*at)->verb, &match), *at);
        assert_string_equal(match.segment, longest);
        longest[SEGMENT_MAX] = 'x';
        longest[SEGMENT_MAX + 1] = '\0';
        path_of(*at, longest, path);
        assert_true(nothing_at((*at)->port, path));
        path_of(*at, "", path); /* its slashes are one: another path */
        assert_ptr_not_equal(find((*at)->port, path, (*at)->verb), *at);
        for (int c = 1; c < 256; c++) {
            const char odd[] = {'a', (char)c, 'b', '\0'};
            path_of(*at, odd, path);
            assert_int_equal(nothing_at((*at)->port, path), !strchr(letters, c));
        }
    }
    static const char *const unknown[] = {"/jobs/1/Events", "/jobs/1/event", "/jobs/1/eventss",
                                          "/jobs/1/2",      "/jobs/{id}",    "/jobs/../count",
                                          "/jobs1",         "/Jobs/1",       "/jobs/1/events/2"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_true(nothing_at(PORT_PUBLIC, unknown[i]));
}

/* Where a path is there and the method is not, one can say which are. */
TEST(test_verbs)
{
    static const struct {
        enum port port;
        const char *path, *allow;
        bool verbs[VERB_UNKNOWN + 1];
    } cases[] = {
        {PORT_PUBLIC, "/count", "GET, HEAD, POST, OPTIONS", {[VERB_READ] = true, [VERB_POST] = true}},
        {PORT_PUBLIC, "/construct", "GET, HEAD, OPTIONS", {[VERB_READ] = true}},
        {PORT_PUBLIC, "/jobs", "POST, OPTIONS", {[VERB_POST] = true}},
        {PORT_PUBLIC, "/jobs/abc", "GET, HEAD, DELETE, OPTIONS", {[VERB_READ] = true, [VERB_DELETE] = true}},
        {PORT_PUBLIC, "/jobs/abc/events", "GET, HEAD, OPTIONS", {[VERB_READ] = true}},
        {PORT_ADMIN, "/metrics", "GET, HEAD, OPTIONS", {[VERB_READ] = true}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        for (int verb = VERB_READ; verb <= VERB_UNKNOWN; verb++) {
            struct route_match match;
            const struct route *route = route_find(cases[i].port, cases[i].path, (enum verb)verb, &match);
            BYTES(allow);
            assert_int_equal(route != NULL, cases[i].verbs[verb]);
            assert_non_null(match.any);
            assert_true(!route || route_verbs(route) >> verb & 1);
            route_allow(match.verbs, &allow);
            bytes_char(&allow, '\0');
            assert_string_equal(allow.data, cases[i].allow);
        }
    }
}

static void check_choices(const struct param *param)
{
    assert_non_null(param->choices);
    assert_non_null(param->choices(0));
    assert_int_equal(param->preset, 0); /* the first is */
    for (size_t i = 0; param->choices(i); i++) {
        const char *word = param->choices(i);
        assert_true(strlen(word) > 0);
        assert_int_equal(strspn(word, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(word));
        for (size_t k = 0; k < i; k++)
            assert_string_not_equal(word, param->choices(k));
    }
}

TEST(test_params)
{
    static const size_t room[] = {[PARAM_TOKEN] = PARAM_TOKEN_MAX + 4,
                                  [PARAM_TEXT] = PARAM_TEXT_MAX + 1,
                                  [PARAM_SQUARES] = PARAM_SQUARES_MAX * sizeof(struct param_square),
                                  [PARAM_COLUMNS] = PARAM_COLUMNS_MAX * sizeof(uint16_t),
                                  [PARAM_QUEENS] = PARAM_SQUARES_MAX * sizeof(struct param_square),
                                  [PARAM_FACTORS] = (PARAM_FACTORS_MAX + PARAM_FACTOR_COLUMNS_MAX) * sizeof(uint32_t)};
    for (const struct route *const *at = routes; *at; at++) {
        const struct param *params = params_of(*at);
        size_t count = 0, most = 0;
        while (params[count].name) {
            const struct param *param = &params[count++];
            most += room[param->type];
            assert_int_equal(strspn(param->name, "abcdefghijklmnopqrstuvwxyz-_"), strlen(param->name));
            assert_true(strlen(param->name) > 0 &&
                        strlen(param->name) < sizeof((struct validation_error *)0)->parameter);
            assert_non_null(param->summary);
            assert_null(strchr(param->summary, '\n'));
            for (const struct param *other = params; other < param; other++)
                assert_string_not_equal(other->name, param->name);
            if (param->type == PARAM_NUMBER || param->type == PARAM_RANGE) {
                assert_true(param->least <= param->most);
                assert_true(param->most <= INT64_MAX);
                assert_true(!param->has_preset || (param->preset >= param->least && param->preset <= param->most));
            }
            if (param->type == PARAM_CHOICE)
                check_choices(param);
            if (strcmp(param->name, "cursor") == 0) {
                assert_int_equal(param->type, PARAM_TOKEN);
                assert_null(params[count].name); /* the last row: links are made by appending it */
                assert_false(param->required);
                assert_true(params[0].required); /* so there is a "?" before it */
            }
        }
        assert_true(count <= PARAMS_MAX && most <= PARAMS_ROOM);
    }
}

/* What is offered as a format can be found and named, and is what the parameter `format` lets choose. */
TEST(test_representations)
{
    for (const struct route *const *at = routes; *at; at++) {
        const struct route *route = *at;
        size_t count = 0;
        for (const char *type; (type = route_media_type(route, count)); count++)
            assert_non_null(strchr(type, '/'));
        assert_true(count > 0);
        assert_int_equal((route->formats != NULL) + (route->media_type != NULL), 1);
        const struct param *format = params_of(route);
        while (format->name && strcmp(format->name, "format") != 0)
            format++;
        assert_int_equal(format->name != NULL, route->formats != NULL);
        for (size_t i = 0; route->formats && i < count; i++) {
            assert_string_equal(format->choices(i), route->formats(i));
            assert_string_equal(route_media_type(route, i), format_find(route->formats(i))->media_type);
        }
        if (route->formats) {
            assert_null(route->formats(count));
            assert_null(format->choices(count));
        }
    }
    assert_string_equal(row_bases(0), "1");
    assert_string_equal(row_bases(1), "0");
    assert_null(row_bases(2));
    assert_int_equal(row_base(&(struct value){.number = 0}), 1);
    assert_int_equal(row_base(&(struct value){.number = 1}), 0);
}

static const struct param *row_of(const struct route *route, const char *name, size_t size)
{
    for (const struct param *row = params_of(route); row->name; row++)
        if (strlen(row->name) == size && memcmp(row->name, name, size) == 0)
            return row;
    return NULL;
}

static bool has_choice(const struct param *row, const char *word, size_t size)
{
    for (size_t i = 0; row->choices(i); i++)
        if (strlen(row->choices(i)) == size && memcmp(row->choices(i), word, size) == 0)
            return true;
    return false;
}

static void assert_words(const struct param *row, const char *words)
{
    for (const char *word = words; *word; word += strcspn(word, "|"), word += *word == '|')
        assert_true(has_choice(row, word, strcspn(word, "|")));
}

/* Whether the route has the parameter that a condition names, and the words. */
static bool is_named(const struct route *route, const struct condition *condition)
{
    const size_t size = strcspn(condition->text, "=");
    const struct param *row = row_of(route, condition->text, size);
    if (!row)
        return false;
    if (condition->text[size])
        assert_words(row, condition->text + size + 1);
    assert_true(!condition->has || row->choices);
    return true;
}

/* Rows that several routes have may name what one of them lacks. */
static bool is_known(const struct condition *condition)
{
    bool known = !condition->text;
    for (const struct route *const *at = routes; *at; at++)
        for (const struct param *row = params_of(*at); row->name; row++)
            for (const struct bond *bond = row->bonds; bond && bond->kind && !known; bond++)
                known = bond->with.text && strcmp(bond->with.text, condition->text) == 0 && is_named(*at, condition);
    for (const struct route *const *at = routes; *at && !known; at++)
        known = is_named(*at, condition);
    return known;
}

/* Else a word that is written wrongly would bind nothing. */
TEST(test_bonds)
{
    for (const struct route *const *at = routes; *at; at++)
        for (const struct param *row = params_of(*at); row->name; row++)
            for (const struct bond *bond = row->bonds; bond && bond->kind; bond++) {
                assert_int_equal(bond->kind == NEVER, !bond->with.text);
                assert_true(is_known(&bond->with) && is_known(&bond->also) && is_known(&bond->unless));
                if (bond->own)
                    assert_words(row, bond->own);
                if (bond->value)
                    assert_words(row, bond->value);
                assert_int_equal(bond->kind == MUST_BE, bond->value != NULL);
                assert_true(!bond->own_has || row->choices);
            }
}

/* Bonds that name the algorithm of a table. */
TEST(test_algorithm_of_bonds)
{
    assert_string_equal(solver_by_regions()->name, "forward-checking");
}
