/* worker_port.h - what a worker serves: /healthz, /readyz and /metrics, for operators. */
#ifndef HTTP_SERVER_WORKER_PORT_H
#define HTTP_SERVER_WORKER_PORT_H

#include "engine/worker/worker.h"

struct worker_port;

/* where: an address, or "off": no port, and *port is NULL. kernel: its name, for /metrics. Returns NULL, or a phrase
 * that says why the port cannot be opened. */
const char *worker_port_open(const char *where, struct worker *worker, const char *kernel, struct worker_port **port);
void worker_port_close(struct worker_port *port); /* NULL: nothing */

/* The address, or "off". */
const char *worker_port_address(const struct worker_port *port);

#endif
