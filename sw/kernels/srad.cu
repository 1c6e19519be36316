// Speckle-reducing anisotropic diffusion, as Rodinia's srad_v1: the derivatives of an image stored column by column and
// the diffusion coefficient of each pixel. Neighbours are found through tables of indices. Where the original computes in
// double precision, so does this.

extern "C" __global__ void srad(int rows, int columns, const int* north, const int* south, const int* east, const int* west,
                                float* d_north, float* d_south, float* d_east, float* d_west, float speckle,
                                float* coefficient, const float* image) {
  const int here = blockIdx.x * blockDim.x + threadIdx.x;
  int row = (here + 1) % rows - 1, column = (here + 1) / rows;
  if ((here + 1) % rows == 0) {
    row = rows - 1;
    column = column - 1;
  }
  if (here >= rows * columns) return;
  const float centre = image[here];
  const float n = image[north[row] + rows * column] - centre, s = image[south[row] + rows * column] - centre;
  const float w = image[row + rows * west[column]] - centre, e = image[row + rows * east[column]] - centre;
  const float gradient = fmaf(e, e, fmaf(w, w, fmaf(s, s, n * n))) / (centre * centre);
  const float laplacian = (n + s + w + e) / centre;
  const float above = static_cast<float>(fma(-0.0625, static_cast<double>(laplacian * laplacian), 0.5 * gradient));
  const float below = static_cast<float>(fma(0.25, static_cast<double>(laplacian), 1.0));
  const float variation = above / (below * below);
  const float excess = (variation - speckle) / (speckle * (1.0f + speckle));
  float c = static_cast<float>(1.0 / (1.0 + excess));
  if (c < 0.0f) {
    c = 0.0f;
  } else if (c > 1.0f) {
    c = 1.0f;
  }
  d_north[here] = n;
  d_south[here] = s;
  d_west[here] = w;
  d_east[here] = e;
  coefficient[here] = c;
}
