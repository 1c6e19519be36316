// OpenCL C by the same compiler: a horizontal box blur of radius 2 over a row-major image, with a __local row and
// a barrier. Work-group size is columns of one stretch of a row; borders repeat the edge pixel.

#define RADIUS 2

__kernel void blur_rows(__global const float* in, __global float* out, uint rows, uint columns,
                        __local float* stretch) {
  const int local_x = (int)get_local_id(0);
  const int size = (int)get_local_size(0);
  const int x = (int)get_global_id(0);
  const uint y = get_global_id(1);
  const int last = (int)columns - 1;
  __global const float* row = in + y * columns;
  stretch[local_x + RADIUS] = row[clamp(x, 0, last)];
  if (local_x < RADIUS) {
    stretch[local_x] = row[clamp(x - RADIUS, 0, last)];
    stretch[local_x + size + RADIUS] = row[clamp(x + size, 0, last)];
  }
  barrier(CLK_LOCAL_MEM_FENCE);
  if (x > last || y >= rows) return;
  float sum = 0.0f;
  for (int k = 0; k <= 2 * RADIUS; ++k) sum += stretch[local_x + k];
  out[y * columns + (uint)x] = sum * 0.2f;
}
