// Names and types of special registers (PTX ISA chapter 10).

#include <fmt/format.h>

#include <array>

#include "ptx/opcode_table.h"

namespace warpvp::ptx {
namespace {

constexpr auto kCount = static_cast<std::size_t>(SpecialRegister::kCount);

// Registers of four components each, in the order of SpecialRegister.
constexpr const char* kVectors[] = {"%tid",       "%ntid",       "%ctaid",         "%nctaid",
                                    "%clusterid", "%nclusterid", "%cluster_ctaid", "%cluster_nctaid"};
constexpr const char* kScalars[] = {"%cluster_ctarank",
                                    "%cluster_nctarank",
                                    "%laneid",
                                    "%warpid",
                                    "%nwarpid",
                                    "%smid",
                                    "%nsmid",
                                    "%gridid",
                                    "%lanemask_eq",
                                    "%lanemask_le",
                                    "%lanemask_lt",
                                    "%lanemask_ge",
                                    "%lanemask_gt",
                                    "%clock",
                                    "%clock_hi",
                                    "%clock64",
                                    "%globaltimer",
                                    "%globaltimer_lo",
                                    "%globaltimer_hi",
                                    "%dynamic_smem_size",
                                    "%total_smem_size",
                                    "%aggr_smem_size",
                                    "%reserved_smem_offset_begin",
                                    "%reserved_smem_offset_end",
                                    "%reserved_smem_offset_cap",
                                    "%reserved_smem_offset_0",
                                    "%reserved_smem_offset_1",
                                    "%current_graph_exec"};
static_assert(1 + 4 * std::size(kVectors) == static_cast<std::size_t>(SpecialRegister::cluster_ctarank));
static_assert(1 + 4 * std::size(kVectors) + std::size(kScalars) ==
              static_cast<std::size_t>(SpecialRegister::envreg0));

std::array<std::string, kCount> make_names() {
  std::array<std::string, kCount> names;
  std::size_t at = 0;
  names[at++] = "%none";
  for (const char* vector : kVectors) {
    for (const char component : {'x', 'y', 'z', 'w'}) names[at++] = fmt::format("{}.{}", vector, component);
  }
  for (const char* scalar : kScalars) names[at++] = scalar;
  for (unsigned i = 0; i < 32; ++i) names[at++] = fmt::format("%envreg{}", i);
  for (unsigned i = 0; i < 8; ++i) names[at++] = fmt::format("%pm{}", i);
  for (unsigned i = 0; i < 8; ++i) names[at++] = fmt::format("%pm{}_64", i);
  return names;
}

const std::array<std::string, kCount>& names() {
  static const std::array<std::string, kCount> instance = make_names();
  return instance;
}

}  // namespace

SpecialRegister special_register(std::string_view name) {
  if (name.empty() || name[0] != '%') return SpecialRegister::kNone;
  for (std::size_t i = 1; i < kCount; ++i) {
    if (names()[i] == name) return static_cast<SpecialRegister>(i);
  }
  return SpecialRegister::kNone;
}

SpecialRegister special_vector(std::string_view name) {
  for (std::size_t i = 0; i < std::size(kVectors); ++i) {
    if (name == kVectors[i]) return static_cast<SpecialRegister>(1 + 4 * i);
  }
  return SpecialRegister::kNone;
}

const std::string& special_register_name(SpecialRegister r) { return names()[static_cast<std::size_t>(r)]; }

Type special_register_type(SpecialRegister r) {
  switch (r) {
    case SpecialRegister::clock64:
    case SpecialRegister::globaltimer:
    case SpecialRegister::gridid:
    case SpecialRegister::current_graph_exec:
      return Type::u64;
    default:
      return r >= SpecialRegister::pm0_64 ? Type::u64 : Type::u32;
  }
}

}  // namespace warpvp::ptx
