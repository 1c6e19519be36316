// txq, suq and istypep (PTX ISA, texture and surface instructions). Channel types and orders are numbered as
// in OpenCL, as the ISA says; filters and addressing modes by their place in its lists.

#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/image_access.h"

namespace warpvp::ptx {
namespace {

std::uint32_t channel_data_type(const ImageDescriptor& d) {
  const bool normalised = d.normalised_values != 0;
  switch (static_cast<TexelType>(d.type)) {
    case TexelType::s8:
      return normalised ? 0x10d0 : 0x10d7;
    case TexelType::s16:
      return normalised ? 0x10d1 : 0x10d8;
    case TexelType::u8:
      return normalised ? 0x10d2 : 0x10da;
    case TexelType::u16:
      return normalised ? 0x10d3 : 0x10db;
    case TexelType::s32:
      return 0x10d9;
    case TexelType::u32:
      return 0x10dc;
    case TexelType::f16:
      return 0x10dd;
    case TexelType::f32:
      return 0x10de;
  }
  return 0;
}

std::uint32_t addressing(const ImageDescriptor& d, unsigned dimension) {
  // wrap, mirror, clamp_ogl, clamp_to_edge, clamp_to_border
  switch (static_cast<TextureAddressing>(d.addressing[dimension])) {
    case TextureAddressing::kWrap:
      return 0;
    case TextureAddressing::kMirror:
      return 1;
    case TextureAddressing::kClamp:
      return 3;
    case TextureAddressing::kBorder:
      return 4;
  }
  return 0;
}

std::uint32_t answer(const ImageDescriptor& d, ImageQuery query) {
  switch (query) {
    case ImageQuery::width:
      return d.width;
    case ImageQuery::height:
      return d.height;
    case ImageQuery::depth:
      return d.depth;
    case ImageQuery::channel_data_type:
      return channel_data_type(d);
    case ImageQuery::channel_order:
      return d.channels == 1 ? 0x10b0 : d.channels == 2 ? 0x10b2 : 0x10b5;
    case ImageQuery::normalized_coords:
      return d.normalised_coordinates != 0;
    case ImageQuery::force_unnormalized_coords:
      return 0;
    case ImageQuery::array_size:
      return has_layers(static_cast<Geometry>(d.geometry)) ? d.layers : 0;
    case ImageQuery::filter_mode:
      return d.filter;
    case ImageQuery::addr_mode_0:
      return addressing(d, 0);
    case ImageQuery::addr_mode_1:
      return addressing(d, 1);
    case ImageQuery::addr_mode_2:
      return addressing(d, 2);
    case ImageQuery::memory_layout:  // rows in plain order
      return 1;
    default:  // levels and samples, of textures that have none
      return 0;
  }
}

void query(const Inst& inst, Warp& w, LaneMask active) {
  ImageHandles handles(inst, w, inst.opcode == Opcode::suq ? kSurfaceMagic : kTextureMagic);
  std::uint32_t result[kWarpSize];
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    bool changed;
    const ImageDescriptor* d = handles.of(lane, changed);
    if (d == nullptr) return;
    result[lane] = answer(*d, static_cast<ImageQuery>(inst.aux));
  }
  std::uint32_t* row = w.row(inst.dst[0].index);
  for (LaneMask rest = active; rest != 0; rest &= rest - 1)
    row[__builtin_ctz(rest)] = result[__builtin_ctz(rest)];
}

void is_type(const Inst& inst, Warp& w, LaneMask active) {
  const auto asked = static_cast<ImageQuery>(inst.aux);
  LaneMask yes = 0;
  for (LaneMask rest = active; rest != 0; rest &= rest - 1) {
    const auto lane = static_cast<unsigned>(__builtin_ctz(rest));
    ImageDescriptor d;
    if (!read_descriptor(w, image_handle(inst, w, lane), d)) continue;
    const bool is = (asked == ImageQuery::texref && well_formed(d, kTextureMagic)) ||
                    (asked == ImageQuery::surfref && well_formed(d, kSurfaceMagic));
    yes |= static_cast<LaneMask>(is) << lane;
  }
  LaneMask& p = w.pred(inst.dst[0].index);
  p = (p & ~active) | yes;
}

}  // namespace

ExecFn select_image_query(Inst& inst, const Modifiers& m) {
  inst.aux = static_cast<std::uint64_t>(m.query);
  if (inst.opcode == Opcode::istypep) return inst.dst[0].kind == OperandKind::kPred ? &is_type : nullptr;
  return inst.dst[0].kind == OperandKind::kReg ? &query : nullptr;
}

}  // namespace warpvp::ptx
