/* callbacks.h - what libmicrohttpd calls for each connection and request; cls is the listener. */
#ifndef HTTP_SERVER_CALLBACKS_H
#define HTTP_SERVER_CALLBACKS_H

#include "http/guard/shortage.h"
#include "http/reply/route.h"
#include "http/reply/service.h"
#include "http/wire/address.h"

struct listener {
    struct service *service;
    enum port port;
    struct MHD_Daemon *daemon; /* NULL: closed */
    int nudge;                 /* the daemon's */
    struct shortage shortage;
    struct port_connections watched; /* those the watcher knows */
    bool quiet;                      /* it listens no more; */
    int listening;                   /* then the descriptor it did so with, until the daemon is closed */
    struct address address;          /* in use */
    bool named;                      /* the library's thread has its name */
    bool overflow;     /* the library had no room for a parameter or a field, since the last on_target() */
    bool without_room; /* the library had no room for the head of a reply: on_completed() of its request comes next */
};

enum MHD_Result on_accept(void *cls, const struct sockaddr *address, socklen_t size);
void on_connection(void *cls, struct MHD_Connection *mhd, void **context, enum MHD_ConnectionNotificationCode what);

/* The raw target of a new request. What is returned comes back as *state below. */
void *on_target(void *cls, const char *target, struct MHD_Connection *mhd);
enum MHD_Result on_request(void *cls, struct MHD_Connection *mhd, const char *url, const char *method,
                           const char *version, const char *upload, size_t *upload_size, void **state);
/* The path of that target, once its parameters are read, and before that each of these: decodes it. */
size_t on_text(void *cls, struct MHD_Connection *mhd, char *text);
void on_completed(void *cls, struct MHD_Connection *mhd, void **state, enum MHD_RequestTerminationCode how);

#endif
