/* test_count_work_recall.c - tests of src/engine/counts/count_work.c with a journal: what was counted once is not
 * counted again, neither by this process nor by the next, and facts of the journal are checked. */
/* CI builds: address thread */
#include "count/counting.h"
#include "engine/journal/journal.h"
#include "engine/units/plans.h"
#include "engine/units/units.h"
#include "support/memory_journal.h"
#include "support/run_work.h"
#include "support/sanitizer.h"

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

/* ---- A journal, and counts with it ---- */

/* A journal, what counts with it, and a watched kernel that was not used yet. */
struct recall {
    struct memory_journal kept;
    struct tools tools;
};

static void recall_begin(struct recall *recall, unsigned threads, struct plans *plans)
{
    atomic_store(&calls, 0);
    atomic_store(&stop_after, 0);
    atomic_store(&stop, false);
    memory_journal_begin(&recall->kept);
    recall->tools = tools_of(&watched, threads);
    recall->tools.journal = recall->kept.journal;
    recall->tools.plans = plans;
}

static void recall_end(struct recall *recall)
{
    memory_journal_end(&recall->kept);
}

static bool is_list(const char *key)
{
    const size_t length = strlen(key);
    return length > strlen(" units") && strcmp(key + length - strlen(" units"), " units") == 0;
}

static void see_list(void *context, const char *key, const void *value, size_t size)
{
    (void)value, (void)size;
    *(size_t *)context += is_list(key);
}

/* How many counts, each with the list of its units, and how many units of one are stored. */
static void check_stored(struct recall *recall, size_t results, size_t units)
{
    size_t lists = 0;
    assert_int_equal(journal_each(recall->kept.journal, STORE_RESULT, "", FOREVER, see_list, &lists), NQ_OK);
    assert_int_equal(lists, results);
    assert_int_equal(memory_journal_facts(&recall->kept, STORE_RESULT), 2 * results);
    assert_int_equal(memory_journal_facts(&recall->kept, STORE_UNIT), units);
}

/* Stores the result of a unit or, unless it is negative, of a piece of it. */
static void put_unit(struct recall *recall, const char *name, size_t unit, long piece, unsigned long long thirds)
{
    char key[256], value[64];
    const int length = snprintf(key, sizeof key, "%s #%zu", name, unit);
    if (piece >= 0)
        (void)snprintf(key + length, sizeof key - (size_t)length, "#%ld", piece);
    (void)snprintf(value, sizeof value, "%llu 1", thirds);
    assert_true(journal_put(recall->kept.journal, STORE_UNIT, key, value));
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

static struct work *open_with(const struct recall *recall, const struct question *question)
{
    return open_count(question, &recall->tools, &stop);
}

/* The end of a count that is open. */
static uint64_t count_of(struct work *work)
{
    json_t *json = answer_json(work_finish(work));
    const uint64_t count = facts_get(json, "count");
    assert_string_equal(json_string_value(json_object_get(json, "provenance")), "computed");
    json_decref(json);
    return count;
}

/* Counts, and fails the test unless that is the number; returns how often the kernel was used. */
static unsigned check_count(const struct recall *recall, const struct question *question, uint64_t count)
{
    const unsigned before = calls;
    struct work *work = open_with(recall, question);
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    assert_int_equal(count_of(work), count);
    return calls - before;
}

static char *name_of(const struct question *question, size_t term)
{
    struct counting *counting;
    struct bytes name = {0};
    assert_int_equal(counting_open(&question->query, NULL, &counting), NQ_OK);
    counting_name(counting, term, &name);
    counting_close(counting);
    return bytes_take(&name);
}

/* ---- Restoring ---- */

TEST(test_a_whole_count_is_remembered)
{
    struct question question = ask_cornerless();
    SCOPED(recall, recall, 2, NULL);
    assert_true(check_count(&recall, &question, cornerless()) > 5);
    check_stored(&recall, 1, 0); /* the sum has taken the place of the units */
    assert_int_equal(check_count(&recall, &question, cornerless()), 0);
    question.query.distinct = DISTINCT_FUNDAMENTAL; /* needs the same, and a little more, which no kernel counts */
    assert_int_equal(check_count(&recall, &question, facts_term("fundamental", SIZE) - in_corners() / 8), 0);
    question = ask_cornerless();
    filter_exclude(&question.query.filter, 0, 1); /* something else */
    struct work *work = open_with(&recall, &question);
    assert_int_equal(work_progress(work).units_restored, 0);
    work->class->close(work);
}

/* What is quick is not kept. */
TEST(test_small_counts_are_not_kept)
{
    SCOPED(recall, recall, 2, NULL);
    for (uint32_t n = 0; n <= 12; n++) {
        const struct question question = ask_count(n);
        (void)check_count(&recall, &question, facts_term("all", n));
    }
    for (int kind = 0; kind < STORE_KINDS; kind++)
        assert_int_equal(memory_journal_facts(&recall.kept, (enum store_kind)kind), 0);
}

/* Cancelled in the middle: what was finished is kept, and the next one does the rest only, however many tasks. */
TEST(test_cancelled_counts_go_on)
{
    for (unsigned threads = THREAD_SANITIZED ? 4 : 1; threads <= 4; threads += 3) {
        const struct question question = ask_cornerless();
        SCOPED(recall, recall, threads, NULL);
        struct work *work = open_with(&recall, &question);
        const struct progress begun = work_progress(work);
        assert_true(begun.units >= 4 && begun.weight > 0);
        assert_int_equal(begun.units_done + begun.units_restored + begun.nodes, 0);
        assert_int_equal(begun.weight_done + begun.weight_restored, 0);
        atomic_store(&stop_after, (unsigned)begun.units / 2);
        assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
        const struct progress half = work_progress(work);
        assert_true(half.units_done > 0 && half.units_done < begun.units && half.nodes > 0);
        assert_true(half.weight_done > 0 && half.weight_done < begun.weight);
        work->class->close(work);
        check_stored(&recall, 0, half.units_done);

        atomic_store(&stop, false);
        atomic_store(&stop_after, 0);
        work = open_with(&recall, &question);
        const struct progress restored = {.units = begun.units,
                                          .units_done = half.units_done,
                                          .units_restored = half.units_done,
                                          .weight = begun.weight,
                                          .weight_done = half.weight_done,
                                          .weight_restored = half.weight_done};
        const struct progress again = work_progress(work);
        assert_memory_equal(&again, &restored, sizeof restored);
        const unsigned before = calls;
        assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_OK);
        assert_int_equal(calls - before, begun.units - half.units_done);
        const struct progress whole = work_progress(work);
        assert_int_equal(whole.units_done, begun.units);
        assert_int_equal(whole.weight_done, begun.weight);
        assert_int_equal(whole.units_restored, half.units_done);
        assert_int_equal(count_of(work), cornerless());
        check_stored(&recall, 1, 0);
    }
}

/* ---- Units that are split into pieces ---- */

/* Plans that split units of more than two million placements; the test's state. */
static int splitting_plans(void **state)
{
    *state = plans_new(0, 1, 2e6);
    return *state ? 0 : -1;
}

static int free_plans(void **state)
{
    plans_free(*state);
    return 0;
}

struct kept {
    size_t units, pieces;
};

static void see_kept(void *context, const char *key, const void *value, size_t size)
{
    struct kept *kept = context;
    (void)value, (void)size;
    *(strchr(strchr(key, '#') + 1, '#') ? &kept->pieces : &kept->units) += 1;
}

/* Cancelled again and again: the pieces of units that are under way are kept, of others the sum, and nothing twice. */
TEST_WITH(test_pieces_go_on, splitting_plans, free_plans)
{
    const struct question question = ask_cornerless();
    unsigned began = 0, seen_pieces = 0;
    SCOPED(recall, recall, THREAD_SANITIZED ? 4 : 1, *state);
    const unsigned all = check_count(&recall, &question, cornerless());
    journal_drop(recall.kept.journal, STORE_RESULT, "");
    check_stored(&recall, 0, 0);
    atomic_store(&calls, 0);
    for (unsigned part = 1; part <= 5; part++) {
        struct work *work = open_with(&recall, &question);
        const struct progress before = work_progress(work);
        assert_true(all > 3 * before.units);
        atomic_store(&stop_after, all * part / 6);
        assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
        const struct progress after = work_progress(work);
        work->class->close(work);
        struct kept kept = {0};
        assert_int_equal(journal_each(recall.kept.journal, STORE_UNIT, "", FOREVER, see_kept, &kept), NQ_OK);
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
    struct work *work = open_with(&recall, &question);
    assert_true(work_progress(work).weight_restored > 0);
    assert_int_equal(work_through(work, UINT64_MAX, &stop), NQ_OK);
    const struct progress progress = work_progress(work);
    assert_int_equal(progress.units_done, progress.units);
    assert_int_equal(progress.weight_done, progress.weight);
    assert_int_equal(count_of(work), cornerless());
    if (!THREAD_SANITIZED) /* with one task nothing is begun in vain */
        assert_int_equal(calls, all);
    check_stored(&recall, 1, 0);
}

/* And what the second of them comes to. */
static size_t pieces_of(const struct question *question, struct plans *plans, size_t unit, size_t *units,
                        uint64_t *second)
{
    struct counting *counting;
    struct unit_result result = {0};
    size_t pieces = 0;
    assert_int_equal(counting_open(&question->query, NULL, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, NULL, plans_source(plans), NULL), NQ_OK);
    assert_int_equal(counting_pieces(counting, unit, NULL, &pieces), NQ_OK);
    assert_int_equal(counting_count(counting, unit, 1, kernel_find("auto"), NULL, &result), NQ_OK);
    *second = (uint64_t)result.parts;
    *units = counting_units(counting);
    counting_close(counting);
    return pieces;
}

/* Whatever a process left when it ended: all pieces and not their sum, the sum and some of the pieces, in any order. */
TEST_WITH(test_pieces_and_sums, splitting_plans, free_plans)
{
    if (THREAD_SANITIZED)
        skip();
    const struct question question = ask_cornerless();
    const uint64_t thirds = 3 * cornerless();
    OWNED(free) char *name = name_of(&question, 0);
    size_t units;
    uint64_t missing;
    const long pieces = (long)pieces_of(&question, *state, 0, &units, &missing);
    assert_true(pieces > 2);
    for (int left = 0; left < 4; left++) { /* bit 0: the sum of the first unit; bit 1: not all of its pieces */
        SCOPED(recall, recall, 2, *state);
        for (long piece = pieces; piece-- > 0;) /* the one that is missing comes to something of its own */
            if (left < 2 || piece != 1)
                put_unit(&recall, name, 0, piece, piece ? 0 : left < 2 ? thirds : thirds - missing);
        for (size_t unit = left & 1 ? 0 : 1; unit < units; unit++)
            put_unit(&recall, name, unit, -1, unit ? 0 : thirds);
        struct work *work = open_with(&recall, &question);
        const struct progress progress = work_progress(work);
        assert_int_equal(progress.units_restored, left == 2 ? units - 1 : units);
        assert_true(left == 2 ? progress.weight_done < progress.weight : progress.weight_done == progress.weight);
        const unsigned before = calls;
        assert_int_equal(work_through(work, 0, &stop), NQ_OK);
        assert_int_equal(count_of(work), cornerless());
        assert_int_equal(calls - before, left == 2);
        check_stored(&recall, 1, 0);
    }
}

struct copy {
    struct journal *to;
    unsigned copied;
};

static void copy_one(void *context, const char *key, const void *value, size_t size)
{
    struct copy *copy = context;
    char text[128];
    (void)snprintf(text, sizeof text, "%.*s", (int)size, (const char *)value);
    copy->copied++;
    assert_true(journal_put(copy->to, STORE_UNIT, key, text));
}

/* The last process ended after the last unit, before the sum. */
TEST(test_all_units_and_no_sum)
{
    if (THREAD_SANITIZED)
        skip();
    const struct question question = ask_cornerless();
    OWNED(free) char *name = name_of(&question, 0);
    SCOPED(recall, most, 1, NULL);
    struct work *work = open_with(&most, &question);
    const size_t units = work_progress(work).units;
    atomic_store(&stop_after, (unsigned)units - 1);
    assert_int_equal(work_through(work, 0, &stop), NQ_CANCELLED);
    work->class->close(work);

    /* The units there are, to which one is missing. */
    SCOPED(recall, recall, 1, NULL);
    struct copy copy = {.to = recall.kept.journal};
    assert_int_equal(journal_each(most.kept.journal, STORE_UNIT, name, FOREVER, copy_one, &copy), NQ_OK);
    assert_int_equal(copy.copied, units - 1);
    assert_int_equal(check_count(&recall, &question, cornerless()), 1);

    /* All of them: all thirds in the first, none in the others. */
    journal_drop(recall.kept.journal, STORE_RESULT, "");
    for (size_t unit = 0; unit < units; unit++)
        put_unit(&recall, name, unit, -1, unit ? 0 : 3 * cornerless());
    assert_int_equal(check_count(&recall, &question, cornerless()), 0);
    check_stored(&recall, 1, 0); /* made good */
}

/* ---- Sums that no count comes to ---- */

/* A board that the method of correlations counts: what its only unit comes to needs more than 64 bits. */
static struct question ask_semiqueens(void)
{
    struct question question = ask_count(19);
    question.query.filter.rule = rules[rule_find("toroidal-semiqueens", strlen("toroidal-semiqueens"))];
    return question;
}

static nq_wide parts_of(const struct question *question)
{
    struct counting *counting;
    struct unit_result result = {0};
    assert_int_equal(counting_open(&question->query, NULL, &counting), NQ_OK);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    assert_int_equal(counting_units(counting), 1);
    assert_int_equal(counting_count(counting, 0, METHOD_WHOLE, kernel_find("auto"), NULL, &result), NQ_OK);
    counting_close(counting);
    assert_true(result.parts > UINT64_MAX);
    return result.parts;
}

static void put_parts(struct recall *recall, const struct question *question, nq_wide parts)
{
    char *name = name_of(question, 0), *key = units_key(name, 0, UNIT_WHOLE), value[UNIT_FACT_MAX];
    units_fact(parts, 1, value);
    assert_true(journal_put(recall->kept.journal, STORE_UNIT, key, value));
    free(key);
    free(name);
}

TEST(test_wide_results_are_restored)
{
    const struct question question = ask_semiqueens();
    SCOPED(recall, recall, 1, NULL);
    put_parts(&recall, &question, parts_of(&question));
    struct work *work = open_with(&recall, &question);
    assert_int_equal(work_progress(work).units_restored, 1);
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    assert_int_equal(count_of(work), 87656896891);
    assert_int_equal(memory_journal_facts(&recall.kept, STORE_RESULT), 1);
    assert_int_equal(memory_journal_facts(&recall.kept, STORE_UNIT), 0);
    assert_int_equal(check_count(&recall, &question, 87656896891), 0); /* by its stored sum, in thirds */
}

/* Whatever is wrong with a stored unit: the count says so and fails, nothing of it stays, and the next one is right. */
TEST(test_a_forged_unit_fails_the_count)
{
    const struct question question = ask_semiqueens();
    const nq_wide forged[] = {0, 3 * 87656896891, parts_of(&question) + ((nq_wide)1 << 36), ~(nq_wide)0};
    for (size_t i = 0; i < sizeof forged / sizeof forged[0]; i++) {
        SCOPED(recall, recall, 1, NULL);
        struct answer *answer = NULL;
        put_parts(&recall, &question, forged[i]);
        struct work *work = open_with(&recall, &question);
        assert_int_equal(work_progress(work).units_restored, 1);
        assert_int_equal(work_through(work, 0, &stop), NQ_OK);
        assert_int_equal(work->class->finish(work, &answer), NQ_BROKEN);
        assert_null(answer);
        assert_int_equal(work->fault.why, FAULT_SUM);
        assert_true(strstr(work->fault.text, "deleted"));
        work->class->close(work);
        for (int kind = 0; kind < STORE_KINDS; kind++)
            assert_int_equal(memory_journal_facts(&recall.kept, (enum store_kind)kind), 0);
        (void)check_count(&recall, &question, 87656896891);
    }
}

/* The same of thirds that are no solutions. */
TEST(test_a_part_of_a_solution_fails_the_count)
{
    if (THREAD_SANITIZED)
        skip();
    const struct question question = ask_cornerless();
    OWNED(free) char *name = name_of(&question, 0);
    SCOPED(recall, recall, 1, NULL);
    struct answer *answer = NULL;
    struct work *work = open_with(&recall, &question);
    const size_t units = work_progress(work).units;
    work->class->close(work);
    for (size_t unit = 0; unit < units; unit++)
        put_unit(&recall, name, unit, -1, unit ? 0 : 3 * cornerless() + 1);
    work = open_with(&recall, &question);
    assert_int_equal(work_through(work, 0, &stop), NQ_OK);
    assert_int_equal(work->class->finish(work, &answer), NQ_BROKEN);
    assert_int_equal(work->fault.why, FAULT_SUM);
    work->class->close(work);
    assert_int_equal(memory_journal_facts(&recall.kept, STORE_UNIT), 0);
}

/* No unit of thirds comes to so much: it is counted. */
TEST(test_results_beyond_a_method_are_not_restored)
{
    const struct question question = ask_cornerless();
    SCOPED(recall, recall, 1, NULL);
    put_parts(&recall, &question, (nq_wide)UINT64_MAX + 1);
    struct work *work = open_with(&recall, &question);
    assert_int_equal(work_progress(work).units_restored, 0);
    work->class->close(work);
    put_parts(&recall, &question, UINT64_MAX);
    work = open_with(&recall, &question);
    assert_int_equal(work_progress(work).units_restored, 1);
    work->class->close(work);
}

/* ---- Facts ---- */

/* What is no fact, or none of these units, is counted as if nothing were there. */
TEST(test_garbled_facts)
{
    if (THREAD_SANITIZED)
        skip();
    static const char *const bad[] = {
        "",     " ",    "7",     "7 ",  " 7",   "7 7 7", "x 7",   "7 x",
        "-7 7", "7 -7", "7.0 7", "7,7", "7  7", "7\t7",  "0x7 7", "340282366920938463463374607431768211457 7",
        "7\n7"};
    enum { BAD = sizeof bad / sizeof bad[0] };
    const struct question question = ask_cornerless();
    char *name = name_of(&question, 0), key[128];
    SCOPED(recall, recall, 2, NULL);
    struct journal *journal = recall.kept.journal;
    const unsigned all = check_count(&recall, &question, cornerless());
    for (size_t i = 0; i < BAD; i++) {
        assert_true(journal_put(journal, STORE_RESULT, name, bad[i]));
        for (unsigned unit = 0; unit < all; unit++) {
            (void)snprintf(key, sizeof key, "%s #%u", name, unit);
            assert_true(journal_put(journal, STORE_UNIT, key, bad[i]));
        }
        struct work *work = open_with(&recall, &question);
        assert_int_equal(work_progress(work).units_restored, 0);
        assert_int_equal(work_progress(work).units, all);
        work->class->close(work);
        if (i == 0) /* it takes a whole count */
            assert_int_equal(check_count(&recall, &question, cornerless()), all);
    }
    /* The one with a piece is of a unit that is not cut. */
    static const char *const keys[] = {"#",
                                       "#x",
                                       "#-1",
                                       "#1x",
                                       "# 1",
                                       "#1 ",
                                       "#999999",
                                       "#18446744073709551616",
                                       "1",
                                       "##1",
                                       "#1#",
                                       "#1#0",
                                       "#1.3",
                                       "#1#x",
                                       "#1#1048575",
                                       "#1#18446744073709551615",
                                       "#340282366920938463463374607431768211456"};
    journal_drop(journal, STORE_RESULT, "");
    journal_drop(journal, STORE_UNIT, "");
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        (void)snprintf(key, sizeof key, "%s %s", name, keys[i]);
        assert_true(journal_put(journal, STORE_UNIT, key, "1 1"));
        (void)snprintf(key, sizeof key, "%s0 #%zu", name, i); /* of another board */
        assert_true(journal_put(journal, STORE_UNIT, key, "1 1"));
    }
    assert_int_equal(check_count(&recall, &question, cornerless()), all);
    free(name);
}

/* A store that does not work takes nothing away but memory of the past. */
TEST(test_closed_journal)
{
    const struct question question = ask_cornerless();
    struct recall recall;
    recall_begin(&recall, 2, NULL);
    journal_close(recall.kept.journal);
    (void)check_count(&recall, &question, cornerless());
    journal_free(recall.kept.journal);
    store_close(recall.kept.store);
}

/* ---- What takes too long ---- */

static void check_refused(const struct recall *recall, const struct question *question)
{
    struct work *work = NULL;
    struct fault fault = {0};
    assert_int_equal(open_count_work(question, &recall->tools, &stop, &fault, &work), NQ_LIMIT);
    assert_null(work);
    assert_true(strlen(fault.text) > 20 && strlen(fault.text) < FAULT_TEXT_MAX - 1);
    assert_true(fault.text[0] >= 'A' && fault.text[0] <= 'Z' && fault.text[strlen(fault.text) - 1] == '.');
}

TEST(test_too_long)
{
    const struct question question = ask_cornerless(), large = ask_count(32);
    SCOPED(recall, recall, 2, NULL);
    recall.tools.most_core_seconds = 0.01; /* at a hundred million placements a second */
    check_refused(&recall, &question);
    recall.tools.most_core_seconds = 1e9;
    check_refused(&recall, &large);
    (void)check_count(&recall, &question, cornerless());
    recall.tools.most_core_seconds = 0.01;
    assert_int_equal(check_count(&recall, &question, cornerless()), 0); /* known: it takes no time */
}

TEST(test_stopped_while_it_opens)
{
    static const uint32_t sizes[] = {12, 22, 32};
    SCOPED(recall, recall, 2, NULL);
    recall.tools.most_core_seconds = 1e300;
    atomic_store(&stop, true);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const struct question question = ask_count(sizes[i]);
        struct work *work = NULL;
        struct fault fault = {0};
        const enum nq_status status = open_count_work(&question, &recall.tools, &stop, &fault, &work);
        assert_true(status == NQ_CANCELLED || (status == NQ_OK && sizes[i] == 12)); /* a small plan is there at once */
        if (work)
            work->class->close(work);
    }
}
