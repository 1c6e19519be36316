#include "ptx/machine/facts.h"

#include <algorithm>

namespace warpvp::ptx::machine {
namespace {

using Kind = ir::Operand::Kind;

bool any_special(const ir::Instruction& i, bool (*wanted)(SpecialRegister)) {
  return std::any_of(i.operands.begin(), i.operands.end(), [&](const ir::Operand& o) {
    return o.kind == Kind::kSpecial && wanted(static_cast<SpecialRegister>(o.index));
  });
}

bool changes(SpecialRegister r) { return !is_constant(r); }

bool has_suffix(const ir::Instruction& i, std::string_view suffix) {
  return i.mnemonic.find(suffix) != std::string::npos;
}

bool is_space(Space s, Space generic_of) {
  return s == generic_of || s == Space::kNone || s == Space::kGeneric;
}

/// The space in which the bytes of an access lie. Parameters of a function are in its depot, which is local
/// memory: pointers reach one whose address is taken, by name or through it. Of other parameters nobody has a
/// pointer.
Space space_of(const ir::Function& f, const ir::Instruction& i, const ir::Operand& address) {
  if (i.space != Space::kParam || f.is_entry) return i.space;
  if (address.base != ir::Operand::Base::kVariable) return Space::kLocal;
  const auto takes_address = [&](const ir::Operand& o) {
    return o.kind == Kind::kVariable && !o.module_scope && o.index == address.index;
  };
  const bool taken = std::any_of(f.code.begin(), f.code.end(), [&](const ir::Instruction& other) {
    return std::any_of(other.operands.begin(), other.operands.end(), takes_address);
  });
  return taken ? Space::kLocal : Space::kParam;
}

// Spaces without a byte in common. const and param, of which nobody has a pointer to store through, are of
// their own.
bool disjoint(Space a, Space b) {
  for (const Space own : {Space::kConst, Space::kParam}) {
    if ((a == own) != (b == own)) return true;
  }
  for (const Space one : {Space::kGlobal, Space::kShared, Space::kLocal}) {
    if (is_space(a, one) && is_space(b, one)) return false;
  }
  return a != b;
}

// With one base. Offsets so large that a 32-bit base may wrap count as overlapping.
bool overlap(std::int64_t a, unsigned a_bytes, std::int64_t b, unsigned b_bytes) {
  constexpr std::int64_t kSmall = 1 << 30;
  if (a < -kSmall || a > kSmall || b < -kSmall || b > kSmall) return true;
  return a < b + static_cast<std::int64_t>(b_bytes) && b < a + static_cast<std::int64_t>(a_bytes);
}

}  // namespace

bool is_constant(SpecialRegister r) {
  if (r <= SpecialRegister::cluster_nctarank) return true;
  switch (r) {
    case SpecialRegister::laneid:
    case SpecialRegister::gridid:
    case SpecialRegister::nwarpid:
    case SpecialRegister::nsmid:
    case SpecialRegister::lanemask_eq:
    case SpecialRegister::lanemask_le:
    case SpecialRegister::lanemask_lt:
    case SpecialRegister::lanemask_ge:
    case SpecialRegister::lanemask_gt:
    case SpecialRegister::dynamic_smem_size:
    case SpecialRegister::total_smem_size:
    case SpecialRegister::aggr_smem_size:
    case SpecialRegister::reserved_smem_begin:
    case SpecialRegister::reserved_smem_end:
    case SpecialRegister::reserved_smem_cap:
    case SpecialRegister::reserved_smem_0:
    case SpecialRegister::reserved_smem_1:
      return true;
    default:
      return false;
  }
}

Order order_of(const ir::Instruction& i) {
  switch (i.opcode) {
    case Opcode::mov:
      return any_special(i, changes) ? Order::kFixed : Order::kPure;
    case Opcode::abs:
    case Opcode::add:
    case Opcode::add3:
    case Opcode::addc:
    case Opcode::and_:
    case Opcode::bfe:
    case Opcode::bfi:
    case Opcode::bfind:
    case Opcode::bmsk:
    case Opcode::brev:
    case Opcode::clz:
    case Opcode::cnot:
    case Opcode::copysign:
    case Opcode::cos:
    case Opcode::cvt:
    case Opcode::cvt_pack:
    case Opcode::cvta:
    case Opcode::div:
    case Opcode::dp2a:
    case Opcode::dp4a:
    case Opcode::ex2:
    case Opcode::fma:
    case Opcode::fns:
    case Opcode::isspacep:
    case Opcode::lea:
    case Opcode::lg2:
    case Opcode::lop3:
    case Opcode::mad:
    case Opcode::mad24:
    case Opcode::madc:
    case Opcode::max:
    case Opcode::min:
    case Opcode::mul:
    case Opcode::mul24:
    case Opcode::neg:
    case Opcode::not_:
    case Opcode::or_:
    case Opcode::popc:
    case Opcode::prmt:
    case Opcode::rcp:
    case Opcode::rem:
    case Opcode::rsqrt:
    case Opcode::sad:
    case Opcode::selp:
    case Opcode::set:
    case Opcode::setp:
    case Opcode::shf:
    case Opcode::shl:
    case Opcode::shr:
    case Opcode::sin:
    case Opcode::slct:
    case Opcode::sqrt:
    case Opcode::sub:
    case Opcode::subc:
    case Opcode::szext:
    case Opcode::tanh:
    case Opcode::testp:
    case Opcode::video:
    case Opcode::xor_:
      return Order::kPure;
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::ldmatrix:
    case Opcode::st:
    case Opcode::stmatrix:
    case Opcode::atom:
    case Opcode::red:
    case Opcode::tex:
    case Opcode::tld4:
    case Opcode::suld:
    case Opcode::sust:
      return Order::kMemory;
    case Opcode::bar:
    case Opcode::barrier:
    case Opcode::membar:
    case Opcode::fence:
    case Opcode::shfl:
    case Opcode::vote:
    case Opcode::match:
    case Opcode::redux:
    case Opcode::mma:
    case Opcode::movmatrix:
    case Opcode::elect:
    case Opcode::activemask:
    case Opcode::cp_async:
    case Opcode::prefetch:
    case Opcode::prefetchu:
      return Order::kOrdered;
    default:
      return Order::kFixed;
  }
}

bool reads_carry(const ir::Instruction& i) {
  return i.opcode == Opcode::addc || i.opcode == Opcode::subc || i.opcode == Opcode::madc;
}
bool writes_carry(const ir::Instruction& i) { return i.modifiers.cc; }

bool is_kernel_parameter(const ir::Function& f, const ir::Operand& address) {
  if (!f.is_entry || address.kind != Kind::kAddress || address.base != ir::Operand::Base::kVariable ||
      address.module_scope)
    return false;
  return std::any_of(f.params.begin(), f.params.end(),
                     [&](const ir::Formal& formal) { return formal.index == address.index; });
}

bool is_value(const ir::Function& f, const ir::Instruction& i) {
  if (reads_carry(i) || writes_carry(i)) return false;
  if (i.opcode == Opcode::ld && !i.is_volatile && i.operands.size() == 2)
    return is_kernel_parameter(f, i.operands[1]);
  return order_of(i) == Order::kPure;
}

MemoryUse memory_use(const ir::Function& f, const ir::Instruction& i) {
  MemoryUse use;
  use.space = i.space;
  switch (i.opcode) {
    case Opcode::ld:
    case Opcode::ldu:
    case Opcode::st: {
      const ir::Operand& address = i.operands[i.opcode == Opcode::st ? 0 : 1];
      use.address = &address;
      use.space = space_of(f, i, address);
      use.bytes = type_bytes(i.modifiers.type) * i.vector;
      use.writes = i.opcode == Opcode::st;
      use.ordered = i.is_volatile;
      use.read_only = !use.writes &&
                      (i.space == Space::kConst || i.cache == CacheOp::nc || is_kernel_parameter(f, address));
      break;
    }
    case Opcode::atom:
    case Opcode::red:
      use.address = &i.operands[i.dst_count];
      use.bytes = type_bytes(i.modifiers.type) * i.vector;
      use.writes = true;
      use.ordered = has_suffix(i, ".acquire") || has_suffix(i, ".release") || has_suffix(i, ".acq_rel");
      break;
    case Opcode::tex:
    case Opcode::tld4:
      use.space = Space::kGlobal;  // its descriptor and its texels
      break;
    default:  // surfaces
      use.space = Space::kGlobal;
      use.writes = i.opcode == Opcode::sust;
      break;
  }
  return use;
}

bool must_stay_in_order(const ir::Module& m, const ir::Function& f, const MemoryUse& a, const MemoryUse& b) {
  if (a.ordered || b.ordered) return !a.read_only && !b.read_only;
  if (!a.writes && !b.writes) return false;
  if (a.read_only || b.read_only || disjoint(a.space, b.space)) return false;
  if (!a.address || !b.address) return true;
  const ir::Operand &x = *a.address, &y = *b.address;
  if (x.base != y.base) return true;
  switch (x.base) {
    case ir::Operand::Base::kAbsolute:
      return overlap(x.offset, a.bytes, y.offset, b.bytes);
    case ir::Operand::Base::kRegister:
      return x.index != y.index || a.space != b.space || overlap(x.offset, a.bytes, y.offset, b.bytes);
    case ir::Operand::Base::kVariable:
      break;
  }
  if (x.index == y.index && x.module_scope == y.module_scope)
    return overlap(x.offset, a.bytes, y.offset, b.bytes);
  // Different variables share no byte, unless an offset leaves its variable or dynamic arrays lie on each
  // other.
  const auto inside = [&](const ir::Operand& o, unsigned bytes) {
    const auto index = static_cast<std::size_t>(o.index);
    const ir::Variable& v = o.module_scope ? m.variables[index] : f.variables[index];
    // Parameters of functions and calls lie in frames on top of each other.
    if (v.linkage == ir::Linkage::kExtern || v.space == Space::kParam) return false;
    return o.offset >= 0 && static_cast<std::uint64_t>(o.offset) + bytes <= v.bytes;
  };
  return !inside(x, a.bytes) || !inside(y, b.bytes);
}

}  // namespace warpvp::ptx::machine
