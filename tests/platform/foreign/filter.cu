// CUDA as others write it, run by a launch list alone (filter.yaml): templates, device and constant symbols, structs
// with pointers, a flag that tells the host to stop. filter.ptx is what "nvcc -ptx -arch=sm_75" of CUDA 13 makes of it.
struct Image { const float* pixels; float* out; int width, height; };
struct Job { Image image; float gain; unsigned char flags[4]; };
__constant__ float taps[5] = {0.f, 0.f, 1.f, 0.f, 0.f};
__constant__ Image images[2];
__device__ unsigned int done;
__device__ float* target;
namespace imaging { __device__ int calls = 7; }
template <typename T, int N> __global__ void convolve(Job job, T bias) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y;
  if (x >= job.image.width) return;
  float sum = bias;
  for (int k = -N; k <= N; ++k) {
    int at = x + k; at = at < 0 ? 0 : at >= job.image.width ? job.image.width - 1 : at;
    sum += taps[k + N] * job.image.pixels[y * job.image.width + at];
  }
  job.image.out[y * job.image.width + x] = job.gain * sum;
}
template __global__ void convolve<float, 2>(Job, float);
template __global__ void convolve<float, 1>(Job, float);
__global__ void add_images(int which) {
  const Image& a = images[which];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < a.width * a.height) target[i] = a.pixels[i] + images[1 - which].pixels[i];
  if (i == 0) atomicAdd(&imaging::calls, 1);
}
__global__ void relax(float* v, int n, float limit) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  v[i] *= 0.5f;
  if (i == 0 && v[0] < limit) done = 1;
}
