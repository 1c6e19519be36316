// A time step of a two-dimensional electromagnetic field on a staggered grid, as Polybench's FDTD-2D: the electric field
// along y and along x, then the magnetic field. ex has a column more than the cells, ey a row more.

extern "C" __global__ void fdtd_ey(float* ey, const float* hz, float source, unsigned rows, unsigned columns) {
  const unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  if (i == 0) {
    ey[j] = source;
  } else {
    ey[i * columns + j] = fmaf(-0.5f, hz[i * columns + j] - hz[(i - 1) * columns + j], ey[i * columns + j]);
  }
}

extern "C" __global__ void fdtd_ex(float* ex, const float* hz, unsigned rows, unsigned columns) {
  const unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns || j == 0) return;
  ex[i * (columns + 1) + j] =
      fmaf(-0.5f, hz[i * columns + j] - hz[i * columns + j - 1], ex[i * (columns + 1) + j]);
}

extern "C" __global__ void fdtd_hz(const float* ex, const float* ey, float* hz, unsigned rows, unsigned columns) {
  const unsigned j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
  if (i >= rows || j >= columns) return;
  const float curl = ex[i * (columns + 1) + j + 1] - ex[i * (columns + 1) + j] + ey[(i + 1) * columns + j] - ey[i * columns + j];
  hz[i * columns + j] = fmaf(-0.7f, curl, hz[i * columns + j]);
}
