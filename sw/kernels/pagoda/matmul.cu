// Narrow tasks of matrix products, with and without shared memory.

#include "matmul.h"
#include "task_kernels.h"

NARROW_TASK(matmul, Matmul, 0)
NARROW_TASK(matmul_shared, MatmulShared, 1)
TASK_KERNELS(Matmul, MatmulShared)
