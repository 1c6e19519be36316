// Narrow tasks of the filter bank.

#include "filter_bank.h"
#include "task_kernels.h"

NARROW_TASK(filter_bank, FilterBank, 0)
TASK_KERNELS(FilterBank)
