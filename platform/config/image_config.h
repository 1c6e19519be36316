#pragma once
// A texture or surface object as a kernel argument of a launch list: how a buffer is to be read or written as
// one.

#include <cstdint>
#include <string>
#include <vector>

#include "platform/config/config_visitor.h"

namespace warpvp {

struct ImageConfig {
  bool surface = false;  ///< not a field: which keys there are
  std::string buffer;
  std::string type = "f32";
  std::uint32_t channels = 1;
  std::vector<std::uint32_t> size;  ///< width, height, depth; as many as there are dimensions
  std::uint32_t layers = 0;         ///< 0: no array of layers
  bool cube = false;
  std::uint64_t pitch_bytes = 0, slice_pitch_bytes = 0;
  std::string filter = "point", address = "clamp", address_y, address_z;
  bool normalized = false, normalized_values = false;

  void fields(ConfigVisitor& v);
  /// What may be written, in one line.
  static std::string syntax();
};

}  // namespace warpvp
