#pragma once
// Descriptors and memory of textures and surfaces as instructions find them. Private to ptx/exec/ops.

#include <cstring>

#include "ptx/exec/warp.h"
#include "ptx/image/texture.h"

namespace warpvp::ptx {

/// Whether [at, at + bytes) is allocated.
inline bool is_allocated(Warp& w, std::uint64_t at, unsigned bytes) {
  ExecEnv& env = w.cta().env();
  const unsigned context = w.cta().context();
  const bool cached = env.range_generation == env.global->generation() && env.range_context == context &&
                      !env.range_strays && at >= env.range.begin && at < env.range.end;
  return (cached || env.find_range(at, context)) && env.range.end - at >= bytes;
}

inline std::byte* device_bytes(Warp& w, std::uint64_t at) {
  const GlobalMemory& memory = *w.cta().env().global;
  return memory.host + (at - memory.origin);
}

/// The address of the descriptor that the handle in src[0] of a lane names.
inline std::uint64_t image_handle(const Inst& inst, Warp& w, unsigned lane) {
  std::uint64_t handle;
  std::memcpy(&handle, reinterpret_cast<const std::byte*>(w.source(inst.src[0])) + lane * sizeof handle,
              sizeof handle);
  const std::uint64_t table = w.cta().env().texture_table;
  return table != 0 && handle < kTextureTableEntries ? table + handle * kTextureBytes : handle;
}

/// Copies the descriptor at `handle` if memory of its size is there, aligned as all are.
inline bool read_descriptor(Warp& w, std::uint64_t handle, ImageDescriptor& d) {
  if (handle % kTextureBytes != 0 || !is_allocated(w, handle, kTextureBytes)) return false;
  std::memcpy(&d, device_bytes(w, handle), kTextureBytes);
  return true;
}

/// The descriptors of the lanes of one instruction, each read once as long as neighbours have the same
/// handle.
class ImageHandles {
 public:
  /// `magic`: kTextureMagic or kSurfaceMagic.
  ImageHandles(const Inst& inst, Warp& w, std::uint32_t magic) : inst_(inst), w_(w), magic_(magic) {}

  /// The descriptor of a lane, well formed; nullptr after a fault. `changed` tells that it is another one
  /// than that of the call before.
  const ImageDescriptor* of(unsigned lane, bool& changed) {
    const std::uint64_t handle = image_handle(inst_, w_, lane);
    changed = !known_ || handle != handle_;
    if (!changed) return &descriptor_;
    const bool texture = magic_ == kTextureMagic, named = inst_.src[0].kind == OperandKind::kConst;
    known_ = read_descriptor(w_, handle, descriptor_);
    if (known_ && named && descriptor_.magic == 0) {
      w_.fault("read of a texture that is not bound", static_cast<int>(lane));
      return nullptr;
    }
    if (!known_ || !well_formed(descriptor_, magic_)) {
      known_ = false;
      w_.fault(texture ? named ? "texture descriptor overwritten" : "handle that names no texture"
                       : "handle that names no surface",
               static_cast<int>(lane), handle, kTextureBytes);
      return nullptr;
    }
    handle_ = handle;
    return &descriptor_;
  }

 private:
  const Inst& inst_;
  Warp& w_;
  std::uint32_t magic_;
  bool known_ = false;
  std::uint64_t handle_ = 0;
  ImageDescriptor descriptor_;
};

}  // namespace warpvp::ptx
