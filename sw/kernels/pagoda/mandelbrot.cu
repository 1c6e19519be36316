// Narrow tasks of the Mandelbrot set.

#include "mandelbrot.h"
#include "task_kernels.h"

NARROW_TASK(mandelbrot, Mandelbrot, 0)
TASK_KERNELS(Mandelbrot)
