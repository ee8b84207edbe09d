/* deflate.c - a block is made in two passes: matches are looked for at the last place with the same four bytes only,
 * and what was found is written by Huffman codes of its own. */
#include "engine/run/deflate.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

enum { LITERALS = 286, DISTANCES = 30, LENGTH_CODES = 19, END = 256, SHORTEST = 4, LONGEST = 258 };

/* Bytes of a block: positions in it fit 16 bits, and its distances are allowed. */
enum { BLOCK = 24 << 10, HASH_BITS = 12 };

/* Most bytes of the tables and the end of a block; what settle() and the end of all blocks may write beyond that. A
 * byte that is a literal may take 15 bits. */
enum { TABLE_MOST = 400, SLACK = 16, BLOCK_MOST = 2 * BLOCK + TABLE_MOST + SLACK };

static const uint16_t length_base[] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                       31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
static const uint8_t length_extra[] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                       2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
static const uint16_t distance_base[] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                         33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                         1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
static const uint8_t distance_extra[] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                         6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};

#define MATCH UINT32_C(0x80000000)

struct huffman {
    uint8_t length[LITERALS]; /* 0: unused */
    uint16_t code[LITERALS];  /* its bits as they are sent, the first one lowest */
};

struct bits {
    uint64_t waiting;
    unsigned count;
    uint8_t *at;
};

struct block {
    uint16_t last[1 << HASH_BITS]; /* by hash of four bytes: where they begin, + 1 */
    uint8_t length_code[LONGEST + 1];
    uint32_t literals[LITERALS], distances[DISTANCES]; /* how often each occurs */
    struct huffman literal, distance;
    size_t tokens;
    uint32_t token[BLOCK]; /* a byte, or MATCH, a length and a distance - 1 */
    uint8_t made[BLOCK_MOST];
};

/* ---- Matches ---- */

static uint32_t four(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint16_t *last_place(struct block *block, uint32_t bytes)
{
    return &block->last[bytes * UINT32_C(2654435761) >> (32 - HASH_BITS)];
}

/* How many bytes are equal at two places, of those up to the end. */
static size_t equal(const char *one, const char *two, const char *end)
{
    size_t length = SHORTEST;
    const size_t most = end - two < LONGEST ? (size_t)(end - two) : LONGEST;
    for (; length + sizeof(uint64_t) <= most; length += sizeof(uint64_t)) {
        uint64_t a, b;
        memcpy(&a, one + length, sizeof a);
        memcpy(&b, two + length, sizeof b);
        if (a != b)
            break;
    }
    while (length < most && one[length] == two[length])
        length++;
    return length;
}

static unsigned distance_code(uint32_t distance)
{
    if (distance <= 4)
        return distance - 1;
    const unsigned bits = 31 - (unsigned)__builtin_clz(distance - 1);
    return 2 * bits + ((distance - 1) >> (bits - 1) & 1);
}

static void add_match(struct block *block, size_t length, size_t distance)
{
    block->token[block->tokens++] = MATCH | (uint32_t)length << 16 | (uint32_t)(distance - 1);
    block->literals[END + 1 + block->length_code[length]]++;
    block->distances[distance_code((uint32_t)distance)]++;
}

static void add_literal(struct block *block, char byte)
{
    block->token[block->tokens++] = (unsigned char)byte;
    block->literals[(unsigned char)byte]++;
}

static void find(struct block *block, const char *data, size_t size)
{
    size_t at = 0;
    while (at + SHORTEST <= size) {
        const uint32_t bytes = four(data + at);
        uint16_t *last = last_place(block, bytes);
        const size_t before = *last;
        *last = (uint16_t)(at + 1);
        if (before == 0 || four(data + before - 1) != bytes) {
            add_literal(block, data[at++]);
            continue;
        }
        const size_t length = equal(data + before - 1, data + at, data + size);
        add_match(block, length, at - (before - 1));
        at += length;
        if (at + 2 <= size) /* the next line may begin like this one */
            *last_place(block, four(data + at - 2)) = (uint16_t)(at - 1);
    }
    while (at < size)
        add_literal(block, data[at++]);
}

/* ---- Huffman codes ---- */

/* Sorts the symbols that occur by how often. Returns how many there are. */
static unsigned sort_symbols(const uint32_t *count, unsigned symbols, uint16_t *sorted)
{
    unsigned used = 0;
    for (unsigned symbol = 0; symbol < symbols; symbol++) {
        if (count[symbol] == 0)
            continue;
        unsigned place = used++;
        for (; place && count[sorted[place - 1]] > count[symbol]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = (uint16_t)symbol;
    }
    return used;
}

/* How many symbols have each depth in the tree: two queues, of leaves and of nodes. Deeper ones count at `most`. */
static void measure_tree(const uint32_t *count, const uint16_t *sorted, unsigned used, unsigned most, uint16_t *depths)
{
    uint32_t weight[2 * LITERALS] = {0};
    uint16_t parent[2 * LITERALS] = {0};
    unsigned leaf = 0, node = used, end = used;
    for (unsigned i = 0; i < used; i++)
        weight[i] = count[sorted[i]];
    for (; end < 2 * used - 1; end++) {
        weight[end] = 0;
        for (int child = 0; child < 2; child++) {
            const unsigned lightest = leaf < used && (node == end || weight[leaf] <= weight[node]) ? leaf++ : node++;
            weight[end] += weight[lightest];
            parent[lightest] = (uint16_t)end;
        }
    }
    uint16_t depth[2 * LITERALS];
    depth[2 * used - 2] = 0;
    for (unsigned i = 2 * used - 2; i-- > 0;) {
        depth[i] = (uint16_t)(depth[parent[i]] + 1);
        if (i < used)
            depths[depth[i] < most ? depth[i] : most]++;
    }
}

/* Lengths of at most `most` bits. */
static void make_lengths(const uint32_t *count, unsigned symbols, unsigned most, uint8_t *length)
{
    uint16_t sorted[LITERALS], depths[16] = {0};
    const unsigned used = sort_symbols(count, symbols, sorted);
    memset(length, 0, symbols);
    if (used == 1)
        length[sorted[0]] = 1;
    if (used < 2)
        return;
    measure_tree(count, sorted, used, most, depths);
    uint32_t room = 0; /* that they take, of 1 << most */
    for (unsigned depth = 1; depth <= most; depth++)
        room += (uint32_t)depths[depth] << (most - depth);
    for (; room > UINT32_C(1) << most; room--) { /* a leaf goes down, and one that was too deep becomes its brother */
        unsigned depth = most - 1;
        while (depths[depth] == 0)
            depth--;
        depths[depth]--;
        depths[depth + 1] = (uint16_t)(depths[depth + 1] + 2);
        depths[most]--;
    }
    for (unsigned depth = most, next = 0; depth > 0; depth--)
        for (unsigned i = depths[depth]; i > 0; i--)
            length[sorted[next++]] = (uint8_t)depth;
}

/* The codes that follow from the lengths (3.2.2). */
static void make_codes(const uint8_t *length, unsigned symbols, uint16_t *code)
{
    uint32_t next[17] = {0}, counts[17] = {0};
    for (unsigned i = 0; i < symbols; i++)
        counts[length[i]]++;
    counts[0] = 0;
    for (unsigned bits = 1; bits < 17; bits++)
        next[bits] = (next[bits - 1] + counts[bits - 1]) << 1;
    for (unsigned i = 0; i < symbols; i++) {
        const uint32_t value = length[i] ? next[length[i]]++ : 0;
        uint32_t turned = 0;
        for (unsigned bit = 0; bit < length[i]; bit++)
            turned |= (value >> bit & 1) << (length[i] - 1u - bit);
        code[i] = (uint16_t)turned;
    }
}

static void make_huffman(struct huffman *huffman, const uint32_t *count, unsigned symbols, unsigned most)
{
    make_lengths(count, symbols, most, huffman->length);
    make_codes(huffman->length, symbols, huffman->code);
}

/* ---- Bits ---- */

/* At most 56 bits between two calls of settle(). */
static void put(struct bits *bits, uint64_t value, unsigned count)
{
    bits->waiting |= value << bits->count;
    bits->count += count;
}

static void settle(struct bits *bits)
{
    const uint64_t waiting = htole64(bits->waiting);
    memcpy(bits->at, &waiting, sizeof waiting);
    bits->at += bits->count >> 3;
    bits->waiting >>= bits->count & ~7u;
    bits->count &= 7;
}

/* The lengths of both codes, each by a code of its own; runs of zeros as one (3.2.7). */
static void put_tables(struct bits *bits, const struct block *block)
{
    static const uint8_t order[LENGTH_CODES] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
    enum { ALL = LITERALS + DISTANCES, ZEROS = 18, ZEROS_LEAST = 11, ZEROS_MOST = 138, ZEROS_BITS = 7 };
    uint8_t length[ALL], symbol[ALL], run[ALL];
    uint32_t count[LENGTH_CODES] = {0};
    struct huffman huffman;
    unsigned symbols = 0;
    memcpy(length, block->literal.length, LITERALS);
    memcpy(length + LITERALS, block->distance.length, DISTANCES);
    for (unsigned i = 0; i < ALL; symbols++) {
        unsigned zeros = 0;
        while (i + zeros < ALL && zeros < ZEROS_MOST && length[i + zeros] == 0)
            zeros++;
        symbol[symbols] = zeros >= ZEROS_LEAST ? ZEROS : length[i];
        run[symbols] = (uint8_t)(zeros - ZEROS_LEAST);
        count[symbol[symbols]]++;
        i += zeros >= ZEROS_LEAST ? zeros : 1;
    }
    make_huffman(&huffman, count, LENGTH_CODES, 7);
    put(bits, LITERALS - 257, 5);
    put(bits, DISTANCES - 1, 5);
    put(bits, LENGTH_CODES - 4, 4);
    settle(bits);
    for (unsigned i = 0; i < LENGTH_CODES; i++, settle(bits))
        put(bits, huffman.length[order[i]], 3);
    for (unsigned i = 0; i < symbols; i++, settle(bits)) {
        put(bits, huffman.code[symbol[i]], huffman.length[symbol[i]]);
        if (symbol[i] == ZEROS)
            put(bits, run[i], ZEROS_BITS);
    }
}

static void put_match(struct bits *bits, const struct block *block, uint32_t match)
{
    const uint32_t length = match >> 16 & 0x1ff, distance = (match & 0xffff) + 1;
    const unsigned code = block->length_code[length], far = distance_code(distance);
    put(bits, block->literal.code[END + 1 + code], block->literal.length[END + 1 + code]);
    put(bits, length - length_base[code], length_extra[code]);
    put(bits, block->distance.code[far], block->distance.length[far]);
    put(bits, distance - distance_base[far], distance_extra[far]);
}

static void put_block(struct bits *bits, struct block *block)
{
    block->literals[END] = 1;
    make_huffman(&block->literal, block->literals, LITERALS, 15);
    make_huffman(&block->distance, block->distances, DISTANCES, 15);
    put(bits, 4, 3); /* not the last, with tables */
    settle(bits);
    put_tables(bits, block);
    for (size_t i = 0; i < block->tokens; i++, settle(bits)) {
        const uint32_t token = block->token[i];
        if (token & MATCH)
            put_match(bits, block, token);
        else
            put(bits, block->literal.code[token], block->literal.length[token]);
    }
    put(bits, block->literal.code[END], block->literal.length[END]);
    settle(bits);
}

/* An empty stored block, which ends at a whole byte. */
static void put_end(struct bits *bits)
{
    put(bits, 0, 3);
    bits->count = (bits->count + 7) & ~7u;
    settle(bits);
    put(bits, UINT32_C(0xffff0000), 32);
    settle(bits);
}

static void begin_block(struct block *block)
{
    memset(block->last, 0, sizeof block->last);
    memset(block->literals, 0, sizeof block->literals);
    memset(block->distances, 0, sizeof block->distances);
    block->tokens = 0;
}

void deflate_add(const struct bytes *body, struct bytes *out)
{
    struct block *block = malloc(sizeof *block);
    struct bits bits = {0};
    out->failed |= !block;
    if (!block)
        return;
    for (unsigned code = 0, length = 3; length <= LONGEST; length++) {
        code += code < 28 && length_base[code + 1] == length;
        block->length_code[length] = (uint8_t)code;
    }
    size_t at = 0;
    do { /* `out` grows by what a block became, far less than it could become */
        const size_t left = body->size - at, size = left < BLOCK ? left : BLOCK;
        bits.at = block->made;
        if (size) {
            begin_block(block);
            find(block, body->data + at, size);
            put_block(&bits, block);
        }
        at += size;
        if (at == body->size)
            put_end(&bits);
        bytes_add(out, block->made, (size_t)(bits.at - block->made));
    } while (at < body->size);
    free(block);
}
