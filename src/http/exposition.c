/* exposition.c - lines of text. */
#include "http/exposition.h"

#include <inttypes.h>
#include <nqueens.h>

#include "base/process.h"

void exposition_head(struct bytes *out, const char *name, const char *type, const char *help)
{
    bytes_format(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

void exposition_one(struct bytes *out, const char *name, const char *type, const char *help, uint64_t value)
{
    exposition_head(out, name, type, help);
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
    exposition_head(out, "nq_build_info", "gauge", "The release and the counting kernel in use.");
    bytes_format(out, "nq_build_info{version=\"%s\",kernel=\"%s\"} 1\n", NQ_VERSION, kernel);
}

void exposition_process(struct bytes *out)
{
    struct process_figures process;
    if (!process_read(&process))
        return;
    exposition_head(out, "process_cpu_seconds_total", "counter", "Time of processors that the process has had.");
    bytes_format(out, "process_cpu_seconds_total %.2f\n", process.cpu_seconds);
    exposition_head(out, "process_start_time_seconds", "gauge", "When it was started, in seconds since 1970.");
    bytes_format(out, "process_start_time_seconds %.2f\n", process.start_seconds);
    exposition_one(out, "process_resident_memory_bytes", "gauge", "Memory that it has in use.", process.resident_bytes);
    exposition_one(out, "process_virtual_memory_bytes", "gauge", "Memory that it has a claim on.",
                   process.virtual_bytes);
    exposition_one(out, "process_threads", "gauge", "Its threads.", process.threads);
    exposition_one(out, "process_open_fds", "gauge", "Descriptors open.", process.descriptors);
    exposition_one(out, "process_max_fds", "gauge", "Descriptors that may be open.", process.most_descriptors);
}
