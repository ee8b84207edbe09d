/* meeting.c - room for halves and a sample of them; classes, and which patterns meet which items. */
#include "count/methods/meeting.h"

#include <stdlib.h>
#include <string.h>

/* ---- Halves ---- */

bool halves_reserve(struct halves *halves, int group, size_t more)
{
    const size_t count = halves->count[0] + (group ? halves->count[1] + HALVES_SLACK : 0) + more + HALVES_SLACK;
    if (count <= halves->room)
        return true;
    uint64_t *word = realloc(halves->word, 2 * count * sizeof *word);
    if (!word)
        return false;
    halves->word = word;
    halves->room = 2 * count;
    return true;
}

void halves_free_many(struct halves *halves)
{
    enum { MANY_HALVES = 1 << 23 };
    if (halves->room < MANY_HALVES)
        return;
    free(halves->word);
    halves->word = NULL;
    halves->room = 0;
}

void halves_sample(const struct halves *halves, size_t count, uint64_t *word)
{
    for (size_t i = 0; i < count; i++) {
        const size_t at = i * halves_count(halves) / count;
        word[i] = halves_begin(halves, 0)[at < halves->count[0] ? at : at + HALVES_SLACK];
        if (halves->mirrored)
            word[i] = join_mirror(word[i]);
    }
}

/* ---- Limits ---- */

/* The lower half of a word that is kept; all bits above must be class bits. */
enum { KEPT_BITS = 32 };

/* Patterns are copied so many at a time: few of a class are more, so that the processor guesses the end right. */
enum { COPIED = 32, LIST_SLACK = JOIN_MATCH_SLACK + COPIED };

/* Without outer bits lists are copied from so many patterns, with them from CLOSE_PATTERNS or fewer: half a megabyte.
 */
enum { FAR_PATTERNS = 1 << 20, CLOSE_PATTERNS = 1 << 17, LEAST_EXACT = 2 };

/* Of the items that are disjoint from a prefix, so many are from one that continues with a 1. */
#define SHARE_OF_ONE 0.53F

/* ---- Room ---- */

/* Room for so many words and slack; its contents are lost. */
static bool reserve(uint32_t **word, size_t *room, size_t count)
{
    if (count + LIST_SLACK <= *room)
        return true;
    free(*word);
    *room = 2 * (count + LIST_SLACK);
    *word = malloc(*room * sizeof **word);
    if (!*word)
        *room = 0;
    return *word != NULL;
}

void meeting_close(struct meeting *meeting)
{
    free(meeting->items.word);
    free(meeting->patterns.word);
    free(meeting->items.first[0]);
    free(meeting->patterns.first[0]);
    free(meeting->list);
    free(meeting->spare.word);
}

/* ---- Which bits are compared ---- */

/* A larger sample for more pairs than this power of two. */
enum { MANY_PAIRS = 27, SMALL_SAMPLE = 64 };

static uint32_t power_of_two(size_t items, size_t patterns)
{
    return 63 - (uint32_t)__builtin_clzll((uint64_t)items * patterns);
}

/* Where samples pay: with more than few pairs. */
static bool samples_pay(const struct meeting *meeting, size_t items, size_t patterns)
{
    return power_of_two(items, patterns) > meeting->join->few_pairs;
}

/* All bits of few pairs; else none that only one side has. */
static uint64_t compared_bits(const struct meeting *meeting, const struct halves *west, const struct halves *east)
{
    const uint64_t all = (UINT64_C(1) << meeting->bits) - 1;
    return samples_pay(meeting, halves_count(west), halves_count(east)) ? all & halves_any(west) & halves_any(east)
                                                                        : all;
}

/* Makes class bits of the highest ones, or, if samples pay, of those that halves share most, the first one topmost. */
static void choose_order(struct meeting *meeting, const struct halves *west, const struct halves *east,
                         uint64_t compared, uint32_t classes)
{
    const size_t items = halves_count(west), patterns = halves_count(east);
    struct join_bits *order = &meeting->order;
    if (samples_pay(meeting, items, patterns)) {
        struct join_sample sample;
        uint8_t ranked[64];
        sample.bits = compared;
        sample.count = power_of_two(items, patterns) > MANY_PAIRS ? JOIN_SAMPLED : SMALL_SAMPLE;
        halves_sample(west, sample.count, sample.item);
        halves_sample(east, sample.count, sample.pattern);
        meeting->join->rank(&sample, classes, ranked);
        for (uint32_t i = 0; i < classes; i++) {
            compared ^= UINT64_C(1) << ranked[i];
            order->from[order->count - 1 - i] = ranked[i];
        }
    }
    for (uint32_t i = 0; compared; compared &= compared - 1)
        order->from[i++] = (uint8_t)__builtin_ctzll(compared);
}

/* Puts the bits of words in order. Mirroring exchanges neighbours. */
static void arrange(struct meeting *meeting, const struct halves *halves)
{
    struct join_bits order = meeting->order;
    bool changed = false;
    for (uint32_t i = 0; i < order.count; i++) {
        changed |= order.from[i] != i;
        order.from[i] ^= halves->mirrored;
    }
    for (int group = 0; group < 2 && (changed || halves->mirrored); group++)
        for (size_t i = 0, end; i < halves->count[group] && !stop_wanted(meeting->stop); i = end) {
            uint64_t *word = halves_begin(halves, group);
            end = join_sort_pause(i, halves->count[group]);
            if (changed)
                meeting->join->arrange(&order, word + i, end - i);
            for (size_t at = i; at < end && !changed; at++)
                word[at] = join_mirror(word[at]);
        }
}

/* ---- Classes ---- */

/* Class bits: none for so many pairs of halves, as a power of two; four for each five doublings beyond, two from
 * SLOW_GROWTH and three from STEADY_GROWTH on. Core-seconds with two all the way, and with one, two and three bits more
 * (AVX-512 on Zen 5, beside other work): n = 20 12.9, 13.1; n = 22 560, 598; n = 23 6240, 6030, 6940; n = 24 49900,
 * 46900, 49500, 54700; five pieces of n = 28 with one to three more 70, 64, 60. */
enum { NO_CLASSES = 18, SLOW_GROWTH = 33, STEADY_GROWTH = 36 };

static uint32_t beyond(uint32_t size, uint32_t from)
{
    return size > from ? size - from : 0;
}

/* How many class bits there should be. Each saves a fifth to a third of the trials and makes lists and blocks smaller.
 */
static void choose_bits(struct meeting *meeting, size_t items, size_t patterns)
{
    const uint32_t least = meeting->order.count > KEPT_BITS ? meeting->order.count - KEPT_BITS : 0;
    const uint32_t size = power_of_two(items, patterns);
    uint32_t want = (4 * beyond(size, NO_CLASSES) - 2 * beyond(size, SLOW_GROWTH) + beyond(size, STEADY_GROWTH)) / 5;
    if (want > MEETING_MAX_EXACT + MEETING_MAX_REPLICATE)
        want = MEETING_MAX_EXACT + MEETING_MAX_REPLICATE;
    if (want < least)
        want = least;
    if (want > meeting->order.count)
        want = meeting->order.count;
    meeting->exact = want - want / 2 < MEETING_MAX_EXACT ? want - want / 2 : MEETING_MAX_EXACT;
    meeting->replicate = want - meeting->exact;
    meeting->outer = 0;
    while (patterns > FAR_PATTERNS && patterns >> meeting->outer > CLOSE_PATTERNS && meeting->exact > LEAST_EXACT) {
        meeting->outer++;
        meeting->exact--;
    }
}

/* Puts the words of each group into classes; they are lost. */
static enum nq_status classify(struct meeting *meeting, struct halves *halves, struct classes *classes)
{
    const uint32_t class_bits = meeting->outer + meeting->replicate + meeting->exact;
    const size_t count = halves_count(halves), classes_end = ((size_t)1 << class_bits) + 1;
    if (!reserve(&classes->first[0], &classes->first_room, 2 * classes_end))
        return NQ_NOMEM;
    classes->first[1] = classes->first[0] + classes_end;
    const size_t spare = class_bits <= JOIN_SPARE_BITS ? class_bits * (count + JOIN_SORT_SLACK) : 0;
    meeting->spare.count[0] = 0;
    if (!reserve(&classes->word, &classes->room, count) || !halves_reserve(&meeting->spare, 0, spare))
        return NQ_NOMEM;
    struct join_order order = {
        .lowest = meeting->order.count - class_bits,
        .class_bits = class_bits,
        .to = classes->word,
        .spare = meeting->spare.word,
        .stop = meeting->stop,
    };
    arrange(meeting, halves);
    for (int group = 0; group < 2; group++) {
        order.first = classes->first[group];
        meeting->join->sort(&order, halves_begin(halves, group), halves->count[group]);
        order.next += (uint32_t)halves->count[group];
    }
    halves_free_many(halves);
    return stop_wanted(meeting->stop) ? NQ_CANCELLED : NQ_OK;
}

/* ---- Prefixes of the exact bits ---- */

static uint32_t depth_of(uint32_t node)
{
    return 31 - (uint32_t)__builtin_clz(node);
}

/* Bits of a word that are still to be compared below a prefix of that depth. */
static uint32_t bits_left(const struct meeting *meeting, uint32_t depth)
{
    return meeting->order.count - meeting->outer - meeting->replicate - depth;
}

/* Where the items of a group begin that have these outer bits and are of a class. */
static const uint32_t *first_items(const struct meeting *meeting, int group, uint32_t outer, uint32_t class)
{
    return meeting->items.first[group] + ((size_t)(outer << meeting->replicate | class) << meeting->exact);
}

/* Counts the patterns that a class of items meets, by all of the exact bits and then by less and less of them. */
static void count_patterns(struct meeting *meeting, uint32_t class)
{
    const uint32_t exact = meeting->exact, width = UINT32_C(1) << exact;
    const uint32_t others = ~class & ((UINT32_C(1) << meeting->replicate) - 1);
    uint32_t number[1 << MEETING_MAX_EXACT];
    memset(number, 0, width * sizeof *number);
    for (int group = 0; group < 2; group++) {
        const uint32_t *first = meeting->at_hand[group];
        if (first[0] == first[width << meeting->replicate])
            continue;
        for (uint32_t other = others;; other = (other - 1) & others) {
            const uint32_t *at = first + ((size_t)other << exact);
            for (uint32_t i = 0; i < width; i++)
                number[i] += at[i + 1] - at[i];
            if (!other)
                break;
        }
    }
    struct prefix *prefix = meeting->prefix;
    for (uint32_t i = 0; i < width; i++)
        prefix[width + i].patterns = number[i];
    for (uint32_t node = width - 1; node > 0; node--) {
        const struct prefix *continued = &prefix[(size_t)2 * node];
        prefix[node].patterns = continued[0].patterns + continued[1].patterns;
    }
}

/* What it costs to meet `items` items for each prefix: all patterns that have it at once, or those of its two
 * continuations, whichever is less. */
static void weigh_prefixes(struct meeting *meeting, uint32_t items)
{
    const struct join *join = meeting->join;
    struct prefix *prefix = meeting->prefix;
    const uint32_t width = UINT32_C(1) << meeting->exact;
    prefix[1].share = (float)items;
    for (uint32_t node = 1; node < width; node++) {
        struct prefix *continued = &prefix[(size_t)2 * node];
        continued[0].share = prefix[node].share;
        continued[1].share = prefix[node].share * SHARE_OF_ONE;
    }
    for (uint32_t node = 2 * width - 1; node > 0; node--) {
        struct prefix *at = &prefix[node];
        const uint32_t bits = bits_left(meeting, depth_of(node)), chunks = (bits + 5) / 6;
        const uint32_t blocks = (at->patterns + join->block - 1) / join->block;
        at->cost = (float)blocks * ((float)(join->block_cost + join->table_cost * chunks) +
                                    (float)(join->item_cost + join->look_up_cost * chunks) * at->share);
        const struct prefix *continued = &prefix[(size_t)2 * node];
        at->split = node < width && (bits > KEPT_BITS || continued[0].cost + continued[1].cost < at->cost);
        if (at->split)
            at->cost = continued[0].cost + continued[1].cost;
    }
}

/* ---- Meeting ---- */

static uint32_t *append(uint32_t *end, const uint32_t *from, size_t count)
{
    size_t i = 0;
    do
        memcpy(end + i, from + i, COPIED * sizeof *from);
    while ((i += COPIED) < count);
    return end + count;
}

/* Copies together the patterns with a prefix that a class of items meets. */
static uint32_t *gather(const struct meeting *meeting, int group, uint32_t class, uint32_t node, uint32_t *end)
{
    const uint32_t depth = depth_of(node), rest = meeting->exact - depth, value = node ^ UINT32_C(1) << depth;
    const uint32_t others = ~class & ((UINT32_C(1) << meeting->replicate) - 1);
    const uint32_t *first = meeting->at_hand[group];
    if (first[0] == first[UINT32_C(1) << (meeting->exact + meeting->replicate)])
        return end;
    for (uint32_t other = others;; other = (other - 1) & others) {
        const uint32_t begin = other << meeting->exact | value << rest;
        end = append(end, meeting->patterns.word + first[begin], first[begin + (UINT32_C(1) << rest)] - first[begin]);
        if (!other)
            return end;
    }
}

/* The items of a class that are disjoint from a prefix: a run for each way to choose its bits above the lowest 1. */
static size_t find_runs(const struct meeting *meeting, int group, uint32_t class, uint32_t node,
                        struct join_range *range)
{
    const uint32_t depth = depth_of(node), rest = meeting->exact - depth, value = node ^ UINT32_C(1) << depth;
    const uint32_t free = value ? (uint32_t)__builtin_ctz(value) : depth;
    const uint32_t fixed = value | ((UINT32_C(1) << free) - 1);
    const uint32_t outers = meeting->outers;
    size_t count = 0;
    for (uint32_t outer = outers;; outer = (outer - 1) & outers) {
        const uint32_t *first = first_items(meeting, group, outer, class);
        for (uint32_t begin = 0; begin < UINT32_C(1) << depth; begin = ((begin | fixed) + 1) & ~fixed) {
            const uint32_t from = first[begin << rest], to = first[(begin + (UINT32_C(1) << free)) << rest];
            range[count] = (struct join_range){meeting->items.word + from, meeting->items.word + to};
            count += from < to;
            if ((begin | fixed) + 1 >= UINT32_C(1) << depth)
                break;
        }
        if (!outer)
            return count;
    }
}

/* How many items of a class meet the patterns at hand. */
static uint32_t count_items(const struct meeting *meeting, uint32_t class)
{
    const uint32_t outers = meeting->outers, width = UINT32_C(1) << meeting->exact;
    uint32_t count = 0;
    for (uint32_t outer = outers;; outer = (outer - 1) & outers) {
        for (int group = 0; group < 2; group++) {
            const uint32_t *first = first_items(meeting, group, outer, class);
            count += first[width] - first[0];
        }
        if (!outer)
            return count;
    }
}

static void match(struct meeting *meeting, uint32_t class, uint32_t node, uint64_t found[2][2])
{
    struct join_range range[2 << MEETING_MAX_EXACT];
    struct join_task task = {.bits = bits_left(meeting, depth_of(node)), .pattern = meeting->list, .range = range};
    task.ranges[0] = find_runs(meeting, 0, class, node, range);
    task.ranges[1] = find_runs(meeting, 1, class, node, range + task.ranges[0]);
    if (task.ranges[0] + task.ranges[1] == 0)
        return;
    uint32_t *end = gather(meeting, 0, class, node, meeting->list);
    task.firsts = (size_t)(end - meeting->list);
    end = gather(meeting, 1, class, node, end);
    task.patterns = (size_t)(end - meeting->list);
    meeting->join->match(&task, found);
}

static void descend(struct meeting *meeting, uint32_t class, uint32_t node, uint64_t found[2][2])
{
    if (meeting->prefix[node].split) {
        descend(meeting, class, 2 * node, found);
        descend(meeting, class, 2 * node + 1, found);
    } else if (meeting->prefix[node].patterns) {
        match(meeting, class, node, found);
    }
}

/* Meets the patterns with these outer bits. */
static enum nq_status meet(struct meeting *meeting, uint32_t outer, uint64_t found[2][2])
{
    for (int group = 0; group < 2; group++)
        meeting->at_hand[group] =
            meeting->patterns.first[group] + ((size_t)outer << (meeting->replicate + meeting->exact));
    meeting->outers = ~outer & ((UINT32_C(1) << meeting->outer) - 1);
    for (uint32_t class = 0; class < UINT32_C(1) << meeting->replicate; class ++) {
        const uint32_t items = count_items(meeting, class);
        if (!items)
            continue;
        if (stop_wanted(meeting->stop))
            return NQ_CANCELLED;
        count_patterns(meeting, class);
        weigh_prefixes(meeting, items);
        descend(meeting, class, 1, found);
    }
    return NQ_OK;
}

enum nq_status meeting_count(struct meeting *meeting, struct halves *west, struct halves *east, uint64_t found[2][2])
{
    const size_t items = halves_count(west), patterns = halves_count(east);
    if (!items || !patterns)
        return NQ_OK;
    const uint64_t compared = compared_bits(meeting, west, east);
    meeting->order.count = (uint32_t)__builtin_popcountll(compared);
    choose_bits(meeting, items, patterns);
    choose_order(meeting, west, east, compared, meeting->outer + meeting->replicate + meeting->exact);
    enum nq_status status = classify(meeting, west, &meeting->items);
    if (status == NQ_OK)
        status = classify(meeting, east, &meeting->patterns);
    if (status == NQ_OK && !reserve(&meeting->list, &meeting->list_room, patterns))
        status = NQ_NOMEM;
    for (uint32_t outer = 0; outer >> meeting->outer == 0 && status == NQ_OK; outer++)
        status = meet(meeting, outer, found);
    return status;
}
