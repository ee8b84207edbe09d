/* activation.h - listening sockets that the parent of this process has opened for it, as in sd_listen_fds(3). It does
 * not know what they are for. */
#ifndef HTTP_WIRE_ACTIVATION_H
#define HTTP_WIRE_ACTIVATION_H

struct activation {
    int count;
    char names[256]; /* "http:admin"; "": the parent gave no names */
};

/* Takes the sockets, and removes them from the environment. Before there are other threads. */
void activation_take(struct activation *passed);

/* The listening descriptor with a name; for the name "http" also the first one whose name is not known. -1, with why in
 * a few words. */
int activation_find(const struct activation *passed, const char *name, const char **why);

#endif
