/* address.h - "host:port" and "[host]:port" as listening sockets. It knows nothing of what is served. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

enum { ADDRESS_MAX = 128 };

/* Opens a listening, non-blocking socket at the first address that can be had. NULL, or in a few words why none can. */
const char *address_listen(const char *where, int *descriptor);

/* Writes the numeric address of a socket, "" when it has none. */
void address_name(int descriptor, char text[static ADDRESS_MAX]);

#endif
