/* test_unit_lists.c - tests of src/engine/counts/unit_lists.c: the list of a count has what each unit comes to, however
 * the count was interrupted. */
/* CI builds: address */
#include "count/counting.h"
#include "count/unit_list.h"
#include "engine/units/plans.h"
#include "support/memory_journal.h"
#include "support/run_work.h"

/* Large enough to be worth keeping, when searched and when joined, small enough for a test. */
enum { SIZE = 15, LARGE = 16 };

struct setting {
    struct memory_journal kept;
    struct tools tools;
};

static void setting_begin(struct setting *setting, struct plans *plans)
{
    memory_journal_begin(&setting->kept);
    setting->tools = tools_of(kernel_find("auto"), 1);
    setting->tools.journal = setting->kept.journal;
    setting->tools.plans = plans;
    setting->tools.lengthy_seconds = 1e-6;
}

static void setting_end(struct setting *setting)
{
    memory_journal_end(&setting->kept);
}

/* Solutions with no queen in two corners, which only the search counts. */
static struct question ask_some(void)
{
    struct question question = ask_count(SIZE);
    filter_exclude(&question.query.filter, 0, 0);
    filter_exclude(&question.query.filter, SIZE - 1, SIZE - 1);
    return question;
}

/* What the only term has, each unit counted by itself. */
static struct bytes list_of(const struct question *question)
{
    struct counting *counting;
    struct bytes list = {0}, name = {0};
    nq_wide sum = 0;
    assert_int_equal(counting_open(&question->query, NULL, &counting), NQ_OK);
    assert_int_equal(counting_terms(counting), 1);
    assert_int_equal(counting_prepare(counting, NULL, NULL, NULL), NQ_OK);
    counting_name(counting, 0, &name);
    char *text = bytes_take(&name);
    unit_list_head(&list, question->n, counting_units(counting), text);
    for (size_t unit = 0; unit < counting_units(counting); unit++) {
        struct unit_result result;
        assert_int_equal(counting_count(counting, unit, METHOD_WHOLE, kernel_find("auto"), NULL, &result), NQ_OK);
        unit_list_unit(&list, unit, result.parts);
        sum += result.parts;
    }
    unit_list_sum(&list, sum);
    counting_close(counting);
    free(text);
    return list;
}

/* The lists that are stored of a question's terms. */
static struct answer *ask_lists(const struct setting *setting, const struct question *of)
{
    struct question question = *of;
    struct work *work;
    question.kind = ASK_UNITS;
    assert_int_equal(work_unit_lists(&question, &setting->tools, &work), NQ_OK);
    return work_off(work);
}

static void check_none(const struct setting *setting, const struct question *question)
{
    OWNED(answer_unref) struct answer *lists = ask_lists(setting, question);
    assert_int_equal(lists->size, 0);
}

/* The list is the first, and this follows it. */
static void check_lists(const struct setting *setting, const struct question *question, const struct bytes *list,
                        const char *more)
{
    OWNED(answer_unref) struct answer *lists = ask_lists(setting, question);
    assert_true(lists->size >= list->size + strlen(more));
    assert_memory_equal(lists->bytes, list->data, list->size);
    assert_memory_equal(lists->bytes + list->size, more, strlen(more));
    assert_true(*more || lists->size == list->size);
}

static const atomic_bool never;

static void count_all(const struct setting *setting, const struct question *question)
{
    struct work *work = open_count(question, &setting->tools, &never);
    answer_unref(work_off(work));
}

TEST(test_lists)
{
    struct question question = ask_some();
    struct bytes list = list_of(&question);
    SCOPED(setting, setting, NULL);
    check_none(&setting, &question);
    count_all(&setting, &question);
    check_lists(&setting, &question, &list, "");
    filter_exclude(&question.query.filter, 0, 1);
    check_none(&setting, &question); /* another count */
    question = ask_some();
    question.count.indexed = true;
    check_none(&setting, &question); /* its units come to other things */
    bytes_free(&list);
}

/* One term of several is stored. */
TEST(test_terms_without_a_list)
{
    struct question question = ask_count(LARGE);
    struct bytes list = list_of(&question);
    SCOPED(setting, setting, NULL);
    count_all(&setting, &question);
    question.query.distinct = DISTINCT_FUNDAMENTAL;
    check_lists(&setting, &question, &list, "# not stored: ");
    bytes_free(&list);
}

TEST(test_quick_counts_have_none)
{
    const struct question question = ask_some();
    SCOPED(setting, setting, NULL);
    setting.tools.lengthy_seconds = 1e9;
    count_all(&setting, &question);
    assert_int_equal(memory_journal_facts(&setting.kept, STORE_RESULT), 1);
    check_none(&setting, &question);
}

/* Ended in the middle of a unit, and begun again: units and pieces come from the store. */
TEST(test_interrupted_counts)
{
    const struct question question = ask_some();
    const struct slice slice = {.deadline = 0}; /* one piece */
    struct bytes list = list_of(&question);
    struct plans *plans = plans_new(0, 1, 1e6);
    assert_non_null(plans);
    {
        SCOPED(setting, setting, plans);
        for (unsigned pieces = 1; pieces < 20; pieces += 5) {
            struct work *work = open_count(&question, &setting.tools, &never);
            for (unsigned i = 0; i < pieces; i++)
                assert_int_equal(work->class->slice(work, &slice, &never), NQ_AGAIN);
            work->class->close(work);
            check_none(&setting, &question);
        }
        assert_true(memory_journal_facts(&setting.kept, STORE_UNIT) > 0);
        count_all(&setting, &question);
        check_lists(&setting, &question, &list, "");
        assert_int_equal(memory_journal_facts(&setting.kept, STORE_UNIT), 0);
    }
    plans_free(plans);
    bytes_free(&list);
}
