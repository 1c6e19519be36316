#include "sw/cuda/server/device_copies.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace warpvp::cuda {

namespace {

// A record's parameters, in words of 64 bits.
enum Word : unsigned {
  kTo,
  kToPitch,
  kToRows,
  kFrom,
  kFromPitch,
  kFromRows,
  kWidth,
  kHeight,
  kDepth,
  kValue,
  kWords
};

// Takes a record, or returns 69, cudaErrorLaunchPendingCountExceeded.
constexpr char kTakeRecord[] = R"(
{{
  .reg .pred %full; .reg .b32 %n, %v; .reg .b64 %queue, %at, %w, %x, %y;
  mov.u64 %queue, {1};
  atom.global.add.u32 %n, [%queue], 1;
  setp.ge.u32 %full, %n, {2};
  @%full bra FULL;
  mul.wide.u32 %at, %n, {3}; add.u64 %at, %at, %queue; add.u64 %at, %at, 64;
)";
constexpr char kGiveRecord[] = R"(
  ld.param.b64 %w, [stream]; st.global.b64 [%at+8], %w;
  mov.u32 %v, 1; st.global.b32 [%at+16], %v;
  mov.u32 %v, 0; st.param.b32 [error], %v;
  ret;
FULL:
  mov.u32 %v, 69; st.global.b32 [%queue+4], %v; st.param.b32 [error], %v;
  ret;
}}
)";

std::string store(Word word) { return "  st.global.b64 [%at+" + std::to_string(64 + 8 * word) + "], %w;\n"; }
std::string kind(std::uint64_t k) {
  return "  mov.u64 %w, " + std::to_string(k) + "; st.global.b64 [%at], %w;\n";
}
std::string number(Word word, unsigned value) {
  return "  mov.u64 %w, " + std::to_string(value) + ";\n" + store(word);
}
/// Of a parameter, or of what lies in one.
std::string parameter(Word word, const std::string& name) {
  return "  ld.param.b64 %w, [" + name + "];\n" + store(word);
}
std::string value() { return "  ld.param.b32 %v, [value]; cvt.u64.u32 %w, %v;\n" + store(kValue); }

/// Of a cudaMemcpy3DParms at %x: where one side begins. An array (cudaArray_t) is no memory that kernels can
/// copy here: 1, cudaErrorInvalidValue.
std::string side(Word address, unsigned array, unsigned position, unsigned pitched) {
  const auto field = [](const char* to, unsigned offset) {
    return std::string("  ld.b64 ") + to + ", [%x+" + std::to_string(offset) + "];\n";
  };
  return field("%w", array) + "  setp.ne.u64 %full, %w, 0;\n  @%full bra ARRAY;\n" +
         // pointer + x + pitch * (y + rows * z)
         field("%w", position + 16) + field("%y", pitched + 24) + "  mul.lo.u64 %w, %w, %y;\n" +
         field("%y", position + 8) + "  add.u64 %w, %w, %y;\n" + field("%y", pitched + 8) +
         "  mul.lo.u64 %w, %w, %y;\n" + field("%y", position) + "  add.u64 %w, %w, %y;\n" +
         field("%y", pitched) + "  add.u64 %w, %w, %y;\n" + store(address) + field("%w", pitched + 8) +
         store(static_cast<Word>(address + 1)) + field("%w", pitched + 24) +
         store(static_cast<Word>(address + 2));
}

/// A function whose `body` fills in the record. Its last formal is the stream.
std::string function(const std::string& formals, std::uint64_t k, const std::string& body) {
  return "\n.func (.param .b32 error) {0}(" + formals + ", .param .b64 stream)" + kTakeRecord + kind(k) +
         body + kGiveRecord;
}

std::map<std::string, std::string> make_functions() {
  const std::string flat = number(kDepth, 1), one = number(kHeight, 1) + flat;
  std::map<std::string, std::string> all;
  all["MemcpyAsync"] =
      function(".param .b64 to, .param .b64 from, .param .b64 bytes, .param .b32 kind", kCopyRecord,
               parameter(kTo, "to") + parameter(kFrom, "from") + parameter(kWidth, "bytes") + one);
  all["MemsetAsync"] = function(".param .b64 to, .param .b32 value, .param .b64 bytes", kFillRecord,
                                parameter(kTo, "to") + value() + parameter(kWidth, "bytes") + one);
  all["Memcpy2DAsync"] = function(
      ".param .b64 to, .param .b64 to_pitch, .param .b64 from, .param .b64 from_pitch, "
      ".param .b64 width, .param .b64 height, .param .b32 kind",
      kCopyRecord,
      parameter(kTo, "to") + parameter(kToPitch, "to_pitch") + parameter(kFrom, "from") +
          parameter(kFromPitch, "from_pitch") + parameter(kWidth, "width") + parameter(kHeight, "height") +
          flat);
  all["Memset2DAsync"] = function(
      ".param .b64 to, .param .b64 to_pitch, .param .b32 value, .param .b64 width, .param .b64 height",
      kFillRecord,
      parameter(kTo, "to") + parameter(kToPitch, "to_pitch") + value() + parameter(kWidth, "width") +
          parameter(kHeight, "height") + flat);
  all["Memset3DAsync"] = function(
      ".param .align 8 .b8 to[32], .param .b32 value, .param .align 8 .b8 extent[24]", kFillRecord,
      parameter(kTo, "to") + parameter(kToPitch, "to+8") + parameter(kToRows, "to+24") + value() +
          parameter(kWidth, "extent") + parameter(kHeight, "extent+8") + parameter(kDepth, "extent+16"));
  // Offsets in cudaMemcpy3DParms. The record is taken before the arrays are looked at; one that is not given
  // is passed over.
  const auto extent = [](Word word, unsigned offset) {
    return "  ld.b64 %w, [%x+" + std::to_string(offset) + "];\n" + store(word);
  };
  all["Memcpy3DAsync"] =
      function(".param .b64 what", kCopyRecord,
               "  ld.param.b64 %x, [what];\n" + side(kFrom, 0, 8, 32) + side(kTo, 64, 72, 96) +
                   extent(kWidth, 128) + extent(kHeight, 136) + extent(kDepth, 144) +
                   "  bra GIVE;\nARRAY:\n  mov.u32 %v, 0; st.global.b32 [%at+16], %v;\n"
                   "  mov.u32 %v, 1; st.param.b32 [error], %v;\n  ret;\nGIVE:\n");
  return all;
}

}  // namespace

std::uint64_t DeviceCopy::reach(const Side& side) const {
  using Wide = unsigned __int128;
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  if (empty()) return 0;
  const bool overlaps =
      ((height > 1 || depth > 1) && side.pitch < width) || (depth > 1 && side.rows < height);
  if (overlaps) return kMost;
  // Each factor is below 2^64: what is beyond 2^64 at a step stays there.
  const Wide lines = std::min<Wide>(Wide{depth - 1} * side.rows + (height - 1), kMost);
  return static_cast<std::uint64_t>(std::min<Wide>(lines * side.pitch + width, kMost));
}

DeviceCopy device_copy(std::uint64_t kind, const std::vector<std::uint8_t>& parameters) {
  std::uint64_t words[kWords] = {};
  std::memcpy(words, parameters.data(), std::min(parameters.size(), sizeof words));
  DeviceCopy copy;
  copy.to = {words[kTo], words[kToPitch], words[kToRows]};
  copy.from = {words[kFrom], words[kFromPitch], words[kFromRows]};
  copy.width = words[kWidth];
  copy.height = words[kHeight];
  copy.depth = words[kDepth];
  copy.value = words[kValue];
  copy.fill = kind == kFillRecord;
  return copy;
}

const std::map<std::string, std::string>& copy_functions() {
  static const std::map<std::string, std::string> all = make_functions();
  return all;
}

}  // namespace warpvp::cuda
