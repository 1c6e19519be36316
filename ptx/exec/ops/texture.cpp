// tex.1d and tex.2d (PTX ISA, texture instructions) with point filtering, through the descriptor of a
// `.texref` (ptx/texture.h).
//
// Integer coordinates name a texel, and outside the texture there are zeros. Floating-point coordinates are
// scaled by the size when they are normalised, brought inside by the addressing mode and rounded down.
// Channels that the texture lacks read as 0, 0, 1 in the places of the second, third and fourth: the ISA
// leaves them open; these are the values of OpenCL's image formats CL_R and CL_RG.

#include "ptx/texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ptx/exec/ops/common.h"
#include "ptx/exec/warp.h"

namespace warpvp::ptx {
namespace {

// Inst::aux of a texture instruction.
constexpr std::uint64_t kTwoDimensions = 1, kFloatCoordinates = 2, kFloatResult = 4;
constexpr std::int64_t kOutside = -1;

std::int64_t integer_index(std::uint32_t bits, std::uint32_t size) {
  const std::int64_t i = static_cast<std::int32_t>(bits);
  return i >= 0 && i < std::int64_t{size} ? i : kOutside;
}

/// Index of the texel at a floating-point coordinate; a NaN is taken for 0.
std::int64_t float_index(std::uint32_t bits, std::uint32_t size, bool normalised, TextureAddressing mode) {
  float coordinate;
  std::memcpy(&coordinate, &bits, 4);
  // In double precision the product of 24 and 28 bits is exact.
  double x = std::isnan(coordinate) ? 0.0 : coordinate;
  if (normalised) {
    if (mode == TextureAddressing::kWrap || mode == TextureAddressing::kMirror) {
      if (std::isinf(x)) x = 0.0;
      const double whole = std::floor(x);
      x -= whole;
      if (mode == TextureAddressing::kMirror && std::fmod(whole, 2.0) != 0.0) x = 1.0 - x;
    }
    x *= size;
  }
  x = std::floor(x);
  const double last = static_cast<double>(size) - 1.0;
  if (mode == TextureAddressing::kBorder && (x < 0.0 || x > last)) return kOutside;
  return static_cast<std::int64_t>(std::min(std::max(x, 0.0), last));
}

/// One channel as the 32 bits of a destination register.
std::uint32_t channel_bits(const std::byte* from, TexelType type, bool normalised) {
  const auto unsigned_value = [&](std::uint32_t v, std::uint32_t most) {
    if (!normalised) return v;
    const float f = static_cast<float>(v) / static_cast<float>(most);
    std::memcpy(&v, &f, 4);
    return v;
  };
  const auto signed_value = [&](std::int32_t v, std::int32_t most) {
    if (!normalised) return static_cast<std::uint32_t>(v);
    const float f = std::max(static_cast<float>(v) / static_cast<float>(most), -1.0f);
    std::uint32_t bits;
    std::memcpy(&bits, &f, 4);
    return bits;
  };
  std::uint32_t word = 0;
  std::uint16_t half = 0;
  switch (type) {
    case TexelType::f32:
    case TexelType::s32:
    case TexelType::u32:
      std::memcpy(&word, from, 4);
      return word;
    case TexelType::u16:
      std::memcpy(&half, from, 2);
      return unsigned_value(half, 0xffff);
    case TexelType::s16:
      std::memcpy(&half, from, 2);
      return signed_value(static_cast<std::int16_t>(half), 0x7fff);
    case TexelType::u8:
      return unsigned_value(std::to_integer<std::uint32_t>(*from), 0xff);
    case TexelType::s8:
      return signed_value(static_cast<std::int8_t>(std::to_integer<std::uint8_t>(*from)), 0x7f);
  }
  return word;
}

/// The descriptor behind src[0] if it can be read by this instruction; false after a fault.
bool descriptor(const Inst& inst, Warp& w, int lane, TextureDescriptor& d) {
  std::uint64_t at;
  std::memcpy(&at, w.source(inst.src[0]), 8);
  ExecEnv& env = w.cta().env();
  if (!env.find_range(at, w.cta().context()) || env.range_end - at < kTextureBytes) {
    w.fault("texture descriptor outside valid memory", lane, at, kTextureBytes);
    return false;
  }
  std::memcpy(&d, env.global->host + (at - env.global->origin), kTextureBytes);
  const char* wrong = nullptr;
  const bool known = texel_type_bytes(static_cast<TexelType>(d.type)) != 0;
  if (d.base == 0)
    wrong = "read of a texture that is not bound";
  else if (!known || (d.channels != 1 && d.channels != 2 && d.channels != 4) || d.width == 0 || d.height == 0)
    wrong = "texture descriptor overwritten";
  else if (d.dimensions != ((inst.aux & kTwoDimensions) != 0 ? 2 : 1))
    wrong = "texture bound with another number of dimensions";
  else if ((static_cast<TexelType>(d.type) == TexelType::f32 || d.normalised_values != 0) !=
           ((inst.aux & kFloatResult) != 0))
    wrong = (inst.aux & kFloatResult) != 0 ? "floating-point read of a texture that holds integers"
                                           : "integer read of a texture that holds floating-point values";
  if (wrong != nullptr) w.fault(wrong, lane);
  return wrong == nullptr;
}

void read_texture(const Inst& inst, Warp& w, LaneMask active) {
  const int first = __builtin_ctz(active);
  TextureDescriptor d;
  if (!descriptor(inst, w, first, d)) return;
  const auto type = static_cast<TexelType>(d.type);
  const bool normalised = d.normalised_values != 0;
  const unsigned bytes = texel_type_bytes(type), texel = bytes * d.channels;
  const unsigned dimensions = d.dimensions;
  const std::uint32_t size[2] = {d.width, d.height};
  const std::uint32_t* coordinates[2] = {w.source(inst.src[1]),
                                         dimensions == 2 ? w.source(inst.src[2]) : nullptr};
  const bool floats = (inst.aux & kFloatCoordinates) != 0;
  std::uint32_t one = 1;
  if ((inst.aux & kFloatResult) != 0) {
    const float f = 1.0f;
    std::memcpy(&one, &f, 4);
  }

  ExecEnv& env = w.cta().env();
  MemoryAccess& access = w.access_for_exec();
  std::uint32_t result[kMaxDst][kWarpSize];
  LaneMask inside = 0;
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    if (((active >> lane) & 1) == 0) continue;
    std::int64_t index[2] = {0, 0};
    for (unsigned k = 0; k < dimensions; ++k) {
      index[k] = floats ? float_index(coordinates[k][lane], size[k], d.normalised_coordinates != 0,
                                      static_cast<TextureAddressing>(d.addressing[k]))
                        : integer_index(coordinates[k][lane], size[k]);
    }
    for (unsigned c = 0; c < kMaxDst; ++c) result[c][lane] = c == 3 && d.channels < 4 ? one : 0;
    if (index[0] == kOutside || index[1] == kOutside) continue;
    const std::uint64_t at = d.base + static_cast<std::uint64_t>(index[1]) * d.pitch_bytes +
                             static_cast<std::uint64_t>(index[0]) * texel;
    if (at < d.base || !env.find_range(at, w.cta().context()) || env.range_end - at < texel) {
      w.fault("texture read outside valid memory", static_cast<int>(lane), at, texel);
      return;
    }
    const std::byte* from = env.global->host + (at - env.global->origin);
    for (unsigned c = 0; c < d.channels; ++c)
      result[c][lane] = channel_bits(from + c * bytes, type, normalised);
    access.address[lane] = at;
    inside |= 1u << lane;
  }
  for (unsigned c = 0; c < inst.dst_count; ++c) {
    if (inst.dst[c].kind != OperandKind::kReg) continue;
    std::uint32_t* row = w.row(inst.dst[c].index);
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      if (((active >> lane) & 1) != 0) row[lane] = result[c][lane];
    }
  }
  // Timed as a load through the read-only path, one texel a lane.
  access.space = Space::kGlobal;
  access.lanes = inside;
  access.shared_lanes = 0;
  access.bytes = static_cast<std::uint8_t>(texel);
  access.store = access.atomic = access.async = false;
  access.returns_value = true;
  access.cache_op = static_cast<std::uint8_t>(CacheOp::nc);
}

}  // namespace

ExecFn select_texture(Inst& inst, const Modifiers& m) {
  const bool known = (m.type == Type::f32 || m.type == Type::s32 || m.type == Type::u32) &&
                     (m.src_type == Type::s32 || m.src_type == Type::f32);
  if (!known || inst.dst_count != 4 || inst.src_count != 1 + m.tex_dims) return nullptr;
  inst.aux = (m.tex_dims == 2 ? kTwoDimensions : 0) | (m.src_type == Type::f32 ? kFloatCoordinates : 0) |
             (m.type == Type::f32 ? kFloatResult : 0);
  return &read_texture;
}

}  // namespace warpvp::ptx
