#pragma once
// What the body of a narrow task sees of its thread block, whoever runs it: template <class Block> device functions
// take one of the classes with these members. CudaBlock is that of an ordinary kernel; Pagoda and GeMTC have theirs.
//   unsigned thread()   index of this thread in its thread block (getTid of table 5.1)
//   unsigned threads()  threads of a thread block
//   unsigned block()    index of this thread block in its task
//   unsigned blocks()   thread blocks of the task
//   void sync()         all threads of the thread block (syncBlock)
//   char* shared()      its shared memory, aligned to 32 bytes (getSMPtr)

extern __shared__ __attribute__((aligned(32))) char dynamic_shared_memory[];

struct CudaBlock {
  __device__ unsigned thread() const { return threadIdx.x; }
  __device__ unsigned threads() const { return blockDim.x; }
  __device__ unsigned block() const { return blockIdx.x; }
  __device__ unsigned blocks() const { return gridDim.x; }
  __device__ void sync() const { __syncthreads(); }
  __device__ char* shared() const { return dynamic_shared_memory; }
};
