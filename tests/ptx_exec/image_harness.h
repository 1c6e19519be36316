#pragma once
// Kernels over texture and surface handles, in the shape nvcc gives them.

#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "ptx/image/texture.h"
#include "tests/ptx_exec/ptx_harness.h"

namespace warpvp::ptx::testing {

inline const char* suffix_of(Geometry g) {
  static const char* const kNames[] = {"", "1d", "2d", "3d", "a1d", "a2d", "cube", "acube"};
  return kNames[static_cast<unsigned>(g)];
}

/// A module with kernel `k(handle, out, in)`: thread i has %r0..%r3 = in[4 i ..], executes `body`, and stores
/// %r10..%r13 to out[4 i ..]. The handle is in %h; %p1, %a.. %d (64 bits) and %s0.. (16 bits) are free.
inline std::string image_kernel(const std::string& body) {
  return ".version 8.0\n.target sm_75\n.address_size 64\n"
         ".visible .entry k(.param .u64 handle, .param .u64 out, .param .u64 in)\n{\n"
         ".reg .b32 %r<20>; .reg .b64 %h, %o, %i, %w, %a, %b; .reg .pred %p<3>; .reg .b16 %s<5>;\n"
         "ld.param.u64 %h, [handle];\nld.param.u64 %o, [out];\nld.param.u64 %i, [in];\n"
         "mov.u32 %r19, %tid.x;\nmul.wide.u32 %w, %r19, 16;\nadd.s64 %o, %o, %w;\nadd.s64 %i, %i, %w;\n"
         "ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%i];\n" +
         body + "\nst.global.v4.u32 [%o], {%r10, %r11, %r12, %r13};\nret;\n}\n";
}

/// {x, ...} of `instruction.geometry`, from %r0, %r1, %r2 and the layer in %r3.
inline std::string coordinates_of(Geometry g) {
  switch (g) {
    case Geometry::d1:
      return "{%r0}";
    case Geometry::d2:
      return "{%r0, %r1}";
    case Geometry::d3:
    case Geometry::cube:
      return "{%r0, %r1, %r2, %r2}";
    case Geometry::a1d:
      return "{%r3, %r0}";
    case Geometry::a2d:
      return "{%r3, %r0, %r1, %r1}";
    case Geometry::acube:
      return "{%r3, %r0, %r1, %r2}";
    default:
      return "";
  }
}

struct Lane {
  std::uint32_t word[4] = {0, 0, 0, 0};
  static Lane of(float x, float y = 0, float z = 0, std::uint32_t layer = 0) {
    Lane l;
    std::memcpy(&l.word[0], &x, 4);
    std::memcpy(&l.word[1], &y, 4);
    std::memcpy(&l.word[2], &z, 4);
    l.word[3] = layer;
    return l;
  }
};

/// Runs one such kernel. There is one image at a time, and it always lies at the same place.
class ImageRunner {
 public:
  static constexpr std::size_t kMostBytes = 64 << 10, kMostLanes = 256;

  explicit ImageRunner(const std::string& body) : module_(image_kernel(body)) {
    memory_ = module_.memory().allocate(kMostBytes);
    handle_ = module_.memory().allocate(kTextureBytes);
    in_ = module_.memory().allocate(kMostLanes * sizeof(Lane));
    out_ = module_.memory().allocate(kMostLanes * sizeof(Lane));
  }
  PtxModule& module() { return module_; }
  /// Puts texels into memory and a texture over them; returns its handle.
  template <class T>
  std::uint64_t texture(const std::vector<T>& texels, const TextureDescription& t) {
    return place(texels, make_texture_descriptor("t", memory_, t));
  }
  template <class T>
  std::uint64_t surface(const std::vector<T>& texels, const ImageLayout& t) {
    return place(texels, make_surface_descriptor("s", memory_, t));
  }
  std::uint64_t memory() const { return memory_; }

  FunctionalResult attempt(std::uint64_t handle, const std::vector<Lane>& lanes) {
    module_.memory().write(in_, lanes.data(), lanes.size() * sizeof(Lane));
    return module_.run("k", {1, 1, 1}, {static_cast<unsigned>(lanes.size()), 1, 1}, 0, handle, out_, in_);
  }
  std::vector<Lane> run(std::uint64_t handle, const std::vector<Lane>& lanes) {
    const FunctionalResult r = attempt(handle, lanes);
    EXPECT_TRUE(r.ok()) << (r.fault ? r.fault->summary() + "\n" + r.fault->detail : "");
    return module_.read<Lane>(out_, lanes.size());
  }
  std::string fault(std::uint64_t handle, const std::vector<Lane>& lanes) {
    const FunctionalResult r = attempt(handle, lanes);
    return r.fault ? r.fault->summary() + "\n" + r.fault->detail : "";
  }

 private:
  template <class T>
  std::uint64_t place(const std::vector<T>& texels, const ImageDescriptor& d) {
    EXPECT_LE(image_bytes(d), texels.size() * sizeof(T));
    EXPECT_LE(texels.size() * sizeof(T), kMostBytes);
    module_.memory().write(memory_, texels.data(), texels.size() * sizeof(T));
    module_.memory().write(handle_, &d, sizeof d);
    return handle_;
  }
  PtxModule module_;
  std::uint64_t memory_ = 0, handle_ = 0, in_ = 0, out_ = 0;
};

}  // namespace warpvp::ptx::testing
