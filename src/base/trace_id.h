/* trace_id.h - the id of a trace (W3C Trace Context), which a question, its job and the log carry. */
#ifndef BASE_TRACE_ID_H
#define BASE_TRACE_ID_H

/* 32 hexadecimal digits and a NUL. */
enum { TRACE_ID_SIZE = 33 };

#endif
