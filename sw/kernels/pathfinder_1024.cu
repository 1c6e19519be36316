// Cheapest path down a grid of costs, by CTAs of 1024 threads, the largest there are (PT of the DARSIE study). A file of its
// own, so that the kernels of pathfinder.cu stay where they are in memory.

constexpr unsigned kThreads = 1024;
#include "pathfinder.h"
