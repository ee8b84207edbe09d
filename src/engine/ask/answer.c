/* answer.c - reference-counted bodies. */
#include "engine/ask/answer.h"

#include <stdlib.h>
#include <string.h>

struct answer *answer_new(const struct bytes *body, const char *media_type)
{
    struct answer *answer = body->failed ? NULL : malloc(sizeof *answer + body->size);
    if (!answer)
        return NULL;
    *answer = (struct answer){.references = 1, .size = body->size, .media_type = media_type, .complete = true};
    if (body->size)
        memcpy(answer->bytes, body->data, body->size);
    return answer;
}

struct answer *answer_bare(struct answer *answer)
{
    if (!answer->extra)
        return answer_ref(answer);
    struct answer *bare = malloc(sizeof *bare + answer->size);
    if (!bare)
        return NULL;
    *bare = (struct answer){.references = 1, /* not copied with the rest: others are counting */
                            .size = answer->size,
                            .media_type = answer->media_type,
                            .complete = answer->complete,
                            .link = answer->link,
                            .link_length = answer->link_length,
                            .also = answer->also,
                            .relation = answer->relation,
                            .count = answer->count};
    memcpy(bare->bytes, answer->bytes, answer->size);
    return bare;
}

void answer_write(const struct answer *answer, const char *prefix, struct bytes *out)
{
    const size_t link = answer->link_length ? answer->link : answer->size,
                 also = answer->link_length && answer->also ? answer->also : answer->size;
    bytes_add(out, answer->bytes, link);
    bytes_text(out, link < answer->size ? prefix : "");
    bytes_add(out, answer->bytes + link, also - link);
    bytes_text(out, also < answer->size ? prefix : "");
    bytes_add(out, answer->bytes + also, answer->size - also);
}

struct answer *answer_ref(struct answer *answer)
{
    atomic_fetch_add_explicit(&answer->references, 1, memory_order_relaxed);
    return answer;
}

void answer_unref(struct answer *answer)
{
    if (answer && atomic_fetch_sub_explicit(&answer->references, 1, memory_order_acq_rel) == 1) {
        if (answer->extra)
            answer->free_extra(answer->extra);
        free(answer);
    }
}
