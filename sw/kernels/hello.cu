// Device printf: the first lane of every warp says where it is.

extern "C" __global__ void hello(int number, double ratio) {
  if (threadIdx.x % 32 == 0) {
    printf("cta %u warp %u: number %d, ratio %.3f, %s\n", blockIdx.x, threadIdx.x / 32, number, ratio, "done");
  }
}
