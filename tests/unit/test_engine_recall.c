/* test_engine_recall.c - tests of src/engine/tally.c with a ledger: what was counted once is not counted again, neither
 * by this process nor by the next, and what the ledger says is not believed without looking. */
#include <stdlib.h>
#include <string.h>

#include "archiving.h"
#include "count/counting.h"
#include "engine/ledger.h"
#include "pace.h"
#include "working.h"

/* Large enough to be worth keeping, small enough for a test. With the thread sanitizer such a count takes seconds: what
 * has nothing to do with threads is left to the others. */
enum { SIZE = 16 };

/* ---- A kernel that counts how often it is used ---- */

static atomic_uint calls;
static atomic_uint stop_after; /* calls; 0: never */
static atomic_bool stop;

static enum nq_status watched_count(const struct kernel_board *board, const struct kernel_prefix *prefix,
                                    const atomic_bool *stopped, struct kernel_tally *tally)
{
    const enum nq_status status = kernel_find("auto")->count(board, prefix, stopped, tally);
    if (atomic_fetch_add(&calls, 1) + 1 == atomic_load(&stop_after))
        atomic_store(&stop, true);
    return status;
}

static bool always(void)
{
    return true;
}

static const struct kernel watched = {
    .name = "watched", .summary = "the best there is, and how often", .supported = always, .count = watched_count};

/* ---- A ledger, and counts with it ---- */

static void fresh_archive(struct archive *archive)
{
    atomic_store(&calls, 0);
    atomic_store(&stop_after, 0);
    atomic_store(&stop, false);
    archive_begin(archive);
}

static struct tools tools_with(struct archive *archive, unsigned threads)
{
    struct tools tools = tools_of(&watched, threads);
    tools.ledger = archive->ledger;
    return tools;
}

/* What the search counts, and no other method: solutions with no queen in a corner. */
static struct question ask_cornerless(void)
{
    struct question question = ask_count(SIZE);
    for (uint32_t i = 0; i < 4; i++)
        filter_exclude(&question.query.filter, i / 2 * (SIZE - 1), i % 2 * (SIZE - 1));
    return question;
}

/* Those with a queen in one of them, of which each has one, and eight images. */
static uint64_t in_corners(void)
{
    return 4 * facts_at(facts_entry("first_row_column_distribution", SIZE), 0);
}

static uint64_t cornerless(void)
{
    return facts_term("all", SIZE) - in_corners();
}

static struct work *open_with(const struct tools *tools, const struct question *question)
{
    struct work *work = NULL;
    char why[WORK_WHY_MAX] = "";
    assert_int_equal(open_tally(question, tools, &stop, why, &work), NQ_OK);
    assert_string_equal(why, "");
    return work;
}

static struct progress progress_of(struct work *work)
{
    struct progress progress = {0};
    work->class->progress(work, &progress);
    return progress;
}

/* Counts, and returns what was counted; *used: how often the kernel was. */
static uint64_t count_with(const struct tools *tools, const struct question *question, unsigned *used)
{
    const unsigned before = calls;
    json_t *json = answer_json(work_off(open_with(tools, question)));
    const uint64_t count = facts_get(json, "count");
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), "computed");
    json_decref(json);
    *used = calls - before;
    return count;
}

static char *name_of(const struct question *question, size_t term)
{
    struct counting *counting;
    struct bytes name = {0};
    assert_int_equal(counting_open(&question->query, &counting), NQ_OK);
    counting_name(counting, term, &name);
    counting_close(counting);
    return bytes_take(&name);
}

/* ---- Restoring ---- */

static void test_a_whole_count_is_remembered(void **state)
{
    (void)state;
    struct archive archive;
    struct question question = ask_cornerless();
    unsigned used;
    fresh_archive(&archive);
    const struct tools tools = tools_with(&archive, 2);
    assert_int_equal(count_with(&tools, &question, &used), cornerless());
    assert_true(used > 5);
    assert_int_equal(archive_facts(&archive, STORE_RESULT), 1);
    assert_int_equal(archive_facts(&archive, STORE_UNIT), 0); /* the sum has taken their place */
    assert_int_equal(count_with(&tools, &question, &used), cornerless());
    assert_int_equal(used, 0);
    question.query.distinct = DISTINCT_FUNDAMENTAL; /* needs the same, and a little more, which no kernel counts */
    question.distinct = "fundamental";
    assert_int_equal(count_with(&tools, &question, &used), facts_term("fundamental", SIZE) - in_corners() / 8);
    assert_int_equal(used, 0);
    question = ask_cornerless();
    filter_exclude(&question.query.filter, 0, 1); /* something else */
    struct work *work = open_with(&tools, &question);
    assert_int_equal(progress_of(work).units_restored, 0);
    work->class->close(work);
    archive_end(&archive);
}

/* Without a ledger, and for what is quick, nothing is kept. */
static void test_small_counts_are_not_kept(void **state)
{
    (void)state;
    struct archive archive;
    unsigned used;
    fresh_archive(&archive);
    const struct tools tools = tools_with(&archive, 2);
    for (uint32_t n = 0; n <= 12; n++) {
        const struct question question = ask_count(n);
        assert_int_equal(count_with(&tools, &question, &used), facts_term("all", n));
    }
    for (int kind = 0; kind < STORE_KINDS; kind++)
        assert_int_equal(archive_facts(&archive, (enum store_kind)kind), 0);
    archive_end(&archive);
}

/* Cancelled in the middle: what was finished is kept, and the next one does the rest only, however many lanes. */
static void test_cancelled_counts_go_on(void **state)
{
    (void)state;
    for (unsigned threads = THREAD_SANITIZED ? 4 : 1; threads <= 4; threads += 3) {
        struct archive archive;
        const struct question question = ask_cornerless();
        fresh_archive(&archive);
        const struct tools tools = tools_with(&archive, threads);
        struct work *work = open_with(&tools, &question);
        struct progress progress = progress_of(work);
        const size_t units = progress.units;
        const uint64_t weight = progress.weight;
        assert_true(units >= 4 && weight > 0);
        assert_int_equal(progress.units_done + progress.units_restored + progress.nodes, 0);
        assert_int_equal(progress.weight_done + progress.weight_restored, 0);
        atomic_store(&stop_after, (unsigned)units / 2);
        assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
        progress = progress_of(work);
        const size_t done = progress.units_done;
        assert_true(done > 0 && done < units && progress.nodes > 0);
        assert_true(progress.weight_done > 0 && progress.weight_done < weight);
        const uint64_t weight_done = progress.weight_done;
        work->class->close(work);
        assert_int_equal(archive_facts(&archive, STORE_UNIT), done);
        assert_int_equal(archive_facts(&archive, STORE_RESULT), 0);

        atomic_store(&stop, false);
        atomic_store(&stop_after, 0);
        work = open_with(&tools, &question);
        progress = progress_of(work);
        assert_int_equal(progress.units, units);
        assert_int_equal(progress.units_done, done);
        assert_int_equal(progress.units_restored, done);
        assert_int_equal(progress.weight, weight);
        assert_int_equal(progress.weight_done, weight_done);
        assert_int_equal(progress.weight_restored, weight_done);
        assert_int_equal(progress.nodes, 0);
        const unsigned before = calls;
        struct answer *answer = NULL;
        assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_OK);
        assert_int_equal(calls - before, units - done);
        progress = progress_of(work);
        assert_int_equal(progress.units_done, units);
        assert_int_equal(progress.weight_done, weight);
        assert_int_equal(progress.units_restored, done);
        assert_int_equal(work->class->finish(work, &answer), NQ_OK);
        work->class->close(work);
        json_t *json = answer_json(answer);
        assert_int_equal(facts_get(json, "count"), cornerless());
        json_decref(json);
        assert_int_equal(archive_facts(&archive, STORE_UNIT), 0);
        assert_int_equal(archive_facts(&archive, STORE_RESULT), 1);
        archive_end(&archive);
    }
}

/* ---- Units that are cut into pieces ---- */

static double usual;

static int cut_small(void **state)
{
    (void)state;
    usual = method_longest;
    method_longest = 2e6;
    return 0;
}

static int cut_as_usual(void **state)
{
    (void)state;
    method_longest = usual;
    return 0;
}

struct kept {
    size_t units, pieces;
};

static void see_kept(void *context, const char *key, const void *value, size_t size)
{
    struct kept *kept = context;
    (void)value, (void)size;
    *(strchr(strrchr(key, '#'), '.') ? &kept->pieces : &kept->units) += 1;
}

/* Cancelled again and again: the pieces of units that are under way are kept, of others the sum, and nothing twice. */
static void test_pieces_go_on(void **state)
{
    (void)state;
    struct archive archive;
    const struct question question = ask_cornerless();
    unsigned all, began = 0, seen_pieces = 0;
    fresh_archive(&archive);
    const struct tools tools = tools_with(&archive, THREAD_SANITIZED ? 4 : 1);
    assert_int_equal(count_with(&tools, &question, &all), cornerless());
    ledger_drop(archive.ledger, STORE_RESULT, "");
    assert_int_equal(archive_facts(&archive, STORE_UNIT), 0);
    atomic_store(&calls, 0);
    for (unsigned part = 1; part <= 5; part++) {
        struct work *work = open_with(&tools, &question);
        const struct progress before = progress_of(work);
        assert_true(all > 3 * before.units);
        atomic_store(&stop_after, all * part / 6);
        assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
        const struct progress after = progress_of(work);
        work->class->close(work);
        struct kept kept = {0};
        assert_int_equal(ledger_each(archive.ledger, STORE_UNIT, "", FOREVER, see_kept, &kept), NQ_OK);
        assert_int_equal(kept.units, after.units_done);
        assert_true(kept.pieces <= (THREAD_SANITIZED ? all * 2 / 3 : all / 2)); /* one unit has nearly half of them */
        assert_true(after.weight_done > before.weight_done && after.weight_done < after.weight);
        assert_true(before.weight_restored == before.weight_done && before.weight_restored >= began);
        seen_pieces += kept.pieces > 0;
        began = before.weight_restored > 0;
        atomic_store(&stop, false);
    }
    assert_true(seen_pieces > 0);
    atomic_store(&stop_after, 0);
    struct work *work = open_with(&tools, &question);
    assert_true(progress_of(work).weight_restored > 0);
    struct answer *answer = NULL;
    assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_OK);
    const struct progress progress = progress_of(work);
    assert_int_equal(progress.units_done, progress.units);
    assert_int_equal(progress.weight_done, progress.weight);
    assert_int_equal(work->class->finish(work, &answer), NQ_OK);
    work->class->close(work);
    json_t *json = answer_json(answer);
    assert_int_equal(facts_get(json, "count"), cornerless());
    json_decref(json);
    if (!THREAD_SANITIZED) /* with one lane nothing is begun in vain */
        assert_int_equal(calls, all);
    assert_int_equal(archive_facts(&archive, STORE_UNIT), 0);
    assert_int_equal(archive_facts(&archive, STORE_RESULT), 1);
    archive_end(&archive);
}

static size_t pieces_of(const struct question *question, size_t unit, size_t *units)
{
    struct counting *counting;
    size_t pieces = 0;
    assert_int_equal(counting_open(&question->query, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_pieces(counting, unit, NULL, &pieces), NQ_OK);
    *units = counting_units(counting);
    counting_close(counting);
    return pieces;
}

/* Whatever a process left when it ended: all pieces and not their sum, the sum and some of the pieces, in any order. */
static void test_pieces_and_sums(void **state)
{
    (void)state;
    if (THREAD_SANITIZED)
        skip();
    struct archive archive;
    const struct question question = ask_cornerless();
    const uint64_t parts = 3 * cornerless();
    char *name = name_of(&question, 0), key[256], value[64];
    size_t units, pieces = pieces_of(&question, 0, &units);
    unsigned used;
    assert_true(pieces > 2);
    for (int left = 0; left < 4; left++) { /* bit 0: the sum of the first unit; bit 1: not all of its pieces */
        fresh_archive(&archive);
        const struct tools tools = tools_with(&archive, 2);
        for (size_t piece = pieces; piece-- > 0;) {
            (void)snprintf(key, sizeof key, "%s #0.%zu", name, piece);
            (void)snprintf(value, sizeof value, "%llu 1", piece ? 0ULL : (unsigned long long)parts);
            if (left < 2 || piece != 1)
                assert_true(ledger_put(archive.ledger, STORE_UNIT, key, value));
        }
        for (size_t unit = left & 1 ? 0 : 1; unit < units; unit++) {
            (void)snprintf(key, sizeof key, "%s #%zu", name, unit);
            (void)snprintf(value, sizeof value, "%llu 1", unit ? 0ULL : (unsigned long long)parts);
            assert_true(ledger_put(archive.ledger, STORE_UNIT, key, value));
        }
        struct work *work = open_with(&tools, &question);
        const struct progress progress = progress_of(work);
        assert_int_equal(progress.units_restored, left == 2 ? units - 1 : units);
        assert_true(left == 2 ? progress.weight_done < progress.weight : progress.weight_done == progress.weight);
        work->class->close(work);
        if (left == 2) { /* the piece that is missing comes to something of its own */
            assert_true(count_with(&tools, &question, &used) >= cornerless());
            assert_int_equal(used, 1);
        } else {
            assert_int_equal(count_with(&tools, &question, &used), cornerless());
            assert_int_equal(used, 0);
        }
        assert_int_equal(archive_facts(&archive, STORE_RESULT), 1);
        assert_int_equal(archive_facts(&archive, STORE_UNIT), 0);
        archive_end(&archive);
    }
    free(name);
}

struct copy {
    struct ledger *to;
    unsigned skip, copied; /* every so many, and how many were */
};

static void copy_one(void *context, const char *key, const void *value, size_t size)
{
    struct copy *copy = context;
    char text[128];
    (void)snprintf(text, sizeof text, "%.*s", (int)size, (const char *)value);
    if (++copy->copied % copy->skip)
        assert_true(ledger_put(copy->to, STORE_UNIT, key, text));
}

/* The last process ended after the last unit, before the sum. */
static void test_all_units_and_no_sum(void **state)
{
    (void)state;
    if (THREAD_SANITIZED)
        skip();
    struct archive archive, other;
    const struct question question = ask_cornerless();
    unsigned used;
    fresh_archive(&archive);
    struct tools tools = tools_with(&archive, 1);
    struct work *work = open_with(&tools, &question);
    const size_t units = progress_of(work).units;
    atomic_store(&stop_after, (unsigned)units - 1);
    assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
    work->class->close(work);
    fresh_archive(&other); /* once more, for the unit that is missing */
    tools = tools_with(&other, 1);
    work = open_with(&tools, &question);
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    work->class->close(work);
    struct bytes sum = {0};
    char *name = name_of(&question, 0);
    assert_int_equal(ledger_get(other.ledger, STORE_RESULT, name, FOREVER, &sum), NQ_OK);
    bytes_char(&sum, '\0');

    /* The parts of the units there are, and what is missing to the sum. */
    struct copy copy = {.to = other.ledger, .skip = UINT32_MAX};
    assert_int_equal(ledger_each(archive.ledger, STORE_UNIT, name, FOREVER, copy_one, &copy), NQ_OK);
    assert_int_equal(copy.copied, units - 1);
    ledger_drop(other.ledger, STORE_RESULT, "");
    const unsigned before = calls;
    work = open_with(&tools, &question);
    assert_int_equal(progress_of(work).units_restored, units - 1);
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    assert_int_equal(calls - before, 1);
    work->class->close(work);
    struct bytes again = {0};
    assert_int_equal(ledger_get(other.ledger, STORE_RESULT, name, FOREVER, &again), NQ_OK);
    bytes_char(&again, '\0');
    assert_string_equal(again.data, sum.data);

    /* All of them. */
    assert_int_equal(ledger_each(archive.ledger, STORE_UNIT, name, FOREVER, copy_one, &copy), NQ_OK);
    ledger_drop(other.ledger, STORE_RESULT, "");
    const unsigned long long parts = strtoull(sum.data, NULL, 10);
    assert_true(parts == 3 * cornerless());
    for (size_t unit = 0; unit < units; unit++) { /* all parts in the first, none in the others */
        char key[256], value[64];
        (void)snprintf(key, sizeof key, "%s #%zu", name, unit);
        (void)snprintf(value, sizeof value, "%llu 1", unit ? 0 : parts);
        assert_true(ledger_put(other.ledger, STORE_UNIT, key, value));
    }
    assert_int_equal(count_with(&tools, &question, &used), cornerless());
    assert_int_equal(used, 0);
    assert_int_equal(archive_facts(&other, STORE_RESULT), 1); /* made good */
    assert_int_equal(archive_facts(&other, STORE_UNIT), 0);
    bytes_free(&sum);
    bytes_free(&again);
    free(name);
    archive_end(&archive);
    archive_end(&other);
}

/* What is no fact, or none of these units, is counted as if nothing were there. */
static void test_garbled_facts(void **state)
{
    (void)state;
    if (THREAD_SANITIZED)
        skip();
    static const char *const bad[] = {
        "",     " ",    "7",     "7 ",  " 7",   "7 7 7", "x 7",   "7 x",
        "-7 7", "7 -7", "7.0 7", "7,7", "7  7", "7\t7",  "0x7 7", "340282366920938463463374607431768211457 7",
        "7\n7"};
    enum { BAD = sizeof bad / sizeof bad[0] };
    const struct question question = ask_cornerless();
    char *name = name_of(&question, 0);
    struct archive archive;
    unsigned used, all;
    fresh_archive(&archive);
    const struct tools tools = tools_with(&archive, 2);
    assert_int_equal(count_with(&tools, &question, &all), cornerless());
    for (size_t i = 0; i < BAD; i++) {
        char key[128];
        assert_true(ledger_put(archive.ledger, STORE_RESULT, name, bad[i]));
        for (unsigned unit = 0; unit < all; unit++) {
            (void)snprintf(key, sizeof key, "%s #%u", name, unit);
            assert_true(ledger_put(archive.ledger, STORE_UNIT, key, bad[i]));
        }
        if (i % 6 == 0) { /* each one takes a whole count */
            assert_int_equal(count_with(&tools, &question, &used), cornerless());
            assert_int_equal(used, all);
        } else {
            struct work *work = open_with(&tools, &question);
            assert_int_equal(progress_of(work).units_restored, 0);
            assert_int_equal(progress_of(work).units, all);
            work->class->close(work);
        }
    }
    static const char *const keys[] = {"#",
                                       "#x",
                                       "#-1",
                                       "#1x",
                                       "# 1",
                                       "#1 ",
                                       "#999999",
                                       "#18446744073709551616",
                                       "#340282366920938463463374607431768211456",
                                       "1",
                                       "#1.0", /* it is not cut */
                                       "#1.",
                                       "#1.x",
                                       "#1.1048575",
                                       "#1.18446744073709551615",
                                       "#.1",
                                       "#1#"};
    ledger_drop(archive.ledger, STORE_RESULT, "");
    ledger_drop(archive.ledger, STORE_UNIT, "");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        char key[128];
        (void)snprintf(key, sizeof key, "%s %s", name, keys[i]);
        assert_true(ledger_put(archive.ledger, STORE_UNIT, key, "1 1"));
        (void)snprintf(key, sizeof key, "%s0 #%zu", name, i); /* of another board */
        assert_true(ledger_put(archive.ledger, STORE_UNIT, key, "1 1"));
    }
    assert_int_equal(count_with(&tools, &question, &used), cornerless());
    assert_int_equal(used, all);
    free(name);
    archive_end(&archive);
}

/* A store that does not work takes nothing away but memory of the past. */
static void test_closed_ledger(void **state)
{
    (void)state;
    struct archive archive;
    const struct question question = ask_cornerless();
    unsigned used;
    fresh_archive(&archive);
    const struct tools tools = tools_with(&archive, 2);
    ledger_close(archive.ledger);
    assert_int_equal(count_with(&tools, &question, &used), cornerless());
    ledger_free(archive.ledger);
    store_close(archive.store);
}

/* ---- What takes too long ---- */

static void test_too_long(void **state)
{
    (void)state;
    struct archive archive;
    const struct question question = ask_cornerless();
    unsigned used;
    fresh_archive(&archive);
    struct tools tools = tools_with(&archive, 2);
    tools.most_core_seconds = 0.01; /* at a hundred million placements a second */
    struct work *work = NULL;
    char why[WORK_WHY_MAX] = "";
    assert_int_equal(open_tally(&question, &tools, &stop, why, &work), NQ_LIMIT);
    assert_null(work);
    assert_true(strlen(why) > 20 && strlen(why) < WORK_WHY_MAX - 1);
    assert_true(why[0] >= 'A' && why[0] <= 'Z' && why[strlen(why) - 1] == '.');
    const struct question large = ask_count(32);
    tools.most_core_seconds = 1e9;
    memset(why, 0, sizeof why);
    assert_int_equal(open_tally(&large, &tools, &stop, why, &work), NQ_LIMIT);
    assert_true(strlen(why) > 20 && strlen(why) < WORK_WHY_MAX - 1);
    assert_int_equal(count_with(&tools, &question, &used), cornerless());
    tools.most_core_seconds = 0.01;
    assert_int_equal(count_with(&tools, &question, &used), cornerless()); /* known: it takes no time */
    assert_int_equal(used, 0);
    archive_end(&archive);
}

static void test_stopped_while_it_opens(void **state)
{
    (void)state;
    struct archive archive;
    fresh_archive(&archive);
    struct tools tools = tools_with(&archive, 2);
    tools.most_core_seconds = 1e300;
    atomic_store(&stop, true);
    static const uint32_t sizes[] = {12, 22, 32};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct question question = ask_count(sizes[i]);
        struct work *work = NULL;
        char why[WORK_WHY_MAX];
        const enum nq_status status = open_tally(&question, &tools, &stop, why, &work);
        assert_true(status == NQ_CANCELLED || (status == NQ_OK && sizes[i] == 12)); /* a small plan is there at once */
        if (work)
            work->class->close(work);
    }
    archive_end(&archive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_whole_count_is_remembered),
        cmocka_unit_test(test_small_counts_are_not_kept),
        cmocka_unit_test(test_cancelled_counts_go_on),
        cmocka_unit_test_setup_teardown(test_pieces_go_on, cut_small, cut_as_usual),
        cmocka_unit_test_setup_teardown(test_pieces_and_sums, cut_small, cut_as_usual),
        cmocka_unit_test(test_all_units_and_no_sum),
        cmocka_unit_test(test_garbled_facts),
        cmocka_unit_test(test_closed_ledger),
        cmocka_unit_test(test_too_long),
        cmocka_unit_test(test_stopped_while_it_opens),
    };
    return cmocka_run_group_tests_name("recall", tests, NULL, NULL);
}
