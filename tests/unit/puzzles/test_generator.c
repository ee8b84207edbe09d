/* test_generator.c - tests of src/puzzles/generator.c: every board has one solution, connected regions and its level,
 * and is the same for ever. NQ_LONG: 10 000 boards, some minutes. */
/* CI builds: address */
#include "puzzles/generator.h"

#include "base/hash.h"
#include "puzzles/puzzle_code.h"
#include "support/painted_boards.h"
#include "support/sanitizer.h"

extern const struct rule rule_touching;

static struct generator generator;

/* Makes a board in slices of so many looks; the caller closes the generator. */
static void make_by(uint32_t revision, uint32_t n, enum level level, uint64_t seed, uint32_t slice)
{
    const struct puzzle_name name = {revision, n, level, seed};
    enum nq_status status = NQ_AGAIN;
    assert_int_equal(generator_open(&generator, &name), NQ_OK);
    while (status == NQ_AGAIN)
        status = generator_next(&generator, slice, NULL);
    assert_int_equal(status, NQ_OK);
}

static void make(uint32_t n, enum level level, uint64_t seed, uint32_t slice)
{
    make_by(GENERATOR_REVISION, n, level, seed, slice);
}

static struct grade grade_of(uint32_t n, const uint8_t *of, struct position *position)
{
    struct grid *grid = grid_new(&rule_touching, n, NULL);
    assert_non_null(grid);
    grid_paint(grid, of);
    position_begin(grid, position);
    const struct grade grade = grade_position(grid, position, GRADE_TECHNIQUES, NULL);
    grid_free(grid);
    return grade;
}

/* However a board is turned, reflected and numbered, the hardest technique is the same. */
static void check_images(uint32_t n, const uint8_t *of, const struct technique *hardest)
{
    uint8_t image[PAINTED_SQUARES], turned[PAINTED_SQUARES];
    struct position position;
    memcpy(image, of, n * n);
    for (unsigned symmetry = 1; symmetry < 8; symmetry++) {
        for (uint32_t square = 0; square < n * n; square++) {
            const uint32_t row = square / n, column = square % n;
            turned[square] =
                (uint8_t)((symmetry == 4 ? image[row * n + n - 1 - column] : image[column * n + n - 1 - row]) + 1) % n;
        }
        memcpy(image, turned, n * n);
        assert_ptr_equal(grade_of(n, image, &position).hardest, hardest);
    }
}

/* Of the board alone: its solutions without the library, its regions, its grade; and that it is the same once more. */
static void check(uint32_t n, enum level level, uint64_t seed)
{
    uint8_t of[PAINTED_SQUARES], columns[PAINTED_MAX_N];
    struct position position;
    make(n, level, seed, 1 + (uint32_t)seed % 100);
    const struct grade grade = generator.grade;
    memcpy(of, generator.regions.of, n * n);
    assert_int_equal(painted_solutions(n, of, 2, 1, columns), 1);
    assert_memory_equal(columns, generator.columns, n);
    assert_true(painted_connected(n, of));
    generator_close(&generator);

    const struct grade again = grade_of(n, of, &position);
    assert_memory_equal(position.columns, columns, n);
    assert_true(again.solved && again.hardest == grade.hardest && again.hardest->level == level);
    assert_int_equal(again.score, grade.score);
    assert_string_equal(grade_name(&again), level_name(level));
    check_images(n, of, again.hardest);

    make(n, level, seed, 1000);
    assert_memory_equal(generator.regions.of, of, n * n);
    generator_close(&generator);
}

TEST(test_boards)
{
    const uint32_t largest = getenv("NQ_LONG") ? 15 : 8;
    const uint64_t seeds = getenv("NQ_LONG") ? 230 : 1;
    for (uint32_t n = GENERATOR_MIN_N; n <= largest; n++)
        for (unsigned level = 0; level < LEVELS; level++)
            for (uint64_t seed = 1; seed <= seeds; seed++)
                check(n, (enum level)level, seed);
}

/* Of the largest boards the search of completions.c must do: NQ_LONG. */
TEST(test_large_boards)
{
    if (!getenv("NQ_LONG"))
        return;
    for (unsigned level = 0; level <= LEVEL_MEDIUM; level++) {
        make(GENERATOR_MAX_N, (enum level)level, 1, 100);
        assert_true(painted_connected(GENERATOR_MAX_N, generator.regions.of));
        assert_int_equal(generator.grade.hardest->level, level);
        generator_close(&generator);
    }
}

/* On large boards the search for another solution may give up before it finds one. Whatever the slices, what comes then
 * is the same. */
TEST(test_slices)
{
    static const struct {
        enum level level;
        uint64_t seed;
    } cases[] = {{LEVEL_HARD, 3}, {LEVEL_EXPERT, 7}};
    enum { N = 15 };
    uint64_t hash = HASH_START;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t of[N * N];
        make_by(1, N, cases[i].level, cases[i].seed, 1 + (uint32_t)cases[i].seed);
        memcpy(of, generator.regions.of, N * N);
        generator_close(&generator);
        if (i == 0 || !SANITIZED) {
            make_by(1, N, cases[i].level, cases[i].seed, 1000);
            assert_memory_equal(generator.regions.of, of, N * N);
            generator_close(&generator);
        }
        hash = hash_bytes(hash, of, sizeof of);
    }
    assert_int_equal(hash, UINT64_C(0xad7d3a5e4c47e2e9)); /* of revision 1 */
}

/* Revision 1, frozen: boards that were shared by their codes come back as they were. A change here is a new revision,
 * and this one must go on. */
TEST(test_revision_1)
{
    uint64_t hash = HASH_START;
    BYTES(text);
    for (uint32_t i = 0; i < 50; i++) {
        make_by(1, GENERATOR_MIN_N + i % 7, (enum level)(i % LEVELS), i, 100);
        text.size = 0;
        regions_write_text(&generator.regions, '/', &text);
        hash = hash_bytes(hash, text.data, text.size);
        if (i == 3) {
            bytes_char(&text, '\0');
            assert_string_equal(text.data, "abbbbbbb/acdddeeb/ccdddebb/cccddfbb/cccfffcg/cccfcccg/ccccchhh/cccchhhh");
        }
        generator_close(&generator);
    }
    assert_int_equal(hash, UINT64_C(0xb4c9a0ae34dd0d65));
}

/* Revision 2, frozen as well. */
TEST(test_revision_2)
{
    uint64_t hash = HASH_START;
    for (uint32_t i = 0; i < 28; i++) {
        make_by(2, GENERATOR_MIN_N + i % 7, (enum level)(i % LEVELS), i, 100);
        hash = hash_bytes(hash, generator.regions.of, (size_t)generator.name.n * generator.name.n);
        generator_close(&generator);
    }
    assert_int_equal(hash, UINT64_C(0x19b75e892fa8615b));
}

/* What the regions of some boards are like. */
struct shapes {
    uint32_t boards, squares, largest; /* sums */
    uint32_t symmetric;                /* half a turn leaves their borders as they are */
};

static void add_shape(struct shapes *shapes, uint32_t n, const uint8_t *of)
{
    uint32_t sizes[REGIONS_MAX_N] = {0}, images[REGIONS_MAX_N], largest = 0, singles = 0;
    bool symmetric = true;
    for (uint32_t region = 0; region < n; region++)
        images[region] = n;
    for (uint32_t square = 0; square < n * n; square++) {
        const uint8_t image = of[n * n - 1 - square];
        sizes[of[square]]++;
        symmetric &= images[of[square]] == n || images[of[square]] == image;
        images[of[square]] = image;
    }
    for (uint32_t region = 0; region < n; region++) {
        singles += sizes[region] == 1;
        largest = sizes[region] > largest ? sizes[region] : largest;
    }
    assert_true(singles <= 1);
    assert_true(100 * largest <= 35 * n * n);
    shapes->boards++;
    shapes->squares += n * n;
    shapes->largest += largest;
    shapes->symmetric += symmetric;
}

/* 218 published boards of n = 8 have in the mean 36 % of their squares in the largest region, 30 of them more than
 * half; 12 have more than one single square. NQ_LONG: 1 000 seeds. */
TEST(test_shapes)
{
    const uint64_t seeds = getenv("NQ_LONG") ? 1000 : 4;
    for (uint32_t n = 7; n <= (getenv("NQ_LONG") ? 11 : 8); n++)
        for (unsigned level = 0; level < LEVELS; level++) {
            struct shapes shapes = {0};
            for (uint64_t seed = 0; seed < seeds; seed++) {
                make(n, (enum level)level, seed, 100);
                assert_int_equal(generator.name.seed, seed);
                assert_int_equal(generator.grade.hardest->level, level);
                add_shape(&shapes, n, generator.regions.of);
                generator_close(&generator);
            }
            assert_true(100 * shapes.largest <= 36 * shapes.squares);
            assert_true(shapes.symmetric <= shapes.boards / 2);
            if (seeds >= 1000)
                assert_true(shapes.symmetric >= shapes.boards / 100);
        }
}

/* A seed comes to no board within so many looks, of which this one has had all but one: the next seed does, and at the
 * second time no board is looked at for the first. */
static void check_seed_without_board(uint32_t revision, uint64_t looks)
{
    const struct puzzle_name name = {revision, 7, LEVEL_EASY, 5};
    assert_int_equal(generator_open(&generator, &name), NQ_OK);
    generator.seed_work = looks - 1;
    assert_int_equal(generator_next(&generator, 1, NULL), NQ_AGAIN);
    assert_int_equal(generator.name.seed, 5);
    assert_int_equal(generator.work, 1);
    while (generator_next(&generator, 1, NULL) == NQ_AGAIN) {
    }
    assert_int_equal(generator.name.seed, 6);
    const uint64_t work = generator.work;
    generator_close(&generator);
    make_by(revision, 7, LEVEL_EASY, 5, 1000);
    assert_int_equal(generator.name.seed, 6);
    assert_int_equal(generator.work, work - 1);
    generator_close(&generator);
}

/* And one that has had them, indeed: NQ_LONG. */
TEST(test_seed_without_board)
{
    check_seed_without_board(1, 50000);
    check_seed_without_board(2, 60000);
    if (!getenv("NQ_LONG"))
        return;
    make_by(2, 20, LEVEL_MEDIUM, 37, 1000);
    assert_int_equal(generator.name.seed, 38);
    generator_close(&generator);
}

TEST(test_seeds_levels_and_sizes_differ)
{
    uint8_t first[PAINTED_SQUARES];
    make(8, LEVEL_EASY, 1, 100);
    memcpy(first, generator.columns, 8);
    generator_close(&generator);
    make(8, LEVEL_MEDIUM, 1, 100);
    assert_memory_not_equal(first, generator.columns, 8);
    generator_close(&generator);
    make(8, LEVEL_EASY, 2, 100);
    assert_memory_not_equal(first, generator.columns, 8);
    generator_close(&generator);
}

TEST(test_stop)
{
    atomic_bool stop = true;
    assert_int_equal(generator_open(&generator, &(struct puzzle_name){GENERATOR_REVISION, 15, LEVEL_EXPERT, 1}), NQ_OK);
    assert_int_equal(generator_next(&generator, 100, &stop), NQ_CANCELLED);
    assert_int_equal(generator.work, 0);
    assert_int_equal(generator_next(&generator, 1, NULL), NQ_AGAIN);
    assert_int_equal(generator.work, 1);
    generator_close(&generator);
}

/* Why no boards of n = 4 are made: of all paintings, how many have one solution, and how hard they are.
 * NQ_LONG. */
static void grade_small(void *context, const uint8_t *of)
{
    struct position position;
    const struct grade grade = grade_of(4, of, &position);
    uint64_t *boards = context;
    if (grade.solved)
        boards[grade.hardest->level]++;
}

TEST(test_smallest_boards)
{
    uint64_t boards[LEVELS + 1] = {0};
    if (!getenv("NQ_LONG"))
        return;
    assert_int_equal(painted_each(4, 1, grade_small, boards), 62741);
    assert_int_equal(boards[LEVEL_EASY], 6328);
    assert_int_equal(boards[LEVEL_MEDIUM], 5432);
    assert_int_equal(boards[LEVEL_HARD] + boards[LEVEL_EXPERT] + boards[LEVELS], 0);
}
