/* worker_port.h - what a worker serves: /healthz, /readyz and /metrics, for operators. */
#ifndef HTTP_WORKER_PORT_H
#define HTTP_WORKER_PORT_H

#include "engine/worker.h"

struct worker_port;

/* where: an address, or "off": then there is none, and *port is NULL. The kernel's name is told. NULL, or in a few
 * words why it cannot be. */
const char *worker_port_open(const char *where, struct worker *worker, const char *kernel, struct worker_port **port);
void worker_port_close(struct worker_port *port); /* may be NULL */

/* Where it listens, "off": nowhere. */
const char *worker_port_address(const struct worker_port *port);

#endif
