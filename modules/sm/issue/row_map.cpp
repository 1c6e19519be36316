#include "modules/sm/issue/row_map.h"

#include <algorithm>

namespace warpvp {

OtherNames RowMap::names(unsigned warp, std::uint32_t tag, const ptx::Inst& inst, std::uint32_t row_base,
                         RowName* room) const {
  RowNames all;
  for (unsigned i = 0; i < inst.read_rows; ++i) all.reads[i] = RowName::own(row_base + inst.reads[i]);
  for (unsigned i = 0; i < inst.written_rows; ++i) all.writes[i] = RowName::own(row_base + inst.writes[i]);
  rename(warp, tag, inst, all);
  std::copy_n(all.writes, inst.written_rows, std::copy_n(all.reads, inst.read_rows, room));
  return {static_cast<std::uint16_t>((1u << inst.read_rows) - 1),
          static_cast<std::uint16_t>((1u << inst.written_rows) - 1), room};
}

}  // namespace warpvp
