// Narrow tasks of triple DES.

#include "triple_des.h"
#include "task_kernels.h"

NARROW_TASK(triple_des, TripleDes, 0)
TASK_KERNELS(TripleDes)
