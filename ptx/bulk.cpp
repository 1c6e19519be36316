#include "ptx/bulk.h"

#include <iterator>

namespace warpvp::ptx {
namespace {

// In the notation of common_forms.cpp. The cluster is the CTA alone, so that its shared memory is the CTA's.
#define COPY(suffixes, operands) \
  { Opcode::cp_bulk, "cp", suffixes, operands }
#define ARRIVES "done=mbarrier::complete_tx::bytes"
#define POLICY " policy=L2::cache_hint?"
#define WITHIN(suffixes)                                                                             \
  COPY("reduce async bulk_within=bulk space=shared::cluster from=shared::cta " ARRIVES " " suffixes, \
       "m m sU m")
#define OUT(suffixes)                                                                                  \
  COPY("reduce async bulk_out=bulk space=global from=shared::cta done=bulk_group" POLICY " " suffixes, \
       "m m sU sH?")

const OpcodeForm kBulkForms[] = {
    COPY("async bulk_in=bulk space=shared::cta|shared::cluster from=global " ARRIVES POLICY, "m m sU m sH?"),
    COPY("async bulk_within=bulk space=shared::cluster from=shared::cta " ARRIVES, "m m sU m"),
    COPY("async bulk_out=bulk space=global from=shared::cta done=bulk_group" POLICY, "m m sU sH?"),
    COPY("async bulk_ahead=bulk prefetch L2 space=global" POLICY, "m sU sH?"),
    WITHIN("atom=and|or|xor type=b32"),
    WITHIN("atom=add type=u32|s32|u64"),
    WITHIN("atom=inc|dec type=u32"),
    WITHIN("atom=min|max type=u32|s32"),
    OUT("atom=and|or|xor type=b32|b64"),
    OUT("atom=add type=u32|s32|u64|f32|f64"),
    OUT("atom=add noftz type=f16|bf16"),
    OUT("atom=inc|dec type=u32"),
    OUT("atom=min|max type=u32|s32|u64|s64|f16|bf16"),
    {Opcode::cp_async, "cp", "async bulk async=commit_group", ""},
    {Opcode::cp_async, "cp", "async bulk bulk_wait=wait_group", "n"},
    {Opcode::cp_async, "cp", "async bulk bulk_wait=wait_group bulk_wait_read=read", "n"},
};
#undef OUT
#undef WITHIN
#undef POLICY
#undef ARRIVES
#undef COPY

struct BulkRole {
  const char* name;
  AsyncOp op;
};
const BulkRole kBulkRoles[] = {
    {"bulk_in", AsyncOp::bulk_in},         {"bulk_out", AsyncOp::bulk_out},
    {"bulk_within", AsyncOp::bulk_within}, {"bulk_ahead", AsyncOp::bulk_ahead},
    {"bulk_wait", AsyncOp::bulk_wait},     {"bulk_wait_read", AsyncOp::bulk_wait_read}};

int address_register(const ir::Operand& o, const Replacement& to) {
  const int d = to.new_register(Type::u64);
  switch (o.base) {
    case ir::Operand::Base::kAbsolute:
      to.add("mov", {"u64"}, {register_operand(d), integer_operand(static_cast<std::uint64_t>(o.offset))},
             true, false);
      break;
    case ir::Operand::Base::kVariable: {
      ir::Operand variable = o;
      variable.kind = ir::Operand::Kind::kVariable;
      to.add("mov", {"u64"}, {register_operand(d), variable}, true, false);
      break;
    }
    case ir::Operand::Base::kRegister:
      if (to.is_wide(o.index)) {
        to.add("add", {"u64"},
               {register_operand(d), register_operand(o.index),
                integer_operand(static_cast<std::uint64_t>(o.offset))},
               true, false);
      } else {
        // An address has the width of its register: 32-bit ones wrap.
        const int low = to.new_register(Type::u32);
        to.add("add", {"u32"},
               {register_operand(low), register_operand(o.index),
                integer_operand(static_cast<std::uint64_t>(o.offset))},
               true, false);
        to.add("cvt", {"u64", "u32"}, {register_operand(d), register_operand(low)}, true, false);
      }
      break;
  }
  return d;
}

}  // namespace

const std::vector<OpcodeForm>& bulk_forms() {
  static const std::vector<OpcodeForm> forms(std::begin(kBulkForms), std::end(kBulkForms));
  return forms;
}

bool apply_bulk(const std::string& role, Modifiers& m) {
  for (const BulkRole& r : kBulkRoles)
    if (role == r.name) {
      m.async = r.op;
      return true;
    }
  return false;
}

Space bulk_space(const ir::Instruction& i, unsigned n) {
  if (n != 1) return n == 0 ? i.space : Space::kShared;
  return i.modifiers.async == AsyncOp::bulk_in ? Space::kGlobal : Space::kShared;
}

ir::Instruction with_addresses_in_registers(const ir::Instruction& i, const Replacement& to) {
  ir::Instruction copy = i;
  for (ir::Operand& o : copy.operands)
    if (o.kind == ir::Operand::Kind::kAddress) o = register_operand(address_register(o, to));
  return copy;
}

}  // namespace warpvp::ptx
