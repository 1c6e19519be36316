#include "platform/config/image_config.h"

#include <fmt/format.h>

namespace warpvp {

void ImageConfig::fields(ConfigVisitor& v) {
  v.field("buffer", buffer, "Buffer that holds the texels.");
  v.field("type", type, "Type of a channel.",
          Constraint::words({"f32", "f16", "s32", "u32", "s16", "u16", "s8", "u8"}));
  v.field("channels", channels, "", "Channels of a texel: 1, 2 or 4.", Constraint::pow2(1, 4));
  v.field("size", size, "texels", "Width, height and depth.", Constraint::at_least(1));
  v.field("layers", layers, "", "Layers of an array (of cubes, with `cube`); 0: no array.");
  v.field("cube", cube, "Six square faces.");
  v.field("pitch_bytes", pitch_bytes, "bytes", "From row to row; 0: without gaps.");
  v.field("slice_pitch_bytes", slice_pitch_bytes, "bytes",
          "From slice, layer or face to the next; 0: without gaps.");
  v.require(size.size() >= 1 && size.size() <= 3, "size",
            fmt::format("{} sizes; allowed: 1 to 3 (width, height, depth)", size.size()));
  v.require(!cube || size.size() == 2, "cube", "a cube has faces of two sizes");
  v.require(layers == 0 || size.size() < 3, "layers", "images of three dimensions have no layers");
  if (surface) return;
  v.field("filter", filter, "How texels are combined.", Constraint::words({"point", "linear"}));
  const std::vector<std::string> modes = {"clamp", "border", "wrap", "mirror"};
  v.field("address", address, "What lies outside, in all dimensions.", Constraint::words(modes));
  std::vector<std::string> or_same = modes;
  or_same.emplace_back("");
  v.field("address_y", address_y, "The same for y alone.", Constraint::words(or_same));
  v.field("address_z", address_z, "The same for z alone.", Constraint::words(or_same));
  v.field("normalized", normalized, "Coordinates from 0 to 1 instead of texels.");
  v.field("normalized_values", normalized_values, "Integers read as numbers from 0, or -1, to 1.");
}

std::string ImageConfig::syntax() {
  return "{texture: {buffer: NAME, type, channels, size: [w, h, d], layers, cube, pitch_bytes, "
         "slice_pitch_bytes, filter: point|linear, address: clamp|border|wrap|mirror, address_y, address_z, "
         "normalized, normalized_values}} or {surface: {the first eight of them}}";
}

}  // namespace warpvp
