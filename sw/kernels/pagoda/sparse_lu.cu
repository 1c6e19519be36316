// Narrow tasks of the sparse LU decomposition.

#include "sparse_lu.h"
#include "task_kernels.h"

NARROW_TASK(sparse_lu_diagonal, SparseLuDiagonal, 0)
NARROW_TASK(sparse_lu_forward, SparseLuForward, 1)
NARROW_TASK(sparse_lu_divide, SparseLuDivide, 2)
NARROW_TASK(sparse_lu_modify, SparseLuModify, 3)
TASK_KERNELS(SparseLuDiagonal, SparseLuForward, SparseLuDivide, SparseLuModify)
