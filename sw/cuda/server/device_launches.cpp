#include "sw/cuda/server/device_launches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <regex>

#include "sw/cuda/server/device_error_text.h"

namespace warpvp::cuda {

namespace {

// The queue: how many records were taken, the last error, then the records.
constexpr std::uint64_t kHeaderBytes = 64, kTailLaunch = 3;  // cudaStreamTailLaunch
struct RecordHead {
  std::uint64_t kernel, stream;
  std::uint32_t committed, grid[3], block[3], shared_bytes;
};
static_assert(sizeof(RecordHead) == 48);

/// A function that has nothing to do.
std::string succeeds(const std::string& formals) {
  return "\n.func (.param .b32 error) {0}(" + formals +
         ")\n{{\n  .reg .b32 %v;\n  mov.u32 %v, 0; st.param.b32 [error], %v;\n  ret;\n}}\n";
}
/// One that stores `value` where its parameter `to` says.
std::string yields(const std::string& formals, const std::string& type, unsigned value) {
  return "\n.func (.param .b32 error) {0}(" + formals + ")\n{{\n  .reg .b32 %v; .reg .b64 %at; .reg ." +
         type + " %w;\n  ld.param.b64 %at, [to]; mov." + type + " %w, " + std::to_string(value) + "; st." +
         type + " [%at], %w;\n  mov.u32 %v, 0; st.param.b32 [error], %v;\n  ret;\n}}\n";
}

/// Functions by the name behind their prefix; {0} is the name, {1} the queue, {2} how many records it has,
/// {3} the bytes of one. 69 is cudaErrorLaunchPendingCountExceeded.
const std::map<std::string, std::string>& functions() {
  static const std::map<std::string, std::string> all = {
      {"GetParameterBufferV2", R"(
.func (.param .b64 to) {0}(.param .b64 kernel, .param .align 4 .b8 grid[12], .param .align 4 .b8 block[12], .param .b32 shared)
{{
  .reg .pred %full; .reg .b32 %n, %v; .reg .b64 %queue, %at, %w;
  mov.u64 %queue, {1};
  atom.global.add.u32 %n, [%queue], 1;
  mov.u64 %at, 0;
  setp.ge.u32 %full, %n, {2};
  @%full bra FULL;
  mul.wide.u32 %at, %n, {3}; add.u64 %at, %at, %queue; add.u64 %at, %at, 64;
  ld.param.b64 %w, [kernel]; st.global.b64 [%at], %w;
  mov.u32 %v, 0; st.global.b32 [%at+16], %v;
  ld.param.b32 %v, [grid]; st.global.b32 [%at+20], %v;
  ld.param.b32 %v, [grid+4]; st.global.b32 [%at+24], %v;
  ld.param.b32 %v, [grid+8]; st.global.b32 [%at+28], %v;
  ld.param.b32 %v, [block]; st.global.b32 [%at+32], %v;
  ld.param.b32 %v, [block+4]; st.global.b32 [%at+36], %v;
  ld.param.b32 %v, [block+8]; st.global.b32 [%at+40], %v;
  ld.param.b32 %v, [shared]; st.global.b32 [%at+44], %v;
  add.u64 %at, %at, 64;
  bra DONE;
FULL:
  mov.u32 %v, 69; st.global.b32 [%queue+4], %v;
DONE:
  st.param.b64 [to], %at;
  ret;
}}
)"},
      {"LaunchDeviceV2", R"(
.func (.param .b32 error) {0}(.param .b64 parameters, .param .b64 stream)
{{
  .reg .b32 %v; .reg .b64 %at, %w;
  ld.param.b64 %at, [parameters]; ld.param.b64 %w, [stream];
  st.global.b64 [%at+-56], %w;
  mov.u32 %v, 1; st.global.b32 [%at+-48], %v;
  mov.u32 %v, 0; st.param.b32 [error], %v;
  ret;
}}
)"},
      // Streams and events: launches are carried out one after the other anyway.
      {"StreamCreateWithFlags", yields(".param .b64 to, .param .b32 flags", "b64", 16)},
      {"EventCreateWithFlags", yields(".param .b64 to, .param .b32 flags", "b64", 16)},
      {"StreamDestroy", succeeds(".param .b64 stream")},
      {"EventDestroy", succeeds(".param .b64 event")},
      {"EventRecord", succeeds(".param .b64 event, .param .b64 stream")},
      {"EventRecordWithFlags", succeeds(".param .b64 event, .param .b64 stream, .param .b32 flags")},
      {"StreamWaitEvent", succeeds(".param .b64 stream, .param .b64 event, .param .b32 flags")},
      // There is one device.
      {"GetDevice", yields(".param .b64 to", "b32", 0)},
      {"GetDeviceCount", yields(".param .b64 to", "b32", 1)},
      // Of the heap that kernels' malloc() has; 2 is cudaErrorMemoryAllocation.
      {"Malloc", R"(
.extern .func (.param .b64 pointer) malloc(.param .b64 bytes);
.func (.param .b32 error) {0}(.param .b64 to, .param .b64 bytes)
{{
  .reg .pred %none; .reg .b32 %v; .reg .b64 %at, %w;
  ld.param.b64 %w, [bytes]; ld.param.b64 %at, [to];
  {{ .param .b64 n; .param .b64 got;
    st.param.b64 [n], %w;
    call (got), malloc, (n);
    ld.param.b64 %w, [got]; }}
  st.b64 [%at], %w;
  setp.eq.u64 %none, %w, 0;
  selp.b32 %v, 2, 0, %none;
  st.param.b32 [error], %v;
  ret;
}}
)"},
      {"Free", R"(
.extern .func free(.param .b64 pointer);
.func (.param .b32 error) {0}(.param .b64 pointer)
{{
  .reg .b32 %v; .reg .b64 %w;
  ld.param.b64 %w, [pointer];
  {{ .param .b64 p;
    st.param.b64 [p], %w;
    call free, (p); }}
  mov.u32 %v, 0; st.param.b32 [error], %v;
  ret;
}}
)"},
      {"GetLastError", R"(
.func (.param .b32 error) {0}()
{{
  .reg .b32 %v; .reg .b64 %queue;
  mov.u64 %queue, {1};
  atom.global.exch.b32 %v, [%queue+4], 0;
  st.param.b32 [error], %v;
  ret;
}}
)"},
      {"PeekAtLastError", R"(
.func (.param .b32 error) {0}()
{{
  .reg .b32 %v; .reg .b64 %queue;
  mov.u64 %queue, {1};
  ld.volatile.global.u32 %v, [%queue+4];
  st.param.b32 [error], %v;
  ret;
}}
)"}};
  return all;
}

constexpr char kTake[] = "GetParameterBufferV2";
const char* const kPrefixes[] = {"__cudaCDP2", "cuda"};  // of CUDA 12 and later; of CUDA 11
const char* const kSuffixes[] = {"", "_ptsz"};           // with a default stream for each thread

bool declares(const std::string& ptx, const std::string& name) {
  return std::regex_search(ptx, std::regex("\\.extern\\s+\\.func\\s+\\([^)]*\\)\\s*" + name + "\\b"));
}

}  // namespace

/// Calls `f(name, text)` for each function of the device runtime that the module declares.
template <class F>
void for_each_declared(const std::string& ptx, const std::map<std::string, std::string>& functions, F&& f) {
  for (const auto& [name, text] : functions) {
    if (ptx.find(name) == std::string::npos) continue;
    for (const char* prefix : kPrefixes)
      for (const char* suffix : kSuffixes)
        if (const std::string whole = prefix + name + suffix; declares(ptx, whole)) f(whole, text);
  }
}

bool has_device_launches(const std::string& ptx) {
  bool any = ptx.find(kTake) != std::string::npos &&
             std::any_of(std::begin(kPrefixes), std::end(kPrefixes),
                         [&](const char* prefix) { return declares(ptx, std::string(prefix) + kTake); });
  for_each_declared(ptx, copy_functions(), [&](const std::string&, const std::string&) { any = true; });
  return any;
}

bool waits_for_launches(const std::string& ptx) {
  return ptx.find("cudaDeviceSynchronize") != std::string::npos &&
         (declares(ptx, "cudaDeviceSynchronize") ||
          declares(ptx, "__cudaDeviceSynchronizeDeprecationAvoidance"));
}

bool is_device_runtime(const std::string& ptx) {
  static const std::regex kDefinition(
      R"(\.(visible|weak)\s+\.func\s+\([^)]*\)\s*(__cudaCDP2|cuda)GetParameterBufferV2\b)");
  return ptx.find(kTake) != std::string::npos && std::regex_search(ptx, kDefinition);
}

std::vector<std::string> kernel_names(const std::string& ptx) {
  static const std::regex kEntry(R"(\.entry\s+([\w$%]+))");
  std::vector<std::string> names;
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), kEntry), end; at != end; ++at) {
    const std::string name = (*at)[1];
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  return names;
}

std::string DeviceLaunches::with_runtime(const std::string& ptx, std::uint32_t module) const {
  // `mov.u64 %rd1, kernel;` takes an address.
  static const std::regex kMove(R"((mov\.[ub]64\s+[\w%$]+,\s*)([\w$%]+)(\s*;))");
  const std::vector<std::string> names = kernel_names(ptx);
  std::string out;
  auto rest = ptx.begin();
  for (std::sregex_iterator at(ptx.begin(), ptx.end(), kMove), end; at != end; ++at) {
    const auto found = std::find(names.begin(), names.end(), (*at)[2].str());
    if (found == names.end()) continue;
    const std::uint64_t number = static_cast<std::uint64_t>(found - names.begin()) + 1;
    out.append(rest, (*at)[2].first).append(std::to_string(std::uint64_t{module} << 32 | number));
    rest = (*at)[2].second;
  }
  out.append(rest, ptx.end());
  std::string behind;
  const auto define = [&](const std::string& name, const std::string& text) {
    out =
        std::regex_replace(out, std::regex("\\.extern(\\s+\\.func\\s+\\([^)]*\\)\\s*" + name + "\\b)"), "$1");
    behind += fmt::format(fmt::runtime(text), name, address_, kMost, kRecordBytes);
  };
  for_each_declared(ptx, functions(), define);
  for_each_declared(ptx, copy_functions(), define);
  for_each_declared(ptx, error_text_functions(), define);
  return out + behind;
}

std::vector<DeviceLaunches::Record> DeviceLaunches::take(HostInterface& host, std::uint32_t& lost) const {
  std::uint32_t count = 0;
  host.read_untimed(address_, &count, sizeof count);
  lost = count > kMost ? count - kMost : 0;
  std::vector<Record> records;
  for (std::uint32_t i = 0; i < std::min(count, kMost); ++i) {
    const std::uint64_t at = address_ + kHeaderBytes + i * kRecordBytes;
    RecordHead head;
    host.read_untimed(at, &head, sizeof head);
    if (head.committed == 0) continue;
    Record record;
    record.module = static_cast<std::uint32_t>(head.kernel >> 32);
    record.kernel = static_cast<std::uint32_t>(head.kernel);
    std::copy_n(head.grid, 3, record.grid);
    std::copy_n(head.block, 3, record.block);
    record.shared_bytes = head.shared_bytes;
    record.at_the_end = head.stream == kTailLaunch;
    record.parameters.resize(kParameterBytes);
    host.read_untimed(at + kRecordBytes - kParameterBytes, record.parameters.data(), kParameterBytes);
    if (head.kernel == kCopyRecord || head.kernel == kFillRecord)
      record.copy = device_copy(head.kernel, record.parameters);
    records.push_back(std::move(record));
  }
  if (count != 0) {
    count = 0;
    host.write_untimed(address_, &count, sizeof count);
  }
  std::stable_partition(records.begin(), records.end(), [](const Record& r) { return !r.at_the_end; });
  return records;
}

}  // namespace warpvp::cuda
