// Cheapest path down a grid of costs, by CTAs of 256 threads ("pf" of QAWS Table I).

constexpr unsigned kThreads = 256;
#include "pathfinder.h"
