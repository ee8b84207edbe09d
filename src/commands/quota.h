/* quota.h - the CPU quota of this process's control groups (cgroups), versions 1 and 2. */
#ifndef COMMANDS_QUOTA_H
#define COMMANDS_QUOTA_H

/* The smallest quota of the process's groups, and of all groups above them that can be seen, in thousandths of a
 * processor; 0: there is none. root: a folder that holds `proc` and the mounts of the control groups, "" for those of
 * this system. */
unsigned long quota_read(const char *root);

/* How many threads a quota is enough for: rounded up, so that no part of it is unused. */
static inline unsigned long quota_processors(unsigned long thousandths)
{
    return thousandths / 1000 + (thousandths % 1000 > 0);
}

#endif
