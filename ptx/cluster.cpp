#include "ptx/cluster.h"

#include <iterator>
#include <string>

namespace warpvp::ptx {
namespace {

// In the notation of common_forms.cpp.
const OpcodeForm kClusterForms[] = {
    {Opcode::cluster, "mapa", "space=shared::cluster type=u32|u64", "dT sA sU"},
    {Opcode::cluster, "mapa", "type=u64", "dT sT sU"},
    {Opcode::cluster, "getctarank", "space=shared::cluster type=u32|u64", "dU sA"},
    {Opcode::cluster, "getctarank", "type=u64", "dU sT"},
    {Opcode::cluster, "barrier", "cluster arrive sem=release|relaxed? aligned?", ""},
    {Opcode::cluster, "barrier", "cluster wait sem=acquire? aligned?", ""},
};

constexpr unsigned kRankAt = 24;

void map_address(const ir::Instruction& i, const Replacement& to) {
  const ir::Operand &d = i.operands[0], &address = i.operands[1], &rank = i.operands[2];
  if (i.modifiers.type == Type::u32) {
    const int offset = to.new_register(Type::u32);
    to.add("shl", {"b32"}, {register_operand(offset), rank, integer_operand(kRankAt)}, true, false);
    to.add("add", {"u32"}, {d, register_operand(offset), address}, true, true);
  } else {
    const int offset = to.new_register(Type::u64);
    to.add("mul", {"wide", "u32"},
           {register_operand(offset), rank, integer_operand(std::uint64_t{1} << kRankAt)}, true, false);
    to.add("add", {"u64"}, {d, register_operand(offset), address}, true, true);
  }
}

void rank_of(const ir::Instruction& i, const Replacement& to) {
  ir::Operand low = i.operands[1];
  if (i.modifiers.type == Type::u64) {
    low = register_operand(to.new_register(Type::u32));
    to.add("cvt", {"u32", "u64"}, {low, i.operands[1]}, true, false);
  }
  to.add("shr", {"u32"}, {i.operands[0], low, integer_operand(kRankAt)}, true, true);
}

}  // namespace

const std::vector<OpcodeForm>& cluster_forms() {
  static const std::vector<OpcodeForm> forms(std::begin(kClusterForms), std::end(kClusterForms));
  return forms;
}

void expand_cluster(const ir::Instruction& i, const Replacement& to) {
  const std::string mnemonic = i.form->mnemonic, suffixes = i.form->suffixes;
  if (mnemonic == "mapa") return map_address(i, to);
  if (mnemonic == "getctarank") return rank_of(i, to);
  // Threads arrive where they wait.
  if (suffixes.find("wait") == std::string::npos) return;
  ir::Instruction& wait = to.add("barrier", {"sync"}, {integer_operand(0)}, false, true);
  wait.modifiers.bar = BarOp::cluster;
  wait.mnemonic = i.mnemonic;
}

}  // namespace warpvp::ptx
