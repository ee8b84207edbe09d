/* stop.c - which threads can be suspended. */
#include "base/stop.h"

_Thread_local struct stop_aside *stop_aside;
