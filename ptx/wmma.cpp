#include "ptx/wmma.h"

#include <algorithm>
#include <map>
#include <string>

namespace warpvp::ptx {
namespace wmma {
namespace {

using ir::Operand;
using Kind = ir::Operand::Kind;

// In the notation of common_forms.cpp; x: a fragment. Names of layouts and shapes as those of mma.
#define LAYOUT "alayout=row|col "
#define LAYOUTS "alayout=row|col blayout=row|col "
#define SHAPES16 "mshape=m16n16k16|m8n32k16|m32n8k16 "
#define WHERE "space=global|shared|shared::cta? "
#define LOAD(matrix, suffixes) \
  { Opcode::wmma, "wmma", "load " matrix " sync aligned " suffixes, "dx m sU?" }
#define STORE(suffixes) \
  { Opcode::wmma, "wmma", "store d sync aligned " suffixes, "m sx sU?" }
#define PRODUCT(suffixes) \
  { Opcode::wmma, "wmma", "mma " suffixes, "dx sx sx sx" }

const OpcodeForm kForms[] = {
    LOAD("a", LAYOUT SHAPES16 WHERE "type=f16|bf16|s8|u8"),
    LOAD("a", LAYOUT "mshape=m16n16k8 " WHERE "type=tf32"),
    LOAD("a", LAYOUT "mshape=m8n8k4 " WHERE "type=f64"),
    LOAD("a", "row mshape=m8n8k32 " WHERE "type=s4|u4"),
    LOAD("a", "row mshape=m8n8k128 " WHERE "type=b1"),
    LOAD("b", LAYOUT SHAPES16 WHERE "type=f16|bf16|s8|u8"),
    LOAD("b", LAYOUT "mshape=m16n16k8 " WHERE "type=tf32"),
    LOAD("b", LAYOUT "mshape=m8n8k4 " WHERE "type=f64"),
    LOAD("b", "col mshape=m8n8k32 " WHERE "type=s4|u4"),
    LOAD("b", "col mshape=m8n8k128 " WHERE "type=b1"),
    LOAD("c", LAYOUT SHAPES16 WHERE "type=f16|f32|s32"),
    LOAD("c", LAYOUT "mshape=m16n16k8 " WHERE "type=f32"),
    LOAD("c", LAYOUT "mshape=m8n8k4 " WHERE "type=f64"),
    LOAD("c", LAYOUT "mshape=m8n8k32|m8n8k128 " WHERE "type=s32"),
    STORE(LAYOUT SHAPES16 WHERE "type=f16|f32|s32"),
    STORE(LAYOUT "mshape=m16n16k8 " WHERE "type=f32"),
    STORE(LAYOUT "mshape=m8n8k4 " WHERE "type=f64"),
    STORE(LAYOUT "mshape=m8n8k32|m8n8k128 " WHERE "type=s32"),
    PRODUCT("sync aligned " LAYOUTS SHAPES16 "type=f16|f32 mc=f16|f32"),
    PRODUCT("sync aligned " LAYOUTS SHAPES16 "type=f32 ma=bf16 mb=bf16 mc=f32"),
    PRODUCT("sync aligned " LAYOUTS "mshape=m16n16k8 type=f32 ma=tf32 mb=tf32 mc=f32"),
    // nvcc writes .rn behind the types, and so does CUTLASS; others write it before them.
    PRODUCT("sync aligned " LAYOUTS "mshape=m8n8k4 rnd=rn? type=f64 ma=f64 mb=f64 mc=f64"),
    PRODUCT("sync aligned " LAYOUTS "mshape=m8n8k4 type=f64 ma=f64 mb=f64 mc=f64 rnd=rn"),
    PRODUCT("sync aligned " LAYOUTS SHAPES16 "type=s32 ma=s8|u8 mb=s8|u8 mc=s32 satfinite?"),
    PRODUCT("sync aligned row col mshape=m8n8k32 type=s32 ma=s4|u4 mb=s4|u4 mc=s32 satfinite?"),
    PRODUCT("bitop=xor|and popc sync aligned row col mshape=m8n8k128 type=s32 ma=b1 mb=b1 mc=s32"),
};
#undef LAYOUT
#undef LAYOUTS
#undef SHAPES16
#undef WHERE
#undef LOAD
#undef STORE
#undef PRODUCT

enum class What { kLoad, kStore, kProduct };
What what_of(const ir::Instruction& i) {
  const std::string_view suffixes = i.form->suffixes;
  return suffixes[0] == 'l' ? What::kLoad : suffixes[0] == 's' ? What::kStore : What::kProduct;
}
/// That is loaded or stored.
Matrix matrix_of(const ir::Instruction& i) {
  const std::string_view suffixes = i.form->suffixes;
  switch (suffixes[suffixes.find(' ') + 1]) {
    case 'a':
      return Matrix::kA;
    case 'b':
      return Matrix::kB;
    case 'c':
      return Matrix::kC;
    default:
      return Matrix::kD;
  }
}

/// How a product of that shape is made of mma.
struct Plan {
  const char* mma;
  MatrixShape shape;        ///< of it
  unsigned products = 1;    ///< how many of them
  bool transposed = false;  ///< B is in place of A, and the other way round
  bool rows = false;  ///< with two: they share B, and have rows of A each; otherwise the other way round
};
Plan plan_of(MatrixShape shape) {
  switch (shape) {
    case MatrixShape::m16n16k16:
      return {"m16n8k16", MatrixShape::m16n8k16, 2};
    case MatrixShape::m32n8k16:
      return {"m16n8k16", MatrixShape::m16n8k16, 2, false, true};
    case MatrixShape::m8n32k16:
      return {"m16n8k16", MatrixShape::m16n8k16, 2, true, true};
    case MatrixShape::m16n16k8:
      return {"m16n8k8", MatrixShape::m16n8k8, 2};
    case MatrixShape::m8n8k4:
      return {"m8n8k4", shape};
    case MatrixShape::m8n8k32:
      return {"m8n8k32", shape};
    default:
      return {"m8n8k128", shape};
  }
}

/// What an mma has in the place of that matrix.
Matrix place_of(Matrix matrix, const Plan& plan) {
  if (!plan.transposed || matrix == Matrix::kC || matrix == Matrix::kD) return matrix;
  return matrix == Matrix::kA ? Matrix::kB : Matrix::kA;
}
/// How many such fragments of an mma the matrix has.
unsigned parts_of(Matrix place, const Plan& plan) {
  if (place == Matrix::kC || place == Matrix::kD) return plan.products;
  return (place == Matrix::kA) == plan.rows ? plan.products : 1;
}
Fragment fragment_of_mma(Matrix place, const Plan& plan, Type type) {
  Modifiers m;
  m.matrix.shape = plan.shape;
  m.type = m.matrix.a = m.matrix.b = m.matrix.c = type;
  return fragment_of(m, place);
}

constexpr unsigned kHalfRegisters = 8;  ///< of A and B of f16, in PTX

Fragment fragment(Matrix matrix, MatrixShape shape, Type type) {
  const Plan plan = plan_of(shape);
  const Matrix place = place_of(matrix, plan);
  Fragment f = fragment_of_mma(place, plan, type);
  f.registers *= parts_of(place, plan);
  const bool factor = matrix == Matrix::kA || matrix == Matrix::kB;
  if (factor && type == Type::f16) f.registers = kHalfRegisters;
  return f;
}

Type factor_type(const ir::Instruction& i, bool second) {
  const Type type = second ? i.modifiers.matrix.b : i.modifiers.matrix.a;
  return type == Type::kNone ? Type::f16 : type;
}

// ---- operands

Operand reg(int index) {
  Operand o;
  o.kind = Kind::kRegister;
  o.index = index;
  return o;
}
Operand integer(std::uint64_t value) {
  Operand o;
  o.kind = Kind::kInteger;
  o.bits = value;
  return o;
}
Operand vector(std::vector<Operand> elements) {
  Operand o;
  o.kind = Kind::kVector;
  o.elements = std::move(elements);
  return o;
}
std::vector<Operand> elements_of(const Operand& o) {
  return o.kind == Kind::kVector ? o.elements : std::vector<Operand>{o};
}
/// Registers `part` of `parts` equal parts, of those that count.
std::vector<Operand> part_of(const Operand& fragment, unsigned part, unsigned registers) {
  const std::vector<Operand> all = elements_of(fragment);
  return {all.begin() + part * registers, all.begin() + (part + 1) * registers};
}

// ---- loads and stores

/// Loads or stores of one matrix, whose element (line, k) lies at base + line * stride + k, or the other way
/// round.
class Transfer {
 public:
  Transfer(const ir::Instruction& i, const Replacement& to)
      : i_(i),
        to_(to),
        store_(what_of(i) == What::kStore),
        matrix_(matrix_of(i)),
        plan_(plan_of(i.modifiers.matrix.shape)),
        place_(place_of(matrix_, plan_)),
        type_(i.modifiers.type),
        bits_(element_bits(type_)) {}

  void run() {
    const bool factor = matrix_ == Matrix::kA || matrix_ == Matrix::kB;
    const unsigned registers = fragment_of_mma(place_, plan_, type_).registers;
    each_ = factor ? std::max(1u, 32 / bits_) : 2;
    // Lines are rows of A, columns of B, rows of C, as an mma has them: whether their elements lie side by
    // side.
    const bool by_column = i_.modifiers.matrix.a_by_column;
    along_ = matrix_ == Matrix::kA   ? !by_column
             : matrix_ == Matrix::kB ? by_column || bits_ < 8
                                     : by_column == plan_.transposed;
    const MatrixSize mma = size_of(plan_.shape);
    const unsigned lines = place_ == Matrix::kB ? 1 : mma.m / 8;  // blocks of eight
    begin();
    const std::vector<Operand> all = elements_of(i_.operands[store_ ? 1 : 0]);
    std::size_t next = 0;
    for (unsigned part = 0; part < parts_of(place_, plan_); ++part) {
      // Parts are rows or columns of the whole: the lines of their mma, but the columns of C where B is
      // halved.
      const bool beside = place_ != Matrix::kA && place_ != Matrix::kB && !plan_.rows;
      const unsigned size = place_ == Matrix::kA || (!beside && place_ != Matrix::kB) ? mma.m : mma.n;
      for (unsigned r = 0; r < registers;) {
        const unsigned block = factor || bits_ == 16 ? r : r / 2;
        const unsigned line = 8 * (block % lines) + (beside ? 0 : part * size);
        const unsigned k = block / lines * 4 * each_ + (beside ? part * size : 0);
        const unsigned count = factor || bits_ == 16 ? 1 : 2;
        const std::vector<Operand> these(all.begin() + static_cast<std::ptrdiff_t>(next),
                                         all.begin() + static_cast<std::ptrdiff_t>(next + count));
        plan_access(these, line, k);
        next += count;
        r += count;
      }
    }
    emit();
  }

 private:
  /// One load or store, of `registers`, or of a piece of the one register.
  struct Access {
    std::vector<Operand> registers;
    Operand address;
    unsigned bits;
    unsigned pieces, piece;  ///< of a register that is put together
  };

  // Lane 4g + t has lines g + 8..., and of each the elements from t * each_ on.
  void begin() {
    const int lane = word("mov", {"u32"}, {special(SpecialRegister::laneid)});
    const int g = word("shr", {"u32"}, {reg(lane), integer(2)});
    const int t = word("and", {"b32"}, {reg(lane), integer(3)});
    const int first = each_ == 1 ? t : word("mul", {"lo", "u32"}, {reg(t), integer(each_)});
    stride_ = stride();
    int linear = along_ ? word("mad", {"lo", "u32"}, {reg(g), stride_, reg(first)})
                        : word("mad", {"lo", "u32"}, {reg(first), stride_, reg(g)});
    if (bits_ < 8) {  // lines begin at whole words
      linear = word("mul", {"lo", "u32"}, {reg(linear), integer(bits_)});
      linear = word("shr", {"u32"}, {reg(linear), integer(3)});
      if (stride_.kind == Kind::kInteger) {
        stride_ = integer(stride_.bits * bits_ / 8);
      } else {
        const int scaled = word("mul", {"lo", "u32"}, {stride_, integer(bits_)});
        stride_ = reg(word("shr", {"u32"}, {reg(scaled), integer(3)}));
      }
    }
    base();
    first_ = sum(reg(linear), bytes(), reg(base_));
  }

  /// In elements.
  Operand stride() const {
    const std::size_t at = 2;
    if (i_.operands.size() > at) return i_.operands[at];
    const Whole whole = size_of_whole();
    const bool by_column = i_.modifiers.matrix.a_by_column || (matrix_ == Matrix::kB && bits_ < 8);
    switch (matrix_) {
      case Matrix::kA:
        return integer(by_column ? whole.m : whole.k);
      case Matrix::kB:
        return integer(by_column ? whole.k : whole.n);
      default:
        return integer(by_column ? whole.m : whole.n);
    }
  }
  struct Whole {
    unsigned m, n, k;
  };
  Whole size_of_whole() const {
    const MatrixSize mma = size_of(plan_.shape);
    unsigned m = mma.m, n = mma.n;
    if (plan_.products == 2) (plan_.rows ? m : n) *= 2;
    if (plan_.transposed) std::swap(m, n);
    return {m, n, mma.k};
  }

  /// The address, in a register; what is added to it stays in offset_.
  void base() {
    const Operand& address = i_.operands[store_ ? 0 : 1];
    offset_ = address.offset;
    if (address.base == Operand::Base::kRegister) {
      base_ = address.index;
      wide_ = to_.is_wide(base_);
      return;
    }
    wide_ = true;
    base_ = to_.new_register(Type::u64);
    Operand from = integer(0);
    if (address.base == Operand::Base::kVariable) {
      from = address;
      from.kind = Kind::kVariable;
      from.offset = 0;
    }
    to_.add("mov", {"u64"}, {reg(base_), from}, true, false);
  }

  unsigned bytes() const { return std::max(1u, bits_ / 8); }
  /// a * b + c, as wide as addresses are.
  int sum(const Operand& a, unsigned b, const Operand& c) {
    const int d = to_.new_register(wide_ ? Type::u64 : Type::u32);
    to_.add("mad", {wide_ ? "wide" : "lo", "u32"}, {reg(d), a, integer(b), c}, true, false);
    return d;
  }
  int word(const char* mnemonic, const std::vector<std::string_view>& suffixes,
           std::vector<Operand> sources) {
    const int d = to_.new_register(Type::u32);
    sources.insert(sources.begin(), reg(d));
    to_.add(mnemonic, suffixes, std::move(sources), true, false);
    return d;
  }
  static Operand special(SpecialRegister r) {
    Operand o;
    o.kind = Kind::kSpecial;
    o.index = static_cast<int>(r);
    return o;
  }

  /// Of element (line, k) from the lane's first one on.
  Operand address(unsigned line, unsigned k) {
    const unsigned strides = along_ ? line : k, elements = along_ ? k : line;
    std::int64_t offset = offset_ + static_cast<std::int64_t>(elements) * bits_ / 8;
    int from = first_;
    if (strides != 0 && stride_.kind == Kind::kInteger) {
      offset += static_cast<std::int64_t>(strides * stride_.bits * bytes());
    } else if (strides != 0) {
      const auto known = lines_.find(strides);
      from = known != lines_.end() ? known->second
                                   : lines_[strides] = sum(stride_, strides * bytes(), reg(first_));
    }
    Operand o;
    o.kind = Kind::kAddress;
    o.base = Operand::Base::kRegister;
    o.index = from;
    o.offset = offset;
    return o;
  }

  void plan_access(const std::vector<Operand>& registers, unsigned line, unsigned k) {
    const bool packed = bits_ < 32;
    if (along_) {
      accesses_.push_back({registers, address(line, k), packed ? 32 : bits_, 1, 0});
    } else if (packed) {
      for (unsigned piece = 0; piece < each_; ++piece)
        accesses_.push_back({registers, address(line, k + piece), bits_, each_, piece});
    } else {
      for (unsigned n = 0; n < registers.size(); ++n)
        accesses_.push_back({{registers[n]}, address(line, k + n), bits_, 1, 0});
    }
  }

  std::vector<std::string_view> suffixes(const Access& access, const char* type) const {
    std::vector<std::string_view> all;
    if (i_.space == Space::kGlobal) all.push_back("global");
    if (i_.space == Space::kShared) all.push_back("shared");
    if (access.registers.size() == 2) all.push_back("v2");
    all.push_back(type);
    return all;
  }

  // All addresses are known before the first load: a fragment may hold what they are made of.
  void emit() {
    std::vector<Operand> pieces;
    for (const Access& access : accesses_) {
      const char* const type = access.bits == 64   ? "b64"
                               : access.bits == 32 ? "b32"
                               : access.bits == 16 ? "u16"
                                                   : "u8";
      if (access.pieces == 1) {
        const Operand value = access.registers.size() == 1 ? access.registers[0] : vector(access.registers);
        if (store_)
          to_.add("st", suffixes(access, type), {access.address, value}, false, true);
        else
          to_.add("ld", suffixes(access, type), {value, access.address}, true, true);
      } else if (store_) {
        Operand value = access.registers[0];
        if (access.piece != 0)
          value = reg(word("shr", {"u32"}, {value, integer(access.piece * access.bits)}));
        to_.add("st", suffixes(access, type), {access.address, value}, false, true);
      } else {
        const int piece = to_.new_register(Type::u32);
        to_.add("ld", suffixes(access, type), {reg(piece), access.address}, true, true);
        pieces.push_back(reg(piece));
        if (pieces.size() < access.pieces) continue;
        put_together(access.registers[0], pieces);
        pieces.clear();
      }
    }
  }

  void put_together(const Operand& to, const std::vector<Operand>& pieces) {
    constexpr unsigned kBytes = 0x0040, kHalves = 0x5410;  // of each the lowest, or the lower half
    std::vector<Operand> halves = pieces;
    if (pieces.size() == 4)
      halves = {reg(word("prmt", {"b32"}, {pieces[0], pieces[1], integer(kBytes)})),
                reg(word("prmt", {"b32"}, {pieces[2], pieces[3], integer(kBytes)}))};
    to_.add("prmt", {"b32"}, {to, halves[0], halves[1], integer(kHalves)}, true, true);
  }

  const ir::Instruction& i_;
  const Replacement& to_;
  const bool store_;
  const Matrix matrix_;
  const Plan plan_;
  const Matrix place_;
  const Type type_;
  const unsigned bits_;
  unsigned each_ = 1;   // elements of a line that lie in a register, or of C in a lane's pair
  bool along_ = false;  // elements of a line lie side by side
  Operand stride_;      // of 4-bit and 1-bit elements in bytes
  int base_ = -1, first_ = -1;
  bool wide_ = true;
  std::int64_t offset_ = 0;
  std::map<unsigned, int> lines_;  // by strides from the first: address
  std::vector<Access> accesses_;
};

// ---- products

bool has_register(const std::vector<Operand>& all, const Operand& one) {
  return std::any_of(all.begin(), all.end(), [&](const Operand& o) { return o.index == one.index; });
}

void expand_product(const ir::Instruction& i, const Replacement& to) {
  const Modifiers& m = i.modifiers;
  const Plan plan = plan_of(m.matrix.shape);
  Type a = factor_type(i, false), b = factor_type(i, true);
  Operand first = i.operands[1], second = i.operands[2];
  if (plan.transposed) {
    std::swap(a, b);
    std::swap(first, second);
  }
  // Accumulators of another precision are converted.
  const Type sum = m.type == m.matrix.c ? m.type : Type::f32;
  const unsigned of_a = fragment_of_mma(Matrix::kA, plan, a).registers,
                 of_b = fragment_of_mma(Matrix::kB, plan, b).registers,
                 of_c = fragment_of_mma(Matrix::kC, plan, m.matrix.c).registers,
                 of_d = fragment_of_mma(Matrix::kD, plan, m.type).registers,
                 of_sum = fragment_of_mma(Matrix::kD, plan, sum).registers;
  std::vector<std::string_view> suffixes = {"sync", "aligned", a == Type::tf32 ? "m16n8k4" : plan.mma, "row",
                                            "col"};
  if (m.satfinite) suffixes.push_back("satfinite");
  for (const Type type : {sum, a, b, sum}) suffixes.push_back(type_name(type));
  if (a == Type::b1) {
    suffixes.push_back(m.matrix.conjunction ? "and" : "xor");
    suffixes.push_back("popc");
  }
  const auto part = [&](const Operand& o, Matrix place, unsigned p, unsigned registers) {
    return part_of(o, parts_of(place, plan) == 1 ? 0 : p, registers);
  };
  std::vector<std::pair<Operand, Operand>> moves;  // behind all products
  for (unsigned p = 0; p < plan.products; ++p) {
    std::vector<Operand> c = part(i.operands[3], Matrix::kC, p, of_c);
    const std::vector<Operand> d = part(i.operands[0], Matrix::kD, p, of_d);
    if (m.matrix.c != sum) {  // f16, two in a register
      std::vector<Operand> wide;
      for (const Operand& pair : c)
        for (unsigned half = 0; half < 2; ++half) {
          Operand from = pair;
          if (half == 1) {
            const int upper = to.new_register(Type::b32);
            to.add("shr", {"u32"}, {reg(upper), pair, integer(16)}, true, false);
            from = reg(upper);
          }
          const int narrow = to.new_register(Type::b16), value = to.new_register(Type::f32);
          to.add("cvt", {"u16", "u32"}, {reg(narrow), from}, true, false);
          to.add("cvt", {"f32", "f16"}, {reg(value), reg(narrow)}, true, false);
          wide.push_back(reg(value));
        }
      c = wide;
    }
    std::vector<Operand> result = d;
    bool read_later = m.type != sum;
    for (unsigned later = p + 1; later < plan.products && !read_later; ++later)
      for (const Operand& o : d)
        read_later |= has_register(elements_of(first), o) || has_register(elements_of(second), o) ||
                      has_register(part(i.operands[3], Matrix::kC, later, of_c), o);
    if (read_later) {
      result.clear();
      for (unsigned n = 0; n < of_sum; ++n)
        result.push_back(reg(to.new_register(sum == Type::f64 ? Type::b64 : Type::b32)));
    }
    const std::vector<Operand> left = part(first, Matrix::kA, p, of_a),
                               right = part(second, Matrix::kB, p, of_b);
    if (a == Type::tf32) {
      // A chip's products of tf32 are of half that depth here, one on top of the other; mma's are not.
      std::vector<Operand> between;
      for (unsigned n = 0; n < of_sum; ++n) between.push_back(reg(to.new_register(Type::b32)));
      to.add("mma", suffixes, {vector(between), vector({left[0], left[1]}), vector({right[0]}), vector(c)},
             true, true);
      to.add("mma", suffixes,
             {vector(result), vector({left[2], left[3]}), vector({right[1]}), vector(between)}, true, true);
    } else {
      to.add("mma", suffixes, {vector(result), vector(left), vector(right), vector(c)}, true, true);
    }
    if (m.type != sum) {
      for (unsigned n = 0; n < of_d; ++n) {
        const int pair = to.new_register(Type::b32);
        to.add("cvt", {"rn", "f16x2", "f32"}, {reg(pair), result[2 * n + 1], result[2 * n]}, true, false);
        moves.emplace_back(d[n], reg(pair));
      }
    } else if (read_later) {
      for (unsigned n = 0; n < d.size(); ++n) moves.emplace_back(d[n], result[n]);
    }
  }
  for (const auto& [d, from] : moves)
    to.add("mov", {sum == Type::f64 ? "b64" : "b32"}, {d, from}, true, true);
}

}  // namespace
}  // namespace wmma

const std::vector<OpcodeForm>& wmma_forms() {
  static const std::vector<OpcodeForm> forms(std::begin(wmma::kForms), std::end(wmma::kForms));
  return forms;
}

Fragment wmma_fragment(const ir::Instruction& i, std::size_t operand) {
  using namespace wmma;
  const Modifiers& m = i.modifiers;
  if (what_of(i) != What::kProduct) return fragment(matrix_of(i), m.matrix.shape, m.type);
  switch (static_cast<Matrix>(operand)) {
    case Matrix::kD:
      return fragment(Matrix::kD, m.matrix.shape, m.type);
    case Matrix::kA:
      return fragment(Matrix::kA, m.matrix.shape, factor_type(i, false));
    case Matrix::kB:
      return fragment(Matrix::kB, m.matrix.shape, factor_type(i, true));
    default:
      return fragment(Matrix::kC, m.matrix.shape, m.matrix.c);
  }
}

void expand_wmma(const ir::Instruction& i, const Replacement& to) {
  if (wmma::what_of(i) == wmma::What::kProduct)
    wmma::expand_product(i, to);
  else
    wmma::Transfer(i, to).run();
}

}  // namespace warpvp::ptx
