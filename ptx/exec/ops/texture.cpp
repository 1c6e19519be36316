// tex and tld4 (PTX ISA, texture instructions), through the descriptor that a handle or a `.texref` names.
//
// Filtered values are summed in double precision, in the order of the guide's formulas, and rounded once; a
// texel of weight zero is not part of the sum, and a NaN is the one of single-precision instructions.
// Channels that the texture lacks read as 0, 0, 1 in the places of the second, third and fourth: the ISA
// leaves them open; these are the values of OpenCL's image formats CL_R and CL_RG.

#include "ptx/image/texture.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/image_access.h"
#include "ptx/exec/ops/sampling.h"

namespace warpvp::ptx {
namespace {

// Inst::aux of a texture instruction: geometry in the low bits, then these; gather's channel above.
constexpr std::uint64_t kGeometryMask = 0xf, kFloatCoordinates = 0x10, kFloatResult = 0x20, kGather = 0x40;
constexpr unsigned kChannelShift = 8;
constexpr unsigned kChannels = 4, kPredicate = 4;  // a destination behind the channels
constexpr std::uint32_t kNan = 0x7fffffff;

std::uint32_t bits_of(float f) {
  std::uint32_t bits;
  std::memcpy(&bits, &f, 4);
  return bits;
}
float real(std::uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, 4);
  return f;
}

float half_value(std::uint16_t h) {
  const unsigned exponent = h >> 10 & 31, fraction = h & 1023;
  const std::uint32_t sign = static_cast<std::uint32_t>(h & 0x8000) << 16;
  if (exponent == 31) return real(sign | 0x7f800000 | fraction << 13);
  if (exponent != 0) return real(sign | (exponent + 112) << 23 | fraction << 13);
  const float small = std::ldexp(static_cast<float>(fraction), -24);
  return sign != 0 ? -small : small;
}

/// One channel as the 32 bits of a destination register.
std::uint32_t channel_bits(const std::byte* from, TexelType type, bool normalised) {
  const auto unsigned_value = [&](std::uint32_t v, std::uint32_t most) {
    return normalised ? bits_of(static_cast<float>(v) / static_cast<float>(most)) : v;
  };
  const auto signed_value = [&](std::int32_t v, std::int32_t most) {
    if (!normalised) return static_cast<std::uint32_t>(v);
    return bits_of(std::max(static_cast<float>(v) / static_cast<float>(most), -1.0f));
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
    case TexelType::f16:
      std::memcpy(&half, from, 2);
      return bits_of(half_value(half));
    case TexelType::u8:
      return unsigned_value(std::to_integer<std::uint32_t>(*from), 0xff);
    case TexelType::s8:
      return signed_value(static_cast<std::int8_t>(std::to_integer<std::uint8_t>(*from)), 0x7f);
  }
  return word;
}

/// What a descriptor means to this instruction, kept from lane to lane.
struct Texture {
  TexelType type = TexelType::f32;
  bool normalised = false;
  unsigned channels = 0, channel_bytes = 0, texel_bytes = 0;
};

bool usable(const Inst& inst, Warp& w, unsigned lane, const ImageDescriptor& d, Texture& t) {
  const bool real_result = (inst.aux & kFloatResult) != 0;
  t.type = static_cast<TexelType>(d.type);
  t.normalised = d.normalised_values != 0;
  t.channels = d.channels;
  t.channel_bytes = texel_type_bytes(t.type);
  t.texel_bytes = t.channel_bytes * t.channels;
  const bool real_texels = t.type == TexelType::f32 || t.type == TexelType::f16 || t.normalised;
  const char* wrong = nullptr;
  if (d.geometry != (inst.aux & kGeometryMask))
    wrong = "read of a texture of another geometry";
  else if (real_texels != real_result)
    wrong = real_result ? "floating-point read of a texture that holds integers"
                        : "integer read of a texture that holds floating-point values";
  else if (!real_result && static_cast<TextureFilter>(d.filter) == TextureFilter::kLinear)
    wrong = "texture descriptor overwritten";
  if (wrong != nullptr) w.fault(wrong, static_cast<int>(lane));
  return wrong == nullptr;
}

/// The texels a warp instruction touches, for its MemoryAccess.
class TouchedTexels {
 public:
  explicit TouchedTexels(Warp& w) : rows_(w.cta().env().texels), access_(w.access_for_exec()) {
    rows_.count = 0;
  }
  void add(unsigned lane, unsigned row, std::uint64_t at, unsigned bytes) {
    while (rows_.count <= row) rows_.lanes[rows_.count++] = 0;
    rows_.lanes[row] |= 1u << lane;
    rows_.address[row][lane] = at;
    if ((lanes_ >> lane & 1) == 0) access_.address[lane] = at;
    lanes_ |= 1u << lane;
    mixed_ |= bytes_ != 0 && bytes != bytes_;
    bytes_ = std::max(bytes_, bytes);
  }
  /// Timed as a load through the read-only path.
  void report() {
    // Lanes may read textures of different texels: then the greatest counts, and where it would lie.
    if (mixed_) {
      for (unsigned row = 0; row < rows_.count; ++row) align(rows_.address[row], rows_.lanes[row]);
      align(access_.address, lanes_);
    }
    access_.space = Space::kGlobal;
    access_.lanes = lanes_;
    access_.shared_lanes = 0;
    access_.bytes = static_cast<std::uint8_t>(bytes_);
    access_.store = access_.atomic = access_.async = false;
    access_.returns_value = true;
    access_.cache_op = static_cast<std::uint8_t>(rows_.count > 1 ? CacheOp::tex : CacheOp::nc);
    access_.texels = &rows_;
  }

 private:
  void align(std::uint64_t* address, LaneMask lanes) const {
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      if ((lanes >> lane & 1) != 0) address[lane] &= ~std::uint64_t{bytes_ - 1};
  }
  TexelRows& rows_;
  MemoryAccess& access_;
  LaneMask lanes_ = 0;
  unsigned bytes_ = 0;
  bool mixed_ = false;
};

/// One read of one lane, into `out`. Texels are checked before.
void filter(const Texture& t, const Footprint& f, const std::byte* const* texel, std::uint32_t* out) {
  for (unsigned c = 0; c < t.channels; ++c) {
    const auto value = [&](unsigned k) -> std::uint32_t {
      return texel[k] != nullptr ? channel_bits(texel[k] + c * t.channel_bytes, t.type, t.normalised) : 0;
    };
    if (f.count == 1) {
      out[c] = value(0);
      continue;
    }
    double sum = 0.0;
    for (unsigned k = 0; k < f.count; ++k)
      if (f.weight[k] != 0.0) sum += f.weight[k] * double{real(value(k))};
    out[c] = std::isnan(sum) ? kNan : bits_of(static_cast<float>(sum));
  }
}

/// tld4: one channel of four texels, counter-clockwise from the lower left (y grows downwards).
void gather(const Texture& t, const std::byte* const* texel, unsigned channel, std::uint32_t missing,
            std::uint32_t* out) {
  constexpr unsigned kOrder[4] = {2, 3, 1, 0};
  for (unsigned k = 0; k < 4; ++k) {
    const std::byte* from = texel[kOrder[k]];
    if (channel >= t.channels)
      out[k] = channel == 3 ? missing : 0;
    else
      out[k] = from != nullptr ? channel_bits(from + channel * t.channel_bytes, t.type, t.normalised) : 0;
  }
}

void read_texture(const Inst& inst, Warp& w, LaneMask active) {
  const auto geometry = static_cast<Geometry>(inst.aux & kGeometryMask);
  const bool layered = has_layers(geometry), gathers = (inst.aux & kGather) != 0;
  const unsigned spatial = spatial_coordinates(geometry);
  const std::uint32_t one = (inst.aux & kFloatResult) != 0 ? bits_of(1.0f) : 1;
  const std::uint32_t* coordinate[kChannels];
  for (unsigned k = 0; k < spatial + layered; ++k) coordinate[k] = w.source(inst.src[1 + k]);

  ImageHandles handles(inst, w, kTextureMagic);
  TouchedTexels touched(w);
  Texture texture;
  std::uint32_t result[kChannels][kWarpSize];
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    bool changed;
    const ImageDescriptor* d = handles.of(lane, changed);
    if (d == nullptr || (changed && !usable(inst, w, lane, *d, texture))) return;
    TextureCoordinates at;
    at.floats = (inst.aux & kFloatCoordinates) != 0;
    if (layered) at.layer = coordinate[0][lane];
    for (unsigned k = 0; k < spatial; ++k) at.bits[k] = coordinate[k + layered][lane];

    const Footprint f = texture_footprint(*d, at, gathers);
    const std::byte* texel[Footprint::kMost];
    for (unsigned k = 0; k < f.count; ++k) {
      texel[k] = nullptr;
      if (f.address[k] == Footprint::kBorder) continue;
      if (f.address[k] < d->base || !is_allocated(w, f.address[k], texture.texel_bytes)) {
        w.fault("texture read outside valid memory", static_cast<int>(lane), f.address[k],
                texture.texel_bytes);
        return;
      }
      texel[k] = device_bytes(w, f.address[k]);
      touched.add(lane, k, f.address[k], texture.texel_bytes);
    }
    std::uint32_t out[kChannels] = {0, 0, 0, one};
    if (gathers)
      gather(texture, texel, inst.aux >> kChannelShift & 3, one, out);
    else
      filter(texture, f, texel, out);
    for (unsigned c = 0; c < kChannels; ++c) result[c][lane] = out[c];
  }
  for (unsigned c = 0; c < kChannels; ++c) {
    if (inst.dst[c].kind != OperandKind::kReg) continue;
    std::uint32_t* row = w.row(inst.dst[c].index);
    for (LaneMask rest = active; rest != 0; rest &= rest - 1)
      row[__builtin_ctz(rest)] = result[c][__builtin_ctz(rest)];
  }
  // All of a texture is resident here.
  if (inst.dst_count > kPredicate && inst.dst[kPredicate].kind == OperandKind::kPred)
    w.pred(inst.dst[kPredicate].index) |= active;
  touched.report();
}

}  // namespace

ExecFn select_texture(Inst& inst, const Modifiers& m) {
  const bool known = (m.type == Type::f32 || m.type == Type::s32 || m.type == Type::u32) &&
                     (m.src_type == Type::s32 || m.src_type == Type::f32);
  if (!known || inst.dst_count < kChannels ||
      inst.src_count != 1 + has_layers(m.geometry) + spatial_coordinates(m.geometry))
    return nullptr;
  const bool gathers = inst.opcode == Opcode::tld4;
  if (gathers && texel_dimensions(m.geometry) != 2) return nullptr;
  inst.aux = static_cast<std::uint64_t>(m.geometry) | (m.src_type == Type::f32 ? kFloatCoordinates : 0) |
             (m.type == Type::f32 ? kFloatResult : 0) | (gathers ? kGather : 0) |
             std::uint64_t{m.gather} << kChannelShift;
  return &read_texture;
}

}  // namespace warpvp::ptx
