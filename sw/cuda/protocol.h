#pragma once
// What a CUDA program's runtime library (library/) and the simulator (server/) say to each other over a
// stream socket: a header, then that many bytes. The program calls, the simulator answers, one call at a time
// a connection. Both ends are of one build and one machine, so values go as they lie in memory.
//
// Nothing of the model shows here: device memory is numbers, and data travels as bytes.

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace warpvp::cuda {

inline constexpr std::uint32_t kProtocolVersion = 3;
/// The variable of the environment in which a program finds the simulator's socket.
inline constexpr char kSocketVariable[] = "WARPVP_CUDA_SOCKET";
/// Most bytes of one message: the largest copy and a little more.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 36;

/// What a program calls. Behind each: what it sends; what it gets.
enum class Call : std::uint32_t {
  kHello = 1,          ///< version, process number, name; DeviceFacts
  kLoadModule,         ///< fat binary or PTX; module
  kLink,               ///< how many; of each its bytes, and it: fat binary or PTX; the PTX of all
  kKernel,             ///< module, name; kernel, KernelFacts, how many parameters, the size of each, the
                       ///< offset of each in the argument block
  kVariable,           ///< module, name, its bytes or 0; address, its bytes
  kAllocate,           ///< bytes; address
  kFree,               ///< address
  kCopyIn,             ///< stream, whether to wait, address, bytes
  kCopyOut,            ///< stream, whether to wait, address, how many, where to; if waited for: bytes
  kCopyOnDevice,       ///< stream, whether to wait, to, from, how many
  kFill,               ///< stream, whether to wait, address, how many, value
  kLaunch,             ///< Launch, then each argument's bytes, end to end
  kCreateStream,       ///< priority, whether it waits for the legacy stream; stream
  kDestroyStream,      ///< stream
  kSynchronizeStream,  ///< stream
  kQueryStream,        ///< stream
  kStreamWaits,        ///< stream, event
  kCreateEvent,        ///< nothing; event
  kDestroyEvent,       ///< event
  kRecordEvent,        ///< event, stream
  kSynchronizeEvent,   ///< event
  kQueryEvent,         ///< event
  kElapsed,            ///< event, event; milliseconds
  kSynchronizeDevice,  ///< nothing
  kMemoryUse,          ///< nothing; bytes free, bytes in all
  kOccupancy,          ///< kernel, threads a CTA, dynamic shared bytes; CTAs an SM
  kCreateTexture,      ///< address, ptx::TextureDescription; handle
  kCreateSurface,      ///< address, ptx::SurfaceDescription; handle
  kDestroyImage,       ///< handle
  kBindTexture,        ///< module, name, address, ptx::TextureDescription: of a texture reference (.texref)
  kBytesAt,        ///< address; how many bytes of its allocation or variable begin there, where that begins
  kAllocatePages,  ///< bytes; address: of whole pages, for kShare
  kShare,       ///< address, bytes, both of whole pages: the answer brings a file that they are from now on
  kCopyShared,  ///< stream, whether to wait, address, how many, where from: in memory that is shared
  kGrow,        ///< address, bytes: what there is from the address on, where there is nothing or less
};

/// Stream 0 is the legacy default stream: what is put into it waits for all streams that wait for it, and
/// the other way round (CUDA C++ Programming Guide, "Default Stream").
inline constexpr std::uint64_t kLegacyStream = 0;

struct Header {
  std::uint32_t what = 0;        ///< of a call: Call; of an answer: the CUDA error, 0 for none
  std::uint32_t deliveries = 0;  ///< of an answer: how many results of earlier copies (address, bytes) begin
                                 ///< it; at address 0: what kernels have printed
  std::uint64_t bytes = 0;
};

/// The device as cudaDeviceProp and cudaDeviceGetAttribute tell of it; of what is not here they have zeros.
struct DeviceFacts {
  char name[64] = {};
  std::uint32_t major = 7, minor = 0;
  std::uint32_t sms = 1, ctas_per_sm = 32, threads_per_sm = 2048, threads_per_cta = 1024;
  std::uint32_t registers_per_sm = 65536, shared_per_sm = 98304, shared_per_cta = 49152;
  std::uint32_t shared_per_cta_opt_in = 98304, copy_engines = 1;
  double sm_clock_khz = 0;
  double memory_clock_khz = 0;  ///< two transfers a cycle
  std::uint64_t l2_bytes = 0;
  std::uint32_t memory_bus_bits = 0;
  std::uint64_t memory_base = 0, memory_bytes = 0;
  std::int32_t least_priority = 0, greatest_priority = 0;
};

/// As cudaFuncGetAttributes tells of a kernel.
struct KernelFacts {
  std::uint32_t registers = 0, static_shared_bytes = 0, local_bytes = 0, threads_per_cta = 0;
  std::uint32_t architecture = 0;  ///< that its PTX was made for: 80 of sm_80
};

struct Launch {
  std::uint64_t kernel = 0, stream = 0;
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t dynamic_shared_bytes = 0, cooperative = 0;
};

/// A message being written.
class Writer {
 public:
  template <class T>
  Writer& put(const T& value) {
    return put_bytes(&value, sizeof value);
  }
  Writer& put_bytes(const void* data, std::size_t bytes) {
    const auto* p = static_cast<const std::uint8_t*>(data);
    bytes_.insert(bytes_.end(), p, p + bytes);
    return *this;
  }
  Writer& put_text(const std::string& text) {
    return put(static_cast<std::uint32_t>(text.size())).put_bytes(text.data(), text.size());
  }
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }
  void clear() { bytes_.clear(); }
  /// For so many more.
  void make_room(std::size_t bytes) { bytes_.reserve(bytes_.size() + bytes); }
  /// All that has been written goes to `bytes`, whose memory it has from now on.
  void exchange(std::vector<std::uint8_t>& bytes) { bytes_.swap(bytes); }

 private:
  std::vector<std::uint8_t> bytes_;
};

/// A message being read. What is missing at its end reads as zero, and good() is false from then on.
class Reader {
 public:
  Reader() = default;
  Reader(const std::uint8_t* data, std::size_t bytes) : at_(data), left_(bytes) {}
  template <class T>
  T get() {
    T value{};
    take(&value, sizeof value);
    return value;
  }
  std::string get_text() {
    const std::uint64_t bytes = get<std::uint32_t>();
    if (bytes > left_) return fail(), std::string();
    std::string text(bytes, '\0');
    take(text.data(), bytes);
    return text;
  }
  /// Where the next `bytes` lie, in the message; nullptr: there are not as many.
  const std::uint8_t* get_bytes(std::uint64_t bytes) {
    if (bytes > left_) return fail(), nullptr;
    const std::uint8_t* const here = at_;
    at_ += bytes;
    left_ -= bytes;
    return here;
  }
  std::uint64_t left() const { return left_; }
  bool good() const { return good_; }
  /// All has been read, and nothing was missing.
  bool ended() const { return good_ && left_ == 0; }

 private:
  void fail() {
    good_ = false;
    left_ = 0;
  }
  void take(void* to, std::size_t bytes) {
    const std::uint8_t* const from = get_bytes(bytes);
    if (from != nullptr && bytes != 0) std::memcpy(to, from, bytes);
  }
  const std::uint8_t* at_ = nullptr;
  std::uint64_t left_ = 0;
  bool good_ = true;
};

}  // namespace warpvp::cuda
