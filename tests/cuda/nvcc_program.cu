// What only nvcc makes, in one program: launches with <<<>>>, templates, symbols of all kinds, textures, printf, a graph
// and a grid that waits for itself. Prints a line a part; ends with the number of parts that were wrong.

#include <cooperative_groups.h>

#include <cstdio>
#include <vector>

__constant__ float factors[4];
__device__ unsigned visits;
__managed__ int shared_count = 5;

template <class T, int kBy>
__global__ void scale(T* data, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  data[i] = data[i] * kBy + static_cast<T>(factors[i % 4]);
  atomicAdd(&visits, 1u);
}

struct Pair {
  double a;
  char b;
  int c[3];
};
__global__ void add_pair(Pair p, double* to) { *to = p.a + p.b + p.c[0] + p.c[1] + p.c[2]; }

__global__ void count(int by) { atomicAdd(&shared_count, by); }

__global__ void say(int x) { printf("from thread %d: %d\n", threadIdx.x, x); }

__global__ void look(cudaTextureObject_t texture, float* to) {
  to[threadIdx.x] = tex2D<float>(texture, threadIdx.x + 1.0f, 0.5f);
}

__global__ void rotate(const int* from, int* to) {
  const auto grid = cooperative_groups::this_grid();
  const auto i = grid.thread_rank(), n = grid.size();
  to[i] = from[i];
  grid.sync();
  const int next = to[(i + n / 2) % n];
  grid.sync();
  to[i] = next;
}

static int wrong_parts = 0;
static void report(const char* part, bool right) {
  const cudaError_t error = cudaGetLastError();
  std::printf("%s %s%s%s\n", part, right && error == cudaSuccess ? "right" : "WRONG", error ? ": " : "",
              error ? cudaGetErrorString(error) : "");
  wrong_parts += !right || error != cudaSuccess;
}

int main() {
  constexpr int kN = 3000;
  {
    std::vector<float> data(kN);
    for (int i = 0; i < kN; ++i) data[i] = static_cast<float>(i);
    const float by[4] = {0, 1, 2, 3};
    cudaMemcpyToSymbol(factors, by, sizeof by);
    float* device = nullptr;
    cudaMalloc(&device, kN * sizeof(float));
    cudaMemcpy(device, data.data(), kN * sizeof(float), cudaMemcpyHostToDevice);
    scale<float, 3><<<(kN + 127) / 128, 128>>>(device, kN);
    cudaMemcpy(data.data(), device, kN * sizeof(float), cudaMemcpyDeviceToHost);
    unsigned seen = 0;
    cudaMemcpyFromSymbol(&seen, visits, sizeof seen);
    bool right = seen == kN;
    for (int i = 0; i < kN; ++i) right = right && data[i] == 3.0f * i + i % 4;
    report("templates and symbols", right);
  }
  {
    double *device = nullptr, sum = 0;
    cudaMalloc(&device, sizeof sum);
    add_pair<<<1, 1>>>(Pair{0.5, 'a', {1, 2, 3}}, device);
    cudaMemcpy(&sum, device, sizeof sum, cudaMemcpyDeviceToHost);
    report("structs", sum == 0.5 + 'a' + 6);
  }
  shared_count += 10;
  count<<<2, 32>>>(2);
  cudaDeviceSynchronize();
  report("managed variables", shared_count == 15 + 128);
  say<<<1, 2>>>(7);
  cudaDeviceSynchronize();
  {
    float texels[8], seen[8], *to = nullptr;
    for (int i = 0; i < 8; ++i) texels[i] = static_cast<float>(i * i);
    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t array{};
    cudaMallocArray(&array, &format, 8, 1);
    cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t texture{};
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    cudaMalloc(&to, sizeof seen);
    look<<<1, 8>>>(texture, to);
    cudaMemcpy(seen, to, sizeof seen, cudaMemcpyDeviceToHost);
    bool right = true;
    for (int i = 0; i < 8; ++i) right = right && 2 * seen[i] == texels[i] + texels[i < 7 ? i + 1 : 7];
    report("textures", right);
  }
  {
    int *data = nullptr, seen[64];
    cudaMalloc(&data, sizeof seen);
    cudaStream_t stream{};
    cudaStreamCreate(&stream);
    cudaGraph_t graph{};
    cudaGraphExec_t executable{};
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(data, 0, sizeof seen, stream);
    scale<int, 2><<<1, 64, 0, stream>>>(data, 64);
    scale<int, 2><<<1, 64, 0, stream>>>(data, 64);
    cudaMemcpyAsync(seen, data, sizeof seen, cudaMemcpyDeviceToHost, stream);
    cudaStreamEndCapture(stream, &graph);
    cudaGraphInstantiate(&executable, graph, nullptr, nullptr, 0);
    cudaGraphLaunch(executable, stream);
    cudaStreamSynchronize(stream);
    bool right = true;
    for (int i = 0; i < 64; ++i) right = right && seen[i] == 3 * (i % 4);
    report("graphs", right);
  }
  {
    constexpr int kThreads = 8 * 64;
    int *from = nullptr, *to = nullptr;
    cudaMallocManaged(&from, kThreads * sizeof(int));
    cudaMallocManaged(&to, kThreads * sizeof(int));
    for (int i = 0; i < kThreads; ++i) from[i] = i;
    void* arguments[] = {&from, &to};
    cudaLaunchCooperativeKernel(reinterpret_cast<void*>(rotate), dim3(8), dim3(64), arguments);
    cudaDeviceSynchronize();
    bool right = true;
    for (int i = 0; i < kThreads; ++i) right = right && to[i] == (i + kThreads / 2) % kThreads;
    report("cooperative groups", right);
  }
  return wrong_parts;
}
