// Narrow tasks of the discrete cosine transform, with and without shared memory.

#include "dct.h"
#include "task_kernels.h"

NARROW_TASK(dct, Dct, 0)
NARROW_TASK(dct_shared, DctShared, 1)
TASK_KERNELS(Dct, DctShared)
