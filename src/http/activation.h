/* activation.h - listening sockets that whoever started this process has opened for it, as sd_listen_fds(3) has it. It
 * does not know what they are for. */
#ifndef HTTP_ACTIVATION_H
#define HTTP_ACTIVATION_H

struct activation {
    int count;
    char names[256]; /* "http:admin"; "" when none were told */
};

/* Takes over what was passed, and takes it out of the environment. Before there are other threads. */
void activation_take(struct activation *passed);

/* The descriptor of a name, which listens; or the first one that has no name of those we know, if the name is "http".
 * Else -1 and why, in a few words. */
int activation_find(const struct activation *passed, const char *name, const char **why);

#endif
