/* status.c - the words for enum nq_status. */
#include "base/status.h"

const char *nq_status_text(enum nq_status status)
{
    switch ((int)status) {
    case NQ_OK: return "done";
    case NQ_END: return "nothing follows";
    case NQ_AGAIN: return "not finished yet";
    case NQ_INVALID: return "the input is not valid";
    case NQ_LIMIT: return "beyond a limit";
    case NQ_NONE: return "no such placement exists";
    case NQ_NOMEM: return "out of memory";
    case NQ_BUSY: return "too busy now";
    case NQ_TIMEOUT: return "took too long";
    case NQ_CANCELLED: return "cancelled";
    case NQ_CLOSED: return "shutting down";
    case NQ_BROKEN: return "the store cannot be read or written";
    case NQ_DENIED: return "not allowed";
    case NQ_QUOTA: return "as much as is allowed at once";
    }
    return "unknown status";
}
