/* join_block.h - patterns in blocks of PATTERNS, one bit of a vector each: what a block consists of, written once. Each
 * instruction set that joins includes it after defining its vectors, and then turns blocks into planes. It knows no
 * instruction set.
 *
 * The patterns of group 1, few as a rule, share the last block with the last of group 0, if there is room: each group
 * has tally lanes of its own there, so that they are separate at no cost. (With two tallies an item of such a block,
 * which is every second one, took a quarter longer.)
 *
 * To be defined before: vec, LANES of 32 bits each; TALLY_LANES, see join_match.h. */

#define ALWAYS_INLINE inline __attribute__((always_inline))

enum { PATTERNS = 32 * LANES };

/* A lane of the tally has so many lanes of the vector, and so many patterns. */
enum { IN_TALLY_LANE = LANES / TALLY_LANES, TALLY_PATTERNS = PATTERNS / TALLY_LANES };

/* Patterns of both groups that are to be in one block. */
struct block {
    const uint32_t *pattern, *second;
    uint32_t firsts, seconds;
    uint32_t first_lanes; /* the tally's; the others are for group 1 */
};

static ALWAYS_INLINE uint32_t tally_lanes(size_t patterns)
{
    return (uint32_t)((patterns + TALLY_PATTERNS - 1) / TALLY_PATTERNS);
}

/* Takes the next patterns of each group. False: there are none. */
static ALWAYS_INLINE bool next_block(const struct join_task *task, size_t taken[2], struct block *block)
{
    const size_t firsts = task->firsts - taken[0], seconds = task->patterns - task->firsts - taken[1];
    const bool both =
        firsts <= PATTERNS && seconds <= PATTERNS && tally_lanes(firsts) + tally_lanes(seconds) <= TALLY_LANES;
    block->firsts = (uint32_t)(firsts < PATTERNS ? firsts : PATTERNS);
    block->seconds = (uint32_t)(seconds < PATTERNS ? seconds : PATTERNS);
    if (firsts && !both)
        block->seconds = 0;
    block->first_lanes = block->seconds ? tally_lanes(block->firsts) : TALLY_LANES;
    block->pattern = task->pattern + taken[0];
    block->second = task->pattern + task->firsts + taken[1];
    taken[0] += block->firsts;
    taken[1] += block->seconds;
    return block->firsts + block->seconds > 0;
}
