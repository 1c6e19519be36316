// Linked with link_library.cu by a launch list. Both have a static function and a static variable of the same name.
// link_*.ptx is what "nvcc -ptx -rdc=true -arch=sm_75" of CUDA 13 makes of them.
extern __device__ float transform(float x);
extern __constant__ float offsets[2];
extern __device__ int calls;
static __device__ int secret = 100;
static __device__ __noinline__ float twist(float x) { return x + secret; }
__global__ void apply(float* v, int n) {
  const int i = threadIdx.x;
  if (i < n) v[i] = transform(twist(v[i])) + offsets[1];
  if (i == 0) atomicAdd(&calls, 1);
}
