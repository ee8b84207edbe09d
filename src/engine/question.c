/* question.c - cursors of a question, and its copies. */
#include "engine/question.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

/* Names the list a place is in: whatever decides which solutions come and in what order, and nothing else. */
static uint64_t list_digest(const struct question *question)
{
    const unsigned char n[] = {(unsigned char)question->n};
    return hash_bytes(hash_text(HASH_START, question->algorithm), n, sizeof n); /* n is at most NQ_SEARCH_MAX_N */
}

enum nq_status question_set_cursor(struct question *question, const char *text)
{
    struct token place;
    uint64_t total;
    struct nq_cursor *cursor;
    if (token_decode(text, list_digest(question), &place) != NQ_OK)
        return NQ_INVALID;
    if (nq_known_count(question->n, &total) != NQ_OK)
        total = UINT64_C(1) << 62; /* nobody gets so far by reading */
    if (place.ordinal >= total)
        return NQ_INVALID;
    enum nq_status status = nq_cursor_open(question->algorithm, question->n, &cursor);
    if (status != NQ_OK)
        return status;
    status = nq_cursor_seek(cursor, place.prefix, place.length);
    nq_cursor_close(cursor);
    if (status == NQ_OK)
        question->from = place;
    return status;
}

void question_cursor(const struct question *question, const struct token *place, char text[static TOKEN_TEXT_MAX])
{
    token_encode(place, list_digest(question), text);
}

bool question_copy(struct question *copy, const struct question *question)
{
    *copy = *question;
    copy->key = strdup(question->key);
    copy->path = strdup(question->path);
    copy->prefix = strdup(question->prefix);
    if (copy->key && copy->path && copy->prefix)
        return true;
    question_free(copy);
    return false;
}

void question_free(struct question *copy)
{
    free((char *)copy->key);
    free((char *)copy->path);
    free((char *)copy->prefix);
}
