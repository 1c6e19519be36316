// Narrow tasks of four kinds side by side: MPE of table 5.3.

#include "filter_bank.h"
#include "mandelbrot.h"
#include "matmul.h"
#include "triple_des.h"
#include "task_kernels.h"

NARROW_TASK(triple_des, TripleDes, 0)
NARROW_TASK(mandelbrot, Mandelbrot, 1)
NARROW_TASK(filter_bank, FilterBank, 2)
NARROW_TASK(matmul_shared, MatmulShared, 3)
TASK_KERNELS(TripleDes, Mandelbrot, FilterBank, MatmulShared)
