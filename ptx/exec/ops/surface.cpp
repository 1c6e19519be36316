// suld.b and sust.b (PTX ISA, surface instructions): bytes of an image, moved without conversion. The first
// coordinate counts bytes, the others texels; a layer is an unsigned number.

#include <algorithm>
#include <cstring>

#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/image_access.h"
#include "ptx/exec/ops/sampling.h"

namespace warpvp::ptx {
namespace {

// Inst::aux of a surface access: geometry in the low bits, a SurfaceClamp above.
constexpr std::uint64_t kGeometryMask = 0xf;
constexpr unsigned kClampShift = 4;
constexpr unsigned kMostElements = 4;

/// A surface of the geometry that the instruction names; the faces of cubes are layers.
bool fits(Geometry asked, const ImageDescriptor& d) {
  const auto g = static_cast<Geometry>(d.geometry);
  return g == asked || (asked == Geometry::a2d && is_cube(g));
}

/// The address of `bytes` bytes at (x in bytes, y, slice); false if they do not lie inside. With `clamp`, the
/// nearest place inside whose x is a multiple of `bytes`; there is none if a row is shorter.
bool surface_place(const ImageDescriptor& d, std::int64_t x, std::int64_t y, std::int64_t slice,
                   unsigned bytes, bool clamp, std::uint64_t& at) {
  const std::int64_t row =
      std::int64_t{d.width} * d.channels * texel_type_bytes(static_cast<TexelType>(d.type));
  const std::int64_t last_y = std::int64_t{d.height} - 1, last_slice = std::int64_t{image_slices(d)} - 1;
  if (row < std::int64_t{bytes}) return false;
  if (clamp) {
    if (x < 0) x = 0;
    if (x > row - std::int64_t{bytes}) x = (row - std::int64_t{bytes}) / bytes * bytes;
    y = std::clamp<std::int64_t>(y, 0, last_y);
    slice = std::clamp<std::int64_t>(slice, 0, last_slice);
  }
  if (x < 0 || x > row - std::int64_t{bytes} || y < 0 || y > last_y || slice < 0 || slice > last_slice)
    return false;
  at = d.base + static_cast<std::uint64_t>(slice) * d.slice_pitch_bytes +
       static_cast<std::uint64_t>(y) * d.pitch_bytes + static_cast<std::uint64_t>(x);
  return true;
}

/// Resolves all lanes before any takes effect; fills the warp's MemoryAccess. False after a fault.
bool resolve(const Inst& inst, Warp& w, LaneMask active, bool store, LaneMask& inside) {
  const auto geometry = static_cast<Geometry>(inst.aux & kGeometryMask);
  const auto mode = static_cast<SurfaceClamp>(inst.aux >> kClampShift);
  const bool layered = has_layers(geometry);
  const unsigned spatial = spatial_coordinates(geometry), bytes = inst.access_bytes * inst.vector;
  const std::uint32_t* coordinate[3] = {};
  for (unsigned k = 0; k < spatial + layered; ++k) coordinate[k] = w.source(inst.src[1 + k]);
  ImageHandles handles(inst, w, kSurfaceMagic);
  MemoryAccess& access = w.access_for_exec();
  inside = 0;
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    const auto fail = [&](const char* what) {
      w.fault(what, static_cast<int>(lane));
      return false;
    };
    bool changed;
    const ImageDescriptor* d = handles.of(lane, changed);
    if (d == nullptr) return false;
    if (changed && !fits(geometry, *d)) return fail("access to a surface of another geometry");
    const auto signed_at = [&](unsigned k) {
      return std::int64_t{static_cast<std::int32_t>(coordinate[k + layered][lane])};
    };
    const std::int64_t x = signed_at(0), y = spatial > 1 ? signed_at(1) : 0;
    const std::int64_t slice = layered ? std::int64_t{coordinate[0][lane]} : spatial > 2 ? signed_at(2) : 0;
    std::uint64_t at = 0;
    if (!surface_place(*d, x, y, slice, bytes, mode == SurfaceClamp::clamp, at)) {
      if (mode == SurfaceClamp::zero) continue;
      return fail(store ? "surface store outside the surface" : "surface load outside the surface");
    }
    const char* wrong = nullptr;
    if (at % bytes != 0)
      wrong = store ? "misaligned surface store" : "misaligned surface load";
    else if (at < d->base || !is_allocated(w, at, bytes))
      wrong = store ? "surface store outside valid memory" : "surface load outside valid memory";
    if (wrong != nullptr) {
      w.fault(wrong, static_cast<int>(lane), at, bytes);
      return false;
    }
    access.address[lane] = at;
    inside |= 1u << lane;
  }
  // Timed as global loads and stores.
  access.space = Space::kGlobal;
  access.lanes = inside;
  access.shared_lanes = 0;
  access.bytes = static_cast<std::uint8_t>(bytes);
  access.store = store;
  access.atomic = access.async = false;
  access.returns_value = !store;
  access.cache_op = inst.cache_op;
  return true;
}

void surface_load(const Inst& inst, Warp& w, LaneMask active) {
  LaneMask inside;
  if (!resolve(inst, w, active, false, inside)) return;
  const unsigned bytes = inst.access_bytes;
  for (unsigned k = 0; k < inst.vector; ++k) {
    if (inst.dst[k].kind != OperandKind::kReg) continue;
    std::uint32_t* row = w.row(inst.dst[k].index);
    const bool wide = (inst.wide >> k & 1) != 0;
    for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
      std::uint64_t value = 0;
      if ((inside >> lane & 1) != 0)
        std::memcpy(&value, device_bytes(w, w.access().address[lane]) + k * bytes, bytes);
      std::memcpy(row + lane * (wide ? 2 : 1), &value, wide ? 8 : 4);
    }
  }
}

void surface_store(const Inst& inst, Warp& w, LaneMask active) {
  LaneMask inside;
  if (!resolve(inst, w, active, true, inside)) return;
  if (w.put_off(inst, active)) return;
  const unsigned bytes = inst.access_bytes, first = inst.src_count - inst.vector;
  for (LaneMask rest = inside; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    std::byte* to = device_bytes(w, w.access().address[lane]);
    for (unsigned k = 0; k < inst.vector; ++k) {
      const bool wide = (inst.wide >> (kMaxDst + first + k) & 1) != 0;
      std::memcpy(to + k * bytes, w.source(inst.source(first + k)) + lane * (wide ? 2 : 1), bytes);
    }
  }
}

}  // namespace

ExecFn select_surface(Inst& inst, const Modifiers& m) {
  const bool store = inst.opcode == Opcode::sust;
  const unsigned address = 1 + has_layers(m.geometry) + spatial_coordinates(m.geometry);
  if (inst.vector == 0 || inst.vector > kMostElements || inst.access_bytes * inst.vector > 16) return nullptr;
  if (is_cube(m.geometry) || inst.src_count != address + (store ? inst.vector : 0)) return nullptr;
  if (!store && inst.dst_count != inst.vector) return nullptr;
  inst.aux = static_cast<std::uint64_t>(m.geometry) | static_cast<std::uint64_t>(m.surface_clamp)
                                                          << kClampShift;
  return store ? &surface_store : &surface_load;
}

}  // namespace warpvp::ptx
