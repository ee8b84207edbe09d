/* test_crew_model.c - tests of src/bench/crew_model.c: what was worked out by hand, and what holds of every crew; and
 * of the units that src/bench/crew_job.c has for it. */
#include "bench/crew_model.h"

#include <math.h>

#include "base/random.h"
#include "bench/crew_job.h"
#include "facts.h"

enum { UNITS_MAX = 20000 };

static double seconds[UNITS_MAX];

static struct crew crew_with(size_t units, double each, unsigned workers, unsigned threads)
{
    for (size_t unit = 0; unit < units; unit++)
        seconds[unit] = each;
    return (struct crew){
        .expected = seconds, .taken = seconds, .units = units, .workers = workers, .threads = threads, .speed = 1};
}

static void assert_near(double value, double wanted)
{
    if (fabs(value - wanted) > 1e-6 * (1 + fabs(wanted)))
        fail_msg("%.9g instead of %.9g", value, wanted);
}

static struct crew_story story_of(const struct crew *crew)
{
    struct crew_story story;
    assert_int_equal(crew_play(crew, &story), NQ_OK);
    return story;
}

/* What holds whatever happened: each unit stored once, each one begun accounted for, and all time too. */
static struct crew_story sound_story_of(const struct crew *crew)
{
    const struct crew_story story = story_of(crew);
    const double hands = (double)crew->workers * crew->threads;
    double spent = 0;
    for (int doing = 0; doing < CREW_DOINGS; doing++) {
        assert_true(story.spent[doing] >= 0);
        spent += story.spent[doing];
    }
    assert_near(spent, hands * story.makespan);
    assert_true(story.ended);
    assert_int_equal(story.stored, crew->units);
    assert_int_equal(story.begun, story.stored + story.cut);
    assert_true(story.useful <= story.spent[CREW_COUNTING] * (1 + 1e-9));
    assert_true(story.useful <= hands * story.makespan * (1 + 1e-9));
    assert_true(story.at_end <= story.spent[CREW_WAITING] * (1 + 1e-9));
    assert_true(story.redelivered <= story.deaths * crew->threads);
    assert_true(story.audits <= story.stored);
    assert_true(crew->audit < 1 || story.audits == story.stored);
    assert_true(crew->audit > 0 || story.audits == 0);
    assert_true(story.tail >= 0 && story.tail <= story.makespan);
    return story;
}

/* 4 s in quarters: batches of 4, 4, 4, 2, 1, 1 units, by batching.h. */
static void test_one_worker(void **state)
{
    (void)state;
    struct crew crew = crew_with(16, 0.25, 1, 1);
    crew.tables = 5;
    crew.store = 0.01;
    crew.take = 0.02;
    const struct crew_story story = sound_story_of(&crew);
    assert_int_equal(story.batches, 6);
    assert_near(story.makespan, 5 + 6 * 0.02 + 4 + 16 * 0.01);
    assert_near(story.spent[CREW_TABLES], 5);
    assert_near(story.spent[CREW_TAKING], 6 * 0.02);
    assert_near(story.spent[CREW_STORING], 16 * 0.01);
    assert_near(story.useful, 4);
    assert_near(story.at_end, 0);
}

static void test_equal_units(void **state)
{
    (void)state;
    struct crew crew = crew_with(3, 8, 2, 1);
    crew.tables = 1;
    const struct crew_story story = sound_story_of(&crew);
    assert_near(story.makespan, 17); /* one has two, the other is idle meanwhile */
    assert_near(story.at_end, 8);
    assert_near(story.tail, 8);
    assert_near(story.useful, 24);
    assert_int_equal(story.batches, 3);
}

/* Two are posted (0.125, 0.25), two taken (0.375, 0.5), two stored 8 s later (8.5, 8.625). */
static void test_broker(void **state)
{
    (void)state;
    struct crew crew = crew_with(2, 8, 2, 1);
    crew.message = 0.125;
    assert_near(sound_story_of(&crew).makespan, 8.625);
    crew.take = 1; /* and this comes to each */
    crew.store = 2;
    assert_near(sound_story_of(&crew).makespan, 0.125 + 2 + 1 + 8 + 0.125 + 2 + 0.125);
}

static void test_begin(void **state)
{
    (void)state;
    struct crew crew = crew_with(2, 8, 2, 1);
    crew.tables = 1;
    crew.begin = 2;
    assert_near(sound_story_of(&crew).makespan, 2 + 1 + 8);
    crew.hear = 0.5; /* at most */
    const struct crew_story story = sound_story_of(&crew);
    assert_true(story.makespan > 11 && story.makespan < 11.5);
    assert_true(story.spent[CREW_AWAY] > 4 && story.spent[CREW_AWAY] < 5);
}

/* Who is half as fast builds and counts for twice as long; messages take what they took. */
static void test_speed(void **state)
{
    (void)state;
    struct crew crew = crew_with(2, 8, 1, 1);
    crew.tables = 1;
    crew.store = 0.5;
    crew.take = 0.25;
    crew.speed = 0.5;
    assert_near(sound_story_of(&crew).makespan, 2 * (1 + 2 * 8) + 2 * (0.25 + 0.5));
    assert_near(crew_speed(2, 1, 0.1, 0.002), 1);
    assert_near(crew_speed(2, 4, 0.1, 0), 0.5);
    assert_near(crew_speed(2, 2, 0.1, 0.002), 1 / 1.02); /* of 0.102 s of a processor they have 0.1 */
}

/* Nobody else is there: the server counts each again, one after the other, 2.5 s after it was stored at the earliest.
 */
static void test_audit_of_one_worker(void **state)
{
    (void)state;
    struct crew crew = crew_with(2, 8, 1, 1);
    crew.audit = 1;
    const struct crew_story story = sound_story_of(&crew);
    assert_near(story.makespan, 8 + 2.5 + 2 * 8);
    assert_int_equal(story.batches, 2);
    assert_near(story.at_end, 2.5 + 8);
    crew.speed = 0.5;
    assert_near(sound_story_of(&crew).makespan, 16 + 2.5 + 2 * 16);
    crew.units = 1;
    assert_near(sound_story_of(&crew).makespan, 16 + 2.5 + 16);
}

/* The other one is there for it. */
static void test_audit_by_another(void **state)
{
    (void)state;
    struct crew crew = crew_with(1, 8, 2, 1);
    crew.audit = 1;
    crew.store = 1;
    crew.take = 0.5;
    const struct crew_story story = sound_story_of(&crew);
    assert_near(story.makespan, 1 + 0.5 + 8 + 1 /* stored */ + 1 + 0.5 + 8 /* which is not stored */);
    assert_int_equal(story.batches, 2);
    assert_near(story.useful, 8);
    assert_near(story.spent[CREW_COUNTING], 16);
}

/* Whoever gets its own one gives it back, for a second. */
static void test_audit_of_both(void **state)
{
    (void)state;
    struct crew crew = crew_with(2, 8, 2, 1);
    unsigned after[8] = {0};
    crew.audit = 1;
    for (crew.seed = 0; crew.seed < 100; crew.seed++) {
        const struct crew_story story = sound_story_of(&crew);
        const double late = story.makespan - 16;
        assert_int_equal(story.deaths + story.redelivered, 0);
        if (late < 7.5)
            after[(int)(late + 0.5)]++;
    }
    assert_true(after[1] > 10 && after[2] > 5 && !after[0]);
}

/* The other one is busy for too long: the server does it after 20 s and three times what it takes. The last one takes
 * long: the other has the time. */
static void test_audit_in_the_end(void **state)
{
    (void)state;
    struct crew crew = crew_with(2, 8, 2, 1);
    crew.audit = 1;
    seconds[1] = 100;
    const double makespan = sound_story_of(&crew).makespan; /* it may have been offered its own first */
    assert_true(makespan >= 100 + 100 && makespan < 100 + 5 + 100);
    crew.expected = (const double[]){2, 2}; /* longer than anybody thought: both do it, and the server is last */
    assert_near(sound_story_of(&crew).makespan, 100 + 20 + 6 + 100);
}

static void test_audits_of_many(void **state)
{
    (void)state;
    struct crew crew = crew_with(UNITS_MAX, 1, 100, 1);
    crew.audit = 0.1;
    const struct crew_story story = sound_story_of(&crew);
    assert_true(story.audits > 0.09 * UNITS_MAX && story.audits < 0.11 * UNITS_MAX);
    assert_near(story.useful, UNITS_MAX);
    assert_true(story.makespan > (UNITS_MAX + (double)story.audits) / 101 &&
                story.makespan < 1.13 * UNITS_MAX / 100 + 25);
}

/* One unit, and somebody who dies in it. When, is what was counted in vain. */
static void test_death(void **state)
{
    (void)state;
    struct crew crew = crew_with(1, 8, 1, 1);
    unsigned times = 0;
    crew.tables = 1;
    crew.fails = 1.0 / 16;
    crew.ack_wait = 30;
    crew.replace = 20;
    for (crew.seed = 0; crew.seed < 100; crew.seed++) {
        const struct crew_story story = sound_story_of(&crew);
        if (story.deaths != 1 || story.cut != 1)
            continue;
        times++;
        assert_int_equal(story.redelivered, 1);
        assert_near(story.makespan, 1 + (story.spent[CREW_COUNTING] - 8) + 30 + 8); /* 30 s are longer than 20 + 1 */
        assert_near(story.spent[CREW_AWAY], 20);
        assert_near(story.spent[CREW_TABLES], 2);
    }
    assert_true(times > 5);
}

/* Somebody else is waiting, and gets it. */
static void test_death_among_two(void **state)
{
    (void)state;
    struct crew crew = crew_with(1, 8, 2, 1);
    unsigned times = 0;
    crew.fails = 1.0 / 64;
    crew.ack_wait = 30;
    crew.replace = 1000;
    for (crew.seed = 0; crew.seed < 100; crew.seed++) {
        const struct crew_story story = sound_story_of(&crew);
        if (story.deaths != 1 || story.cut != 1)
            continue;
        times++;
        assert_near(story.makespan, (story.spent[CREW_COUNTING] - 8) + 30 + 8);
        assert_near(story.tail, story.makespan);
    }
    assert_true(times > 5);
}

/* Four units in the one batch: those that were stored before the death are not counted again. */
static void test_stored_stay_stored(void **state)
{
    (void)state;
    struct crew crew = crew_with(4, 0.0125, 1, 1);
    unsigned times = 0;
    crew.store = 4;
    crew.fails = 1.0 / 16;
    for (crew.seed = 0; crew.seed < 100; crew.seed++) {
        const struct crew_story story = sound_story_of(&crew);
        if (story.deaths != 1 || story.begun != 5)
            continue;
        times++;
        assert_true(story.makespan > 4 * 4.0125 && story.makespan < 6 * 4.0125 + 4);
    }
    assert_true(times > 5);
}

static void test_given_up(void **state)
{
    (void)state;
    struct crew crew = crew_with(1, 100, 1, 1);
    crew.fails = 1;
    const struct crew_story story = story_of(&crew);
    assert_false(story.ended);
    assert_int_equal(story.stored, 0);
}

/* ---- Of any crew ---- */

static double uniform(struct random *random)
{
    return random_word(random) / 4294967296.0;
}

/* Any job, of up to 300 units. */
static struct crew any_job(struct random *random)
{
    static double expected[UNITS_MAX];
    struct crew crew = crew_with(1 + random_below(random, 300), 0, 1, 1);
    for (size_t unit = 0; unit < crew.units; unit++) {
        expected[unit] = 0.01 + 3 * uniform(random) * uniform(random);
        seconds[unit] = expected[unit] * (0.5 + uniform(random));
    }
    crew.expected = expected;
    crew.tables = 2 * uniform(random);
    crew.store = 0.01 * uniform(random);
    crew.take = 0.02 * uniform(random);
    return crew;
}

static void test_any(void **state)
{
    (void)state;
    struct random random = random_begin(1, 2);
    uint64_t deaths = 0;
    for (int i = 0; i < 300; i++) {
        struct crew crew = any_job(&random);
        crew.workers = 1 + random_below(&random, 20);
        crew.threads = 1 + random_below(&random, 4);
        crew.message = random_below(&random, 2) ? 0.001 : 0;
        crew.spread = 0.3 * uniform(&random);
        crew.fails = random_below(&random, 2) ? 0.03 * uniform(&random) : 0;
        crew.ack_wait = 30 * uniform(&random);
        crew.replace = 60 * uniform(&random);
        crew.audit = random_below(&random, 2) ? 0.2 * uniform(&random) : random_below(&random, 2);
        crew.speed = 0.3 + 0.7 * uniform(&random);
        crew.begin = uniform(&random);
        crew.hear = uniform(&random);
        crew.seed = random_word(&random);
        const struct crew_story story = sound_story_of(&crew), again = story_of(&crew);
        assert_memory_equal(&story.makespan, &again.makespan, sizeof story.makespan);
        assert_memory_equal(story.spent, again.spent, sizeof story.spent);
        assert_int_equal(story.begun, again.begun);
        deaths += story.deaths;
    }
    assert_true(deaths > 100);
}

static void test_seed(void **state)
{
    (void)state;
    struct crew crew = crew_with(100, 1, 4, 1);
    crew.spread = 0.1;
    const double one = story_of(&crew).makespan;
    crew.seed = 1;
    assert_true(fabs(story_of(&crew).makespan - one) > 1e-6);
}

/* With nobody dying, more workers are not slower by more than one unit and what posting takes. */
static void test_more_workers(void **state)
{
    (void)state;
    struct random random = random_begin(1, 3);
    for (int i = 0; i < 50; i++) {
        struct crew crew = any_job(&random);
        double before = INFINITY;
        for (crew.workers = 1; crew.workers <= 64; crew.workers *= 2) {
            const double makespan = sound_story_of(&crew).makespan;
            assert_true(makespan < before + 4.5);
            before = makespan;
        }
    }
}

/* One process: no more than the longest unit (4.5 s at most) above an equal share for each, which nobody can beat. */
static void test_alone(void **state)
{
    (void)state;
    struct random random = random_begin(1, 4);
    for (int i = 0; i < 50; i++) {
        struct crew crew = any_job(&random);
        crew.threads = 1 + random_below(&random, 30);
        crew.alone = true;
        const struct crew_story story = sound_story_of(&crew);
        const double share = crew.tables + story.useful / crew.threads;
        assert_true(story.makespan > share * (1 - 1e-9) && story.makespan < share + 4.5);
        assert_near(story.spent[CREW_TAKING] + story.spent[CREW_STORING], 0);
        crew.alone = false;
        assert_true(sound_story_of(&crew).makespan > share);
    }
}

static void test_more_workers_than_units(void **state)
{
    (void)state;
    struct crew crew = crew_with(UNITS_MAX, 10, 100000, 1);
    crew.tables = 1;
    const struct crew_story story = sound_story_of(&crew);
    assert_near(story.makespan, 11);
    assert_near(story.at_end, (100000 - UNITS_MAX) * 10.0);
}

static void test_numbers(void **state)
{
    (void)state;
    double number[3];
    assert_int_equal(crew_numbers("1,2.5e-9,100000", number, 3), 3);
    assert_near(number[1] * 1e9, 2.5);
    assert_near(number[2], 100000);
    assert_int_equal(crew_numbers("7", number, 3), 1);
    static const char *const wrong[] = {"", ",", "1,", ",1", "1,,2", "0", "-1", "1 2", "x", "1,2,3,4", "1e999", "nan"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_int_equal(crew_numbers(wrong[i], number, 3), 0);
}

static double solutions_of(const struct draw *draw)
{
    return (double)draw->result.parts / METHOD_PARTS;
}

/* What large units are cut into is handed out, and so drawn, on several threads too. n = 14 has 365596 solutions. */
static void test_pieces(void **state)
{
    (void)state;
    const double longest = method_longest;
    struct crew_job job = {.sample = {.n = 14, .count = 300, .threads = 3, .megabytes = 100}, .plans = 2, .times = 2};
    method_longest = 2000;
    assert_int_equal(crew_job_begin(&job), CREW_JOB_READY);
    size_t pieces = 0;
    double expected = 0;
    for (size_t unit = 0; unit < job.sample.units; unit++)
        pieces += sample_pieces(&job.sample, unit);
    assert_true(pieces > 3 * job.sample.units);
    assert_int_equal(job.units, 2 * pieces);
    for (size_t unit = 0; unit < job.units; unit++)
        expected += job.expected[unit];
    assert_near(expected / job.seconds, 1);
    assert_true(job.tables > 0 && job.listing > 0);
    for (size_t i = 0; i < job.sample.count; i++) {
        const struct draw *draw = &job.sample.draw[i];
        assert_true(draw->piece < sample_pieces(&job.sample, draw->unit));
        assert_true(draw->status == NQ_OK && draw->seconds > 0);
    }
    const struct total total = sample_total(&job.sample, solutions_of);
    assert_true(fabs(total.value - 365596) < 5 * total.error && total.error < 36559);
    crew_job_end(&job);
    method_longest = longest;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_one_worker),
        cmocka_unit_test(test_equal_units),
        cmocka_unit_test(test_broker),
        cmocka_unit_test(test_begin),
        cmocka_unit_test(test_speed),
        cmocka_unit_test(test_audit_of_one_worker),
        cmocka_unit_test(test_audit_by_another),
        cmocka_unit_test(test_audit_of_both),
        cmocka_unit_test(test_audit_in_the_end),
        cmocka_unit_test(test_audits_of_many),
        cmocka_unit_test(test_death),
        cmocka_unit_test(test_death_among_two),
        cmocka_unit_test(test_stored_stay_stored),
        cmocka_unit_test(test_given_up),
        cmocka_unit_test(test_any),
        cmocka_unit_test(test_seed),
        cmocka_unit_test(test_more_workers),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_more_workers_than_units),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
