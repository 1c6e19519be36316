// See link_main.cu.
__constant__ float offsets[2] = {1.f, 2.f};
__device__ int calls = 5;
static __device__ int secret = 3;
static __device__ __noinline__ float twist(float x) { return x * secret; }
__device__ __noinline__ float transform(float x) { return twist(x) - 300.f; }
