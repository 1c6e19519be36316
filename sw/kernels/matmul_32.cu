// C = A B in fp32 on 32x32 tiles in shared memory (MM of the DARSIE study). A file of its own, so that the kernels of
// matmul.cu stay where they are in memory.

constexpr unsigned kTile = 32;
#include "matmul.h"
