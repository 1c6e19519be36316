// Narrow tasks of image filters.

#include "convolution.h"
#include "task_kernels.h"

NARROW_TASK(convolution, Convolution, 0)
TASK_KERNELS(Convolution)
