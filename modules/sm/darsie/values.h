#pragma once
// What an instruction yields, to be compared with what another warp computes for it (Params::check).

#include <memory>
#include <string>

#include "modules/sm/darsie/cta_tables.h"
#include "modules/sm/frontend/front_end.h"

namespace warpvp::darsie {

/// Of the entry, which warp `warp` of its CTA has executed. nullptr where nothing is computed.
std::shared_ptr<LeaderValues> values_of(unsigned warp, const IssuedEntry& entry);

/// Where the warp whose `stream` stands behind `inst` has computed something else: "word 3 of its result is
/// 0x5, and 0x6 in its leader, warp 2". Empty: nowhere.
std::string difference(const LeaderValues* values, const ptx::Inst& inst,
                       const ptx::InstructionStream& stream);

}  // namespace warpvp::darsie
