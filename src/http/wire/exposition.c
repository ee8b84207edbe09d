/* exposition.c - formats metrics, and reads those of the process. */
#include "http/wire/exposition.h"

#include <inttypes.h>
#include <nqueens.h>
#include <string.h>

#include "base/process.h"

void exposition_head(struct bytes *out, const char *name, const char *type, const char *help)
{
    bytes_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void exposition_one(struct bytes *out, const char *name, const char *help, uint64_t value)
{
    const char *end = strrchr(name, '_');
    exposition_head(out, name, end && strcmp(end, "_total") == 0 ? "counter" : "gauge", help);
    bytes_format(out, "%s %" PRIu64 "\n", name, value);
}

void exposition_seconds(struct bytes *out, const char *name, const char *help, uint64_t nanoseconds)
{
    exposition_head(out, name, "counter", help);
    bytes_text(out, name);
    bytes_char(out, ' ');
    bytes_duration(out, nanoseconds, 9, 9);
    bytes_char(out, '\n');
}

void exposition_build(struct bytes *out, const char *kernel)
{
    exposition_head(out, "nq_build_info", "gauge", "The build and the counting kernel in use.");
    bytes_format(out, "nq_build_info{version=\"%s\",kernel=\"%s\"} 1\n", build_id, kernel);
}

void exposition_process(struct bytes *out)
{
    struct process_stats process;
    if (!process_read(&process))
        return;
    exposition_head(out, "process_cpu_seconds_total", "counter", "CPU time used by the process.");
    bytes_format(out, "process_cpu_seconds_total %.2f\n", process.cpu_seconds);
    exposition_head(out, "process_start_time_seconds", "gauge", "Start time of the process, in seconds since 1970.");
    bytes_format(out, "process_start_time_seconds %.2f\n", process.start_seconds);
    exposition_one(out, "process_resident_memory_bytes", "Resident memory of the process.", process.resident_bytes);
    exposition_one(out, "process_virtual_memory_bytes", "Virtual memory of the process.", process.virtual_bytes);
    exposition_one(out, "process_threads", "Threads of the process.", process.threads);
    exposition_one(out, "process_open_fds", "Open file descriptors.", process.descriptors);
    exposition_one(out, "process_max_fds", "Limit of open file descriptors.", process.most_descriptors);
}
