// Narrow tasks of the beam former.

#include "beam_former.h"
#include "task_kernels.h"

NARROW_TASK(beam_former, BeamFormer, 0)
TASK_KERNELS(BeamFormer)
