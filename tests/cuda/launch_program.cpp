// A program that launches again and again: such launches are on their way while it goes on. `program CASE`
// does one thing, checks what it got, and ends with status 0, or 1 after a line that says what was wrong.

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "sw/cuda/errors.h"
#include "tests/cuda/program.h"
#include "tests/cuda/test_kernels.h"

namespace {

using namespace warpvp::cuda;
using namespace warpvp::test;

// `step` makes three times the word and the number of it, so that each launch's place among all shows; `last`
// takes the last word of a large argument.
const char kMore[] = R"(
.visible .entry step(.param .u64 to, .param .u32 by)
{
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [by];
  ld.global.u32 %r2, [%d1]; mad.lo.u32 %r2, %r2, 3, %r1; st.global.u32 [%d1], %r2;
  ret;
}
.visible .entry last(.param .u64 to, .param .align 4 .b8 words[3000])
{
  .reg .b32 %r<4>; .reg .b64 %d<2>;
  ld.param.u64 %d1, [to]; ld.param.u32 %r1, [words+2996];
  ld.global.u32 %r2, [%d1]; mad.lo.u32 %r2, %r2, 3, %r1; st.global.u32 [%d1], %r2;
  ret;
}
)";

char step_stub, last_stub, say_stub;

__attribute__((constructor)) void register_all() {
  void** const binary = register_binary(
      FatBinaryWriter()
          .add(FatBinaryWriter::kPtx, 70, module_with(kSay + std::string(kMore)), Packing::kPlain)
          .bytes());
  register_kernel(binary, &step_stub, "step");
  register_kernel(binary, &last_stub, "last");
  register_kernel(binary, &say_stub, "say");
}

/// A word of the device, and what it should be.
struct Word {
  Word() {
    CHECK_EQ(cudaMalloc(&on_device, 4), 0);
    CHECK_EQ(cudaMemset(on_device, 0, 4), 0);
  }
  void step(std::uint32_t by, cudaStream_t stream = nullptr) {
    CHECK_EQ(launch(&step_stub, {1, 1, 1}, {1, 1, 1}, stream, on_device, by), 0);
    expected = 3 * expected + by;
  }
  void check() {
    std::uint32_t got = 0;
    CHECK_EQ(cudaMemcpy(&got, on_device, 4, 2), 0);
    CHECK_EQ(got, expected);
  }
  void* on_device = nullptr;
  std::uint32_t expected = 0;
};

void many() {
  Word word;
  for (std::uint32_t i = 1; i <= 300; ++i) {
    word.step(i);
    CHECK_EQ(cudaGetLastError(), 0);
  }
  word.check();
  // With other calls between.
  for (std::uint32_t i = 1; i <= 90; ++i) {
    word.step(i);
    if (i % 7 == 0) word.check();
    if (i % 40 == 0) CHECK_EQ(cudaMemset(word.on_device, 0, 4), (word.expected = 0));
  }
  word.check();
}

// More than the socket holds.
void large() {
  Word word;
  struct {
    std::uint32_t words[750];
  } argument = {};
  for (std::uint32_t i = 1; i <= 200; ++i) {
    argument.words[749] = i;
    CHECK_EQ(launch(&last_stub, {1, 1, 1}, {1, 1, 1}, nullptr, word.on_device, argument), 0);
    word.expected = 3 * word.expected + i;
  }
  word.check();
}

// Results of copies that nobody waits for come while launches are on their way: more than the socket holds.
void copies() {
  constexpr std::size_t kBytes = 1 << 20;
  Word word;
  void* block = nullptr;
  CHECK_EQ(cudaMalloc(&block, kBytes), 0);
  static std::uint8_t results[3][kBytes];
  for (std::uint8_t round = 0; round < 3; ++round) {
    CHECK_EQ(cudaMemset(block, 5 + round, kBytes), 0);
    word.step(round);
    CHECK_EQ(cudaMemcpyAsync(results[round], block, kBytes, 2, nullptr), 0);
    for (std::uint32_t i = 0; i < 70; ++i) word.step(i);
  }
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  for (std::uint8_t round = 0; round < 3; ++round) {
    CHECK_EQ(results[round][0], 5 + round);
    CHECK_EQ(std::memcmp(results[round], results[round] + 1, kBytes - 1), 0);
  }
  word.check();
}

// What is wrong with a launch is said by it, whatever has been launched before.
void wrong_ones() {
  Word word;
  for (std::uint32_t i = 0; i < 3; ++i) word.step(i);
  const auto launched = [&](dim3 grid, dim3 block, cudaStream_t stream = nullptr) {
    return launch(&step_stub, grid, block, stream, word.on_device, std::uint32_t{0});
  };
  CHECK_EQ(launched({1, 1, 1}, {2048, 1, 1}), kInvalidConfiguration);
  CHECK_EQ(cudaGetLastError(), kInvalidConfiguration);
  CHECK_EQ(launched({0, 1, 1}, {1, 1, 1}), kInvalidConfiguration);
  CHECK_EQ(launched({1, 70000, 1}, {1, 1, 1}), kInvalidConfiguration);
  CHECK_EQ(launched({1, 1, 1}, {1, 0, 1}), kInvalidConfiguration);
  CHECK_EQ(launched({1, 1, 1}, {1, 1, 1}, reinterpret_cast<cudaStream_t>(&word)), kInvalidResourceHandle);
  CHECK_EQ(cudaGetLastError(), kInvalidResourceHandle);
  CHECK_EQ(cudaGetLastError(), 0);
  for (std::uint32_t i = 0; i < 3; ++i) word.step(i);
  word.check();
}

void in_order() {
  Word word;
  cudaStream_t streams[2] = {};
  cudaEvent_t done[2] = {};
  for (int i = 0; i < 2; ++i) {
    CHECK_EQ(cudaStreamCreateWithFlags(&streams[i], 1), 0);
    CHECK_EQ(cudaEventCreate(&done[i]), 0);
  }
  // In turn: what a stream does waits for what the other has done.
  for (std::uint32_t i = 0; i < 40; ++i) {
    const unsigned here = i % 2;
    if (i != 0) CHECK_EQ(cudaStreamWaitEvent(streams[here], done[1 - here], 0), 0);
    for (std::uint32_t k = 0; k < i % 5; ++k) word.step(10 * i + k, streams[here]);
    CHECK_EQ(cudaEventRecord(done[here], streams[here]), 0);
  }
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  word.check();
}

// A launch like one that was good ends the context: the next call that waits says so, and all others then.
void fault() {
  Word word;
  for (std::uint32_t i = 0; i < 5; ++i) word.step(i);
  void* const nowhere = nullptr;
  CHECK_EQ(launch(&step_stub, {1, 1, 1}, {1, 1, 1}, nullptr, nowhere, std::uint32_t{1}), 0);
  CHECK_EQ(cudaDeviceSynchronize(), kIllegalAddress);
  CHECK_EQ(cudaGetLastError(), kIllegalAddress);
  CHECK_EQ(launch(&step_stub, {1, 1, 1}, {1, 1, 1}, nullptr, word.on_device, std::uint32_t{1}),
           kIllegalAddress);
  CHECK_EQ(cudaMemset(word.on_device, 0, 4), kIllegalAddress);
}

// However many launches follow it: the program ends.
void fault_before_many() {
  Word word;
  word.step(1);
  void* const nowhere = nullptr;
  launch(&step_stub, {1, 1, 1}, {1, 1, 1}, nullptr, nowhere, std::uint32_t{1});
  unsigned refused = 0;
  for (std::uint32_t i = 0; i < 3000; ++i)
    refused += launch(&step_stub, {1, 1, 1}, {1, 1, 1}, nullptr, word.on_device, i) == kIllegalAddress;
  CHECK_EQ(refused > 2000, true);
  CHECK_EQ(cudaDeviceSynchronize(), kIllegalAddress);
}

void prints() {
  std::printf("before\n");
  for (int i = 0; i < 3; ++i) launch(&say_stub, {1, 1, 1}, {1, 1, 1}, nullptr);
  cudaDeviceSynchronize();
  std::printf("after\n");
}

// The program ends, and all that it has launched is done.
void leaves() {
  Word word;
  for (std::uint32_t i = 0; i < 20; ++i) word.step(i);
  std::exit(0);
}

}  // namespace

int main(int, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {
      {"many", many},         {"large", large}, {"copies", copies}, {"wrong_ones", wrong_ones},
      {"in_order", in_order}, {"fault", fault}, {"prints", prints}, {"fault_before_many", fault_before_many},
      {"leaves", leaves}};
  cases.at(argv[1])();
  return wrong;
}
