// A program of the runtime API, about memory that the CPU and the device have both, about code of several
// translation units that nvcc has linked, and about kernels that launch kernels, or copy. `program CASE` as
// program.cpp.

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "sw/cuda/errors.h"
#include "tests/cuda/program.h"
#include "tests/cuda/test_kernels.h"

extern "C" {
cudaError_t cudaHostAlloc(void**, std::size_t, unsigned);
cudaError_t cudaFreeHost(void*);
cudaError_t cudaHostGetDevicePointer(void**, void*, unsigned);
cudaError_t cudaHostGetFlags(unsigned*, void*);
cudaError_t cudaHostRegister(void*, std::size_t, unsigned);
cudaError_t cudaHostUnregister(void*);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes*, const void*);
}

namespace {

using namespace warpvp::cuda;
using namespace warpvp::test;

// `use` calls what the other unit has; each has a `local` of its own.
const char kFirst[] = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .func (.param .b32 r) square (.param .b32 x);
.extern .global .align 4 .u32 offset;
.global .align 4 .u32 local = 1000;
.visible .entry use(.param .u64 to)
{
  .reg .b32 %r<6>; .reg .b64 %d<3>;
  mov.u32 %r1, %tid.x;
  { .param .b32 x; .param .b32 r;
    st.param.b32 [x], %r1;
    call.uni (r), square, (x);
    ld.param.b32 %r2, [r]; }
  ld.global.u32 %r3, [offset]; add.u32 %r2, %r2, %r3;
  ld.global.u32 %r3, [local]; add.u32 %r2, %r2, %r3;
  ld.param.u64 %d1, [to]; mul.wide.u32 %d2, %r1, 4; add.u64 %d1, %d1, %d2;
  st.global.u32 [%d1], %r2;
  ret;
}
)";
const char kSecond[] = R"(
.version 7.5
.target sm_75
.address_size 64
.visible .global .align 4 .u32 offset = 7;
.global .align 4 .u32 local = 20;
.visible .func (.param .b32 r) square (.param .b32 x)
{
  .reg .b32 %r<4>;
  ld.param.b32 %r1, [x]; mul.lo.u32 %r1, %r1, %r1;
  ld.global.u32 %r2, [local]; add.u32 %r1, %r1, %r2;
  st.param.b32 [r], %r1;
  ret;
}
)";

// `tree` counts in words[0]; with a depth it launches itself with one less, twice; and `last`, in the stream
// of what comes behind all others, which notes how many had counted by then.
const char kLaunching[] = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 to) __cudaCDP2GetParameterBufferV2(.param .b64 kernel, .param .align 4 .b8 grid[12],
  .param .align 4 .b8 block[12], .param .b32 shared);
.extern .func (.param .b32 error) __cudaCDP2LaunchDeviceV2(.param .b64 parameters, .param .b64 stream);
.extern .func (.param .b32 error) __cudaCDP2GetLastError();
.visible .entry last(.param .u64 words)
{
  .reg .b32 %r; .reg .b64 %d;
  ld.param.u64 %d, [words];
  ld.global.u32 %r, [%d]; st.global.u32 [%d+4], %r;
  ret;
}
.visible .entry tree(.param .u64 words, .param .u32 depth, .param .u32 ways)
{
  .reg .pred %p; .reg .b32 %r<9>; .reg .b64 %d<9>;
  ld.param.u64 %d1, [words]; ld.param.u32 %r1, [depth]; ld.param.u32 %r2, [ways];
  atom.global.add.u32 %r3, [%d1], 1;
  setp.eq.u32 %p, %r1, 0;
  @%p bra END;
  sub.u32 %r1, %r1, 1; mov.u32 %r4, 0;
  mov.u64 %d2, last; mov.u64 %d3, 3;
  { .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 to;
    st.param.b64 [k], %d2; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (to), __cudaCDP2GetParameterBufferV2, (k, g, b, s);
    ld.param.b64 %d4, [to]; }
  st.u64 [%d4], %d1;
  { .param .b64 at; .param .b64 stream; .param .b32 error;
    st.param.b64 [at], %d4; st.param.b64 [stream], %d3;
    call (error), __cudaCDP2LaunchDeviceV2, (at, stream); }
  mov.u64 %d2, tree; mov.u64 %d3, 0;
MORE:
  { .param .b64 k; .param .align 4 .b8 g[12]; .param .align 4 .b8 b[12]; .param .b32 s; .param .b64 to;
    st.param.b64 [k], %d2; st.param.b32 [g], 1; st.param.b32 [g+4], 1; st.param.b32 [g+8], 1;
    st.param.b32 [b], 1; st.param.b32 [b+4], 1; st.param.b32 [b+8], 1; st.param.b32 [s], 0;
    call (to), __cudaCDP2GetParameterBufferV2, (k, g, b, s);
    ld.param.b64 %d4, [to]; }
  setp.eq.u64 %p, %d4, 0;
  @%p bra FULL;
  st.u64 [%d4], %d1; st.u32 [%d4+8], %r1; st.u32 [%d4+12], %r2;
  { .param .b64 at; .param .b64 stream; .param .b32 error;
    st.param.b64 [at], %d4; st.param.b64 [stream], %d3;
    call (error), __cudaCDP2LaunchDeviceV2, (at, stream); }
  add.u32 %r4, %r4, 1;
  setp.lt.u32 %p, %r4, %r2;
  @%p bra MORE;
  bra END;
FULL:
  { .param .b32 error; call (error), __cudaCDP2GetLastError, (); ld.param.b32 %r5, [error]; }
  st.global.u32 [%d1+8], %r5;
END:
  ret;
}
)";

// Arguments of calls of the device runtime: words of 64 bits, whole numbers of 32, and structs in words.
struct Argument {
  const char* type;  // "b64", "b32", "b8"
  std::vector<std::string> values;
};
Argument word(const std::string& value) { return {"b64", {value}}; }
Argument number(const std::string& value) { return {"b32", {value}}; }
Argument words(std::vector<std::string> values) { return {"b8", std::move(values)}; }

/// Declarations, and calls whose errors are gathered in %e.
struct DeviceCalls {
  std::string declared, called;
  void add(const std::string& function, const std::vector<Argument>& arguments) {
    std::string formals, stores, names;
    for (const Argument& argument : arguments) {
      const std::string name = "p" + std::to_string(&argument - arguments.data()), type = argument.type;
      const bool is_struct = type == "b8";
      const std::string formal = (is_struct ? ".param .align 8 .b8 " : ".param ." + type + " ") + name +
                                 (is_struct ? "[" + std::to_string(8 * argument.values.size()) + "]" : "");
      formals += (formals.empty() ? "" : ", ") + formal;
      names += (names.empty() ? "" : ", ") + name;
      stores += "    " + formal + ";\n";
      for (std::size_t i = 0; i < argument.values.size(); ++i)
        stores += "    st.param." + (is_struct ? "b64" : type) + " [" + name + "+" + std::to_string(8 * i) +
                  "], " + argument.values[i] + ";\n";
    }
    declared += ".extern .func (.param .b32 e) " + function + "(" + formals + ");\n";
    called += "  {\n" + stores + "    .param .b32 e;\n    call (e), " + function + ", (" + names +
              ");\n    ld.param.b32 %r, [e]; or.b32 %e, %e, %r;\n  }\n";
  }
};

// `copying` copies and fills between pieces of 64 bytes; what[] is a cudaMemcpy3DParms. `straying` copies
// from beyond its memory.
std::string copying_module() {
  DeviceCalls in, out, same;
  const std::string s = "0";  // the stream
  in.add("__cudaCDP2MemcpyAsync", {word("%d1"), word("%d0"), word("16"), number("3"), word(s)});
  in.add("__cudaCDP2MemsetAsync_ptsz", {word("%d2"), number("7"), word("5"), word(s)});
  in.add("__cudaCDP2Memcpy2DAsync",
         {word("%d3"), word("8"), word("%d1"), word("4"), word("4"), word("4"), number("3"), word(s)});
  in.add("__cudaCDP2Memset2DAsync", {word("%d4"), word("8"), number("9"), word("3"), word("2"), word(s)});
  in.add("__cudaCDP2Memset3DAsync",
         {words({"%d5", "8", "8", "2"}), number("5"), words({"3", "2", "2"}), word(s)});
  in.add("__cudaCDP2Memcpy3DAsync", {word("%what"), word(s)});
  out.add("cudaMemcpyAsync", {word("%d0"), word("%d7"), word("64"), number("3"), word(s)});
  same.add("cudaMemset2DAsync",
           {word("%d0"), word("0"), number("1"), word("1"), word("1152921504606846976"), word(s)});
  const auto entry = [](const char* name, const std::string& body) {
    std::string text =
        std::string(".visible .entry ") + name +
        "(.param .u64 bytes, .param .u64 what)\n{\n  .reg .b32 %e, %r; .reg .b64 %d<9>, %what;\n"
        "  ld.param.u64 %d0, [bytes]; ld.param.u64 %what, [what]; mov.u32 %e, 0;\n";
    for (int i = 1; i < 8; ++i)
      text += "  add.u64 %d" + std::to_string(i) + ", %d0, " + std::to_string(64 * i) + ";\n";
    return text + body + "  st.global.u32 [%d7], %e;\n  ret;\n}\n";
  };
  const std::string name_of_69 =
      "  { .param .b32 n; st.param.b32 [n], 69; .param .b64 text;\n"
      "    call (text), __cudaCDP2GetErrorName, (n); ld.param.b64 %d8, [text]; }\n"
      "  ld.b8 %r, [%d8+9]; st.global.u32 [%d7+4], %r;\n";
  return ".version 8.0\n.target sm_75\n.address_size 64\n" + in.declared + out.declared + same.declared +
         ".extern .func (.param .b64 text) __cudaCDP2GetErrorName(.param .b32 n);\n" +
         entry("copying", in.called + name_of_69) + entry("straying", out.called) +
         entry("staying", same.called);
}

// A kernel may not wait for others that it has launched.
const char kWaiting[] = R"(
.version 7.8
.target sm_70
.address_size 64
.extern .func (.param .b32 e) cudaDeviceSynchronize();
.visible .entry waiting()
{
  .param .b32 e;
  call (e), cudaDeviceSynchronize, ();
  ret;
}
)";

// For limits of time.
const char kLasting[] = R"(
.version 7.8
.target sm_70
.address_size 64
.visible .entry lasting()
{
  .reg .b64 %n;
  .reg .pred %p;
  mov.u64 %n, 0;
LOOP:
  add.u64 %n, %n, 1;
  setp.lt.u64 %p, %n, 1000000000000;
  @%p bra LOOP;
  ret;
}
)";

char add_stub, use_stub, alone_stub, tree_stub, copying_stub, straying_stub, staying_stub, waiting_stub,
    lasting_stub;
char offset_shadow;

const std::vector<std::uint8_t>& kept(const FatBinaryWriter& writer) {
  return *new std::vector<std::uint8_t>(writer.bytes());
}

/// As link.stub of the toolkit does.
void** register_linked(std::vector<const void*> units) {
  units.push_back(nullptr);
  auto* const wrapper = new BinaryWrapper;
  wrapper->version = 2;
  wrapper->data = kept(FatBinaryWriter().add(FatBinaryWriter::kMachineCode, 70,
                                             "\x7f"
                                             "ELF",
                                             Packing::kPlain))
                      .data();
  wrapper->more = (new std::vector<const void*>(std::move(units)))->data();
  return __cudaRegisterFatBinary(wrapper);
}

__attribute__((constructor)) void register_all() {
  register_kernel(
      register_binary(
          FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, module_with(""), Packing::kPlain).bytes()),
      &add_stub, "add");
  register_kernel(
      register_binary(FatBinaryWriter().add(FatBinaryWriter::kPtx, 80, kLaunching, Packing::kPlain).bytes()),
      &tree_stub, "tree");
  void** const copying = register_binary(
      FatBinaryWriter().add(FatBinaryWriter::kPtx, 75, copying_module(), Packing::kPlain).bytes());
  register_kernel(copying, &copying_stub, "copying");
  register_kernel(copying, &straying_stub, "straying");
  register_kernel(copying, &staying_stub, "staying");
  register_kernel(
      register_binary(FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, kWaiting, Packing::kPlain).bytes()),
      &waiting_stub, "waiting");
  register_kernel(
      register_binary(FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, kLasting, Packing::kPlain).bytes()),
      &lasting_stub, "lasting");
  const void* const first =
      kept(FatBinaryWriter().add(FatBinaryWriter::kPtx, 70, kFirst, Packing::kZstd)).data();
  const void* const second =
      kept(FatBinaryWriter().add(FatBinaryWriter::kPtx, 75, kSecond, Packing::kLz4)).data();
  void** const both = register_linked({first, second});
  register_kernel(both, &use_stub, "use");
  __cudaRegisterVar(both, &offset_shadow, nullptr, "offset", 0, 4, 0, 0);
  register_kernel(register_linked({first}), &alone_stub, "use");
}

constexpr unsigned kN = 5000, kBytes = kN * 4;
unsigned add(const void* a, const void* b, void* c) {
  return launch(&add_stub, {20, 1, 1}, {256, 1, 1}, nullptr, a, b, c, kN);
}
void check_all(const unsigned* words, unsigned factor) {
  for (unsigned i = 0; i < kN; ++i)
    if (words[i] != factor * i) return CHECK_EQ(words[i], factor * i);
}
int type_of(const void* pointer) {
  cudaPointerAttributes attributes{};
  CHECK_EQ(cudaPointerGetAttributes(&attributes, pointer), 0);
  return attributes.type;
}

// The device reads and writes it under the program's address, and nothing that the CPU writes meanwhile is
// lost.
void pinned() {
  unsigned *a = nullptr, *b = nullptr, *c = nullptr, *device = nullptr;
  void* same = nullptr;
  CHECK_EQ(cudaMallocHost(reinterpret_cast<void**>(&a), kBytes), 0);
  CHECK_EQ(cudaHostAlloc(reinterpret_cast<void**>(&b), kBytes, 2), 0);
  CHECK_EQ(cudaHostAlloc(reinterpret_cast<void**>(&c), kBytes + 4, 1), 0);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&device), kBytes), 0);
  for (unsigned i = 0; i < kN; ++i) a[i] = i, b[i] = 3 * i;
  CHECK_EQ(add(a, b, c), 0);
  c[kN] = 99;
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  check_all(c, 4);
  CHECK_EQ(c[kN], 99);
  // Copies know it for the host's: what is asked for is a copy to the device, and one back.
  CHECK_EQ(cudaMemcpyAsync(device, c, kBytes, 1, nullptr), 0);
  CHECK_EQ(add(device, c, device), 0);
  CHECK_EQ(cudaMemcpyAsync(b, device, kBytes, 4, nullptr), 0);
  CHECK_EQ(add(b, a, a), 0);  // behind the copy in the stream
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  check_all(b, 8);
  check_all(a, 9);
  CHECK_EQ(cudaMemset(c, 0, kBytes), 0);
  check_all(c, 0);
  unsigned flags = 0;
  CHECK_EQ(cudaHostGetFlags(&flags, b + 5), 0);
  CHECK_EQ(flags, 2);
  CHECK_EQ(cudaHostGetDevicePointer(&same, b + 5, 0), 0);
  CHECK_EQ(same == b + 5, true);
  CHECK_EQ(type_of(c), 1);
  CHECK_EQ(type_of(device), 2);
  CHECK_EQ(cudaFree(b), kInvalidValue);
  for (unsigned* p : {a, b, c}) CHECK_EQ(cudaFreeHost(p), 0);
  CHECK_EQ(cudaFreeHost(a), kInvalidValue);
}

// Memory that the program had before.
void registered() {
  std::vector<unsigned> a(kN), b(kN), c(kN);
  for (unsigned i = 0; i < kN; ++i) a[i] = i, b[i] = 3 * i;
  auto* const pages = static_cast<unsigned*>(std::aligned_alloc(4096, 32768));
  std::memcpy(pages, a.data(), kBytes);
  pages[kN] = 77;
  CHECK_EQ(cudaHostRegister(pages, kBytes, 0), 0);
  CHECK_EQ(cudaHostRegister(pages + 1, 4, 0), kHostMemoryAlreadyRegistered);
  void* there = nullptr;
  CHECK_EQ(cudaHostGetDevicePointer(&there, pages, 0), 0);
  CHECK_EQ(type_of(pages), 1);
  // By either address; what it holds stays, and what lies beside it.
  CHECK_EQ(add(pages, there, pages), 0);
  CHECK_EQ(cudaDeviceSynchronize(), 0);
  check_all(pages, 2);
  CHECK_EQ(pages[kN], 77);
  unsigned* device = nullptr;
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&device), kBytes), 0);
  CHECK_EQ(cudaMemcpyAsync(device, pages, kBytes, 1, nullptr), 0);
  CHECK_EQ(add(device, device, device), 0);
  CHECK_EQ(cudaMemcpyAsync(pages, device, kBytes, 2, nullptr), 0);
  CHECK_EQ(cudaHostUnregister(pages), 0);
  check_all(pages, 4);
  CHECK_EQ(pages[kN], 77);
  CHECK_EQ(cudaHostUnregister(pages), kHostMemoryNotRegistered);
  pages[0] = 5;
  std::free(pages);
  // Of the caller's own stack the pages stay: it can be copied, and no more.
  unsigned local[64] = {1, 2, 3};
  CHECK_EQ(cudaHostRegister(local, sizeof local, 0), 0);
  CHECK_EQ(cudaHostGetDevicePointer(&there, local, 0), kNotSupported);
  CHECK_EQ(cudaMemcpy(device, local, sizeof local, 1), 0);
  local[2] = 0;
  CHECK_EQ(cudaMemcpy(local, device, sizeof local, 2), 0);
  CHECK_EQ(local[2], 3);
  CHECK_EQ(cudaHostUnregister(local), 0);
}

void linked() {
  unsigned *to = nullptr, got[4] = {};
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&to), sizeof got), 0);
  const unsigned offset = 300;
  CHECK_EQ(cudaMemcpyToSymbol(&offset_shadow, &offset, 4, 0, 1), 0);
  CHECK_EQ(launch(&use_stub, {1, 1, 1}, {4, 1, 1}, nullptr, to), 0);
  CHECK_EQ(cudaMemcpy(got, to, sizeof got, 2), 0);
  for (unsigned i = 0; i < 4; ++i) CHECK_EQ(got[i], i * i + 20 + 300 + 1000);
  // Without the unit that has the function.
  CHECK_EQ(launch(&alone_stub, {1, 1, 1}, {4, 1, 1}, nullptr, to), kInvalidDeviceFunction);
}

void launches() {
  unsigned *words = nullptr, got[3] = {};
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&words), sizeof got), 0);
  CHECK_EQ(cudaMemset(words, 0, sizeof got), 0);
  CHECK_EQ(launch(&tree_stub, {1, 1, 1}, {1, 1, 1}, nullptr, words, 4u, 2u), 0);
  CHECK_EQ(cudaMemcpy(got, words, sizeof got, 2), 0);
  CHECK_EQ(got[0], 1 + 2 + 4 + 8 + 16);
  CHECK_EQ(got[1], 1 + 2 + 4 + 8 + 16);  // the last one came behind all
  CHECK_EQ(got[2], 0);
  // More than can wait: the kernel is told, and those there is room for run.
  CHECK_EQ(cudaMemset(words, 0, sizeof got), 0);
  CHECK_EQ(launch(&tree_stub, {1, 1, 1}, {1, 1, 1}, nullptr, words, 1u, 3000u), 0);
  CHECK_EQ(cudaMemcpy(got, words, sizeof got, 2), 0);
  CHECK_EQ(got[0], 1 + 2047);
  CHECK_EQ(got[2], 69);
  CHECK_EQ(launch(&waiting_stub, {1, 1, 1}, {1, 1, 1}, nullptr), kInvalidPtx);
}

void copies() {
  unsigned char *bytes = nullptr, got[512], expected[512] = {};
  std::uint64_t *what = nullptr, parms[20] = {};
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&bytes), sizeof got), 0);
  CHECK_EQ(cudaMalloc(reinterpret_cast<void**>(&what), sizeof parms), 0);
  for (unsigned i = 0; i < 16; ++i) expected[i] = static_cast<unsigned char>(i + 1);
  CHECK_EQ(cudaMemcpy(bytes, expected, sizeof expected, 1), 0);
  // Two bytes, two rows and two slices from (1, 0, 0) of piece 1 to (2, 1, 0) of piece 6; rows of 4 and 8
  // bytes, slices of 2 and 3 rows.
  const auto address = [&](unsigned piece) { return reinterpret_cast<std::uint64_t>(bytes + 64 * piece); };
  const std::uint64_t from[] = {1, 0, 0, address(1), 4, 4, 2}, to[] = {2, 1, 0, address(6), 8, 8, 3};
  std::copy_n(from, 7, parms + 1);
  std::copy_n(to, 7, parms + 9);
  std::fill_n(parms + 16, 3, 2);
  CHECK_EQ(cudaMemcpy(what, parms, sizeof parms, 1), 0);
  CHECK_EQ(launch(&copying_stub, {1, 1, 1}, {1, 1, 1}, nullptr, bytes, what), 0);
  CHECK_EQ(cudaMemcpy(got, bytes, sizeof got, 2), 0);
  std::copy_n(expected, 16, expected + 64);
  std::fill_n(expected + 128, 5, 7);
  for (unsigned row = 0; row < 4; ++row) std::copy_n(expected + 4 * row, 4, expected + 192 + 8 * row);
  for (unsigned row = 0; row < 2; ++row) std::fill_n(expected + 256 + 8 * row, 3, 9);
  for (unsigned row = 0; row < 4; ++row) std::fill_n(expected + 320 + 8 * row, 3, 5);
  for (unsigned slice = 0; slice < 2; ++slice)
    for (unsigned row = 0; row < 2; ++row)
      std::copy_n(expected + 1 + 4 * (2 * slice + row), 2, expected + 384 + 2 + 8 * (3 * slice + row + 1));
  expected[452] = 'L';  // of cudaErrorLaunchPendingCountExceeded
  for (unsigned i = 0; i < sizeof got; ++i)
    if (got[i] != expected[i]) CHECK_EQ(i, ~0u);
  // An array is told of, and copies nothing.
  parms[0] = 1;
  CHECK_EQ(cudaMemcpy(what, parms, sizeof parms, 1), 0);
  CHECK_EQ(cudaMemset(bytes + 384, 0, 64), 0);
  CHECK_EQ(launch(&copying_stub, {1, 1, 1}, {1, 1, 1}, nullptr, bytes, what), 0);
  CHECK_EQ(cudaMemcpy(got, bytes, sizeof got, 2), 0);
  CHECK_EQ(got[448], 1);
  CHECK_EQ(got[384 + 10], 0);
  CHECK_EQ(launch(&straying_stub, {1, 1, 1}, {1, 1, 1}, nullptr, bytes + 8, what), kIllegalAddress);
}

// 2^60 rows of a byte, all at one place: refused, instead of being carried out one after the other.
void endless() {
  void* bytes = nullptr;
  CHECK_EQ(cudaMalloc(&bytes, 512), 0);
  CHECK_EQ(launch(&staying_stub, {1, 1, 1}, {1, 1, 1}, nullptr, bytes, bytes), kIllegalAddress);
}

void lasting() {
  CHECK_EQ(launch(&lasting_stub, {1, 1, 1}, {1, 1, 1}, nullptr), 0);
  cudaDeviceSynchronize();
}

}  // namespace

int main(int argc, char** argv) {
  const std::map<std::string, std::function<void()>> cases = {
      {"pinned", pinned}, {"registered", registered}, {"linked", linked},  {"launches", launches},
      {"copies", copies}, {"endless", endless},       {"lasting", lasting}};
  cases.at(argc > 1 ? argv[1] : "pinned")();
  return wrong;
}
