// Products of matrices (PTX ISA 9.7.14): mma. All lanes take part; those that do not execute keep their
// results.
//
// PTX leaves open in which order and how exactly products are added. Here they are added as a GH100 adds them
// (matrix_sums.h), but for m8n8k4 of f16, which later chips do not have: there four exact products are added
// to the accumulator exactly (Volta adds four at a time: Fasi et al., "Numerical behavior of NVIDIA tensor
// cores", PeerJ Computer Science 7, 2021), but for what lies more than 2^100 below the largest, and that is
// rounded: toward zero to single precision, to nearest to f16. Double precision is a chain of fused
// multiply-adds, integers are modulo 2^32 or, with .satfinite, clamped in the end.

#define WARPVP_EXEC_LEVEL baseline
#include "ptx/matrix.h"

#include <algorithm>

#include "ptx/exec/ops/common.h"
#include "ptx/exec/ops/matrix_sums.h"
#include "ptx/exec/ops/small_floats.h"

namespace warpvp::ptx {
namespace baseline {
namespace {

using F32 = SmallFloat<8, 23>;
constexpr unsigned kMostRows = 16, kMostColumns = 8;
constexpr unsigned kMostDepth = 64;  // of real numbers; at most half of it are added

// ---- sums

/// The sum of `count` numbers, rounded to odd. Of finite ones that are not all zero. What lies more than
/// 2^100 below the largest counts as something.
double exact_sum_to_odd(const double* terms, unsigned count) {
  s32 highest = -2000;
  for (unsigned i = 0; i < count; ++i) {
    const s32 exponent = static_cast<s32>(to_bits(terms[i]) >> 52 & 0x7ff);
    if (terms[i] != 0) highest = std::max(highest, exponent);
  }
  // The largest has its top bit at 2^116: room for the carries of a thousand numbers.
  __int128 sum = 0;
  bool lost = false;
  for (unsigned i = 0; i < count; ++i) {
    if (terms[i] == 0) continue;
    const u64 u = to_bits(terms[i]);
    const s32 exponent = static_cast<s32>(u >> 52 & 0x7ff), down = highest - exponent;
    const unsigned __int128 top =
        static_cast<unsigned __int128>((u & FloatBits<double>::kFraction) | u64{1} << 52) << 64;
    const unsigned __int128 term = down < 120 ? top >> down : 0;
    lost |= down >= 120 || (term << down) != top;
    sum += (u >> 63) != 0 ? -static_cast<__int128>(term) : static_cast<__int128>(term);
  }
  if (sum == 0) return 0;
  const bool negative = sum < 0;
  unsigned __int128 magnitude =
      negative ? -static_cast<unsigned __int128>(sum) : static_cast<unsigned __int128>(sum);
  // To 53 bits, the lowest set if anything is lost.
  s32 scale = highest - 1023 - 52 - 64;
  const u64 upper = static_cast<u64>(magnitude >> 64);
  const int length =
      upper != 0 ? 128 - __builtin_clzll(upper) : 64 - __builtin_clzll(static_cast<u64>(magnitude));
  if (length > 53) {
    const int drop = length - 53;
    lost |= (magnitude & ((static_cast<unsigned __int128>(1) << drop) - 1)) != 0;
    magnitude >>= drop;
    scale += drop;
  }
  const double v = __builtin_ldexp(static_cast<double>(static_cast<u64>(magnitude) | (lost ? 1 : 0)), scale);
  return negative ? -v : v;
}

/// Of an accumulator and products: rounded to odd where double precision does not hold it.
double sum_to_odd(const double* terms, unsigned count) {
  double sum = terms[0];
  bool exact = true;
  for (unsigned i = 1; i < count; ++i) {
    // Knuth's TwoSum.
    const double before = sum, b = terms[i];
    sum = before + b;
    const double bb = sum - before, error = (before - (sum - bb)) + (b - bb);
    exact &= error == 0;
  }
  if (exact || sum != sum || sum - sum != 0) return sum;
  return exact_sum_to_odd(terms, count);
}

u32 to_single(double v) {
  if (v != v) return FloatBits<float>::kNan;
  // What is too large for the exponent is infinite, whatever the direction.
  if (v >= 0x1p128 || v <= -0x1p128) return v < 0 ? 0xff800000u : 0x7f800000u;
  return F32::narrow(v, Rounding::rz);
}

// ---- fragments. Lane 4g + t has rows or columns g, and of the other index those that t says.

struct Product {
  MatrixShape shape;
  Type d, a, b, c;
  bool a_by_column, b_by_row, conjunction, clamps, sparse;
  unsigned selector;
};
u64 packed(const Modifiers& m) {
  return static_cast<u64>(m.matrix.shape) | static_cast<u64>(m.type) << 8 |
         static_cast<u64>(m.matrix.a) << 16 | static_cast<u64>(m.matrix.b) << 24 |
         static_cast<u64>(m.matrix.c) << 32 | u64{m.matrix.a_by_column} << 40 | u64{m.matrix.b_by_row} << 41 |
         u64{m.matrix.conjunction} << 42 | u64{m.satfinite} << 43 | u64{m.matrix.sparse} << 44 |
         u64{m.matrix.selector} << 45;
}
Product unpacked(u64 aux) {
  const auto byte = [&](unsigned n) { return aux >> (8 * n) & 0xff; };
  const auto bit = [&](unsigned n) { return (aux >> n & 1) != 0; };
  return {static_cast<MatrixShape>(byte(0)),
          static_cast<Type>(byte(1)),
          static_cast<Type>(byte(2)),
          static_cast<Type>(byte(3)),
          static_cast<Type>(byte(4)),
          bit(40),
          bit(41),
          bit(42),
          bit(43),
          bit(44),
          static_cast<unsigned>(aux >> 45 & 3)};
}

/// The registers of an instruction: D's, then A's, B's and C's.
class Registers {
 public:
  Registers(const Inst& inst, Warp& w) : warp_(w), next_(w.cta().program().fragments.data() + inst.table) {}
  /// The next one, a word of each lane; of double precision two.
  Row32* next() { return warp_.row(*next_++); }
  void skip(unsigned count) { next_ += count; }

 private:
  Warp& warp_;
  const std::uint16_t* next_;
};

double real_element(Type type, u32 word, unsigned k) {
  switch (type) {
    case Type::f16:
      return F16::widen(word >> (16 * k) & 0xffff);
    case Type::bf16:
      return Bf16::widen(word >> (16 * k) & 0xffff);
    case Type::e4m3x2:
      return E4m3::widen(word >> (8 * k) & 0xff);
    case Type::e5m2x2:
      return E5m2::widen(word >> (8 * k) & 0xff);
    case Type::tf32:  // the lower 13 bits do not count
      return from_bits<float>(word & 0xffffe000u);
    default:
      return from_bits<float>(word);
  }
}
s32 integer_element(Type type, u32 word, unsigned k) {
  switch (type) {
    case Type::s8:
      return static_cast<s8>(word >> (8 * k));
    case Type::u8:
      return static_cast<u8>(word >> (8 * k));
    case Type::s4:
      return static_cast<s32>(word << (28 - 4 * k)) >> 28;
    default:
      return static_cast<s32>(word >> (4 * k) & 15);
  }
}

/// Calls `f(row, depth, word, k)` for each element of A, the k-th of a register, and `f(column, depth, word,
/// k)` for those of B.
template <class F>
void for_each_of_a(const MatrixSize& size, unsigned each, Registers& registers, F&& f) {
  const unsigned rows = size.m / 8, blocks = size.k / (4 * each);
  for (unsigned r = 0; r < rows * blocks; ++r) {
    const Row32* const words = registers.next();
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned k = 0; k < each; ++k)
        f(lane / 4 + 8 * (r % rows), lane % 4 * each + k + r / rows * 4 * each, words[lane], k);
  }
}
template <class F>
void for_each_of_b(const MatrixSize& size, unsigned each, Registers& registers, F&& f) {
  for (unsigned r = 0; r < size.k / (4 * each); ++r) {
    const Row32* const words = registers.next();
    for (unsigned lane = 0; lane < kWarpSize; ++lane)
      for (unsigned k = 0; k < each; ++k) f(lane / 4, lane % 4 * each + k + r * 4 * each, words[lane], k);
  }
}
/// Row and column of element i of lane `lane` of C and D.
constexpr unsigned row_of(unsigned lane, unsigned i) { return lane / 4 + 8 * (i / 2); }
constexpr unsigned column_of(unsigned lane, unsigned i) { return lane % 4 * 2 + i % 2; }

void put(Row32* row, const Row32* values, LaneMask active) { blend(row, values, active); }

/// Which columns of A its elements are: those that the metadata of mma.sp name (PTX ISA 9.7.14.6), otherwise
/// all in order. Of elements of 8 and 4 bits a lane of the four of row g has the metadata of row g, or g + 8
/// if its number is odd, for a quarter or half of the columns; of wider ones that of both rows, g below. Four
/// bits say two places: of two elements of four, of two pairs of eight elements of 4 bits, of the halves of
/// one element of two of tf32. They are taken as they are, also those that PTX calls undefined.
class Columns {
 public:
  /// Takes the metadata, which are behind C, from `registers`. Without .sp only `depth` columns of the first
  /// row count.
  Columns(const Product& p, unsigned depth, Registers& registers) : stride_(p.sparse ? kMost : 0) {
    if (!p.sparse) {
      for (unsigned k = 0; k < depth; ++k) at_[k] = static_cast<std::uint8_t>(k);
      return;
    }
    const Row32* const metadata = registers.next();
    const unsigned bits = element_bits(p.a), each = bits == 32 ? 1 : bits == 4 ? 4 : 2;
    const bool narrow = bits < 16;
    const unsigned a_lane = narrow ? 8 : 4, lanes = depth / each / a_lane * (narrow ? 2 : 1);
    for (unsigned row = 0; row < kMostRows; ++row)
      for (unsigned k = 0; k < depth; ++k) {
        const unsigned chunk = k / each, part = chunk / a_lane, upper = row / 8;
        const unsigned lane = row % 8 * 4 + p.selector * lanes + (narrow ? 2 * part + upper : part);
        const u32 places = metadata[lane] >> (4 * (chunk % a_lane) + (narrow ? 0 : 16 * upper));
        const unsigned place = places >> (each == 4 ? k % 4 / 2 * 2 : k % each * 2) & 3;
        at_[kMost * row + k] = static_cast<std::uint8_t>(each == 1   ? 2 * chunk + place / 2
                                                         : each == 2 ? 4 * chunk + place
                                                                     : 8 * chunk + 2 * place + k % 2);
      }
  }
  const std::uint8_t* of(unsigned row) const { return at_ + stride_ * row; }

 private:
  static constexpr unsigned kMost = 64;
  unsigned stride_;
  std::uint8_t at_[kMostRows * kMost];
};

/// Single precision, or f16, of an accumulator and of D.
template <bool kHalf>
struct Accumulator {
  static constexpr int kFraction = kHalf ? 10 : 23, kLeast = kHalf ? -14 : -126;
  static double widen(u32 bits) {
    return kHalf ? F16::widen(bits) : static_cast<double>(from_bits<float>(bits));
  }
  static u32 narrow(double v) { return kHalf ? F16::narrow(v, Rounding::rn) : to_single(v); }
  /// To nearest, of two of them: what a chip without products of 8-bit floats adds with.
  static u32 add(u32 a, u32 b) {
    if (kHalf) return F16::narrow(widen(a) + widen(b), Rounding::rn);
    const float sum = from_bits<float>(a) + from_bits<float>(b);
    return sum != sum ? FloatBits<float>::kNan : to_bits(sum);
  }
};

/// A row's elements of A, in the order in which they are added, and which columns of A they are.
struct Row {
  Factors factors;
  double value[kMostDepth / 2];
  std::uint8_t at[kMostDepth / 2];
  bool finite = true;
};
struct Column {
  Factors factors;
  double value[kMostDepth];
  bool finite = true;
};

/// c + products of elements [first, first + count) of the row.
template <bool kHalf, int kFraction>
u32 added(const Row& x, const Column& y, unsigned first, unsigned count, u32 c) {
  using Sum = Accumulator<kHalf>;
  const double before = Sum::widen(c);
  if (!x.finite || !y.finite || !(before - before == 0)) {
    double v = before;
    bool finite = before - before == 0;
    for (unsigned k = first; k < first + count; ++k) {
      const double product = x.value[k] * y.value[x.at[k]];
      finite &= product - product == 0;
      v += product;
    }
    if (!finite) return Sum::narrow(v);
  }
  return Sum::narrow(sum_of_products<kFraction, Sum::kFraction>(
      x.factors, y.factors, x.at, first, count, significand<Sum::kFraction, Sum::kLeast>(before)));
}

/// Of f16, bf16, tf32, and floats of 8 bits, whose fractions have so many bits. Those of 8 bits are f16 for
/// the chip: the first two of each four elements in one product, the others in a second one on top of it, and
/// C added to that.
template <bool kHalf, int kFraction, int kLeast>
void multiply_formats(const Product& p, const Inst& inst, Warp& w, LaneMask active) {
  const MatrixSize size = size_of(p.shape);
  const unsigned depth = p.sparse ? size.k / 2 : size.k;
  const unsigned each = 32 / element_bits(p.a);
  const unsigned elements = size.m / 4, words = kHalf ? elements / 2 : elements;
  const bool eight = each == 4;
  // Where element k stands in the order of adding.
  const auto place = [&](unsigned k) { return eight ? k % 4 / 2 * (depth / 2) + k / 4 * 2 + k % 2 : k; };
  Row rows[kMostRows];
  Column columns_of_b[kMostColumns];
  const auto factor = [](Factors& to, bool& finite, unsigned k, double v) {
    finite &= v - v == 0;
    to.set(k, significand<kFraction, kLeast>(v));
  };
  Registers registers(inst, w);
  registers.skip(words);
  for_each_of_a({size.m, size.n, depth}, each, registers,
                [&](unsigned row, unsigned k, u32 word, unsigned e) {
                  const double v = real_element(p.a, word, e);
                  rows[row].value[place(k)] = v;
                  factor(rows[row].factors, rows[row].finite, place(k), v);
                });
  for_each_of_b(size, each, registers, [&](unsigned column, unsigned k, u32 word, unsigned e) {
    const double v = real_element(p.b, word, e);
    columns_of_b[column].value[k] = v;
    factor(columns_of_b[column].factors, columns_of_b[column].finite, k, v);
  });
  const Row32* c[4];
  for (unsigned i = 0; i < words; ++i) c[i] = registers.next();
  const Columns columns(p, depth, registers);
  for (unsigned row = 0; row < size.m; ++row)
    for (unsigned k = 0; k < depth; ++k) rows[row].at[place(k)] = columns.of(row)[k];
  Row32 d[4][kWarpSize] = {};
  for (unsigned lane = 0; lane < kWarpSize; ++lane) {
    for (unsigned i = 0; i < elements; ++i) {
      const Row& x = rows[row_of(lane, i)];
      const Column& y = columns_of_b[column_of(lane, i)];
      const u32 before = kHalf ? c[i / 2][lane] >> (16 * (i % 2)) & 0xffff : c[i][lane];
      u32 sum = 0;
      if (eight) {
        sum = added<kHalf, kFraction>(x, y, 0, depth / 2, 0);
        sum = added<kHalf, kFraction>(x, y, depth / 2, depth / 2, sum);
        sum = Accumulator<kHalf>::add(sum, before);
      } else {
        sum = added<kHalf, kFraction>(x, y, 0, depth, before);
      }
      if (kHalf)
        d[i / 2][lane] |= sum << (16 * (i % 2));
      else
        d[i][lane] = sum;
    }
  }
  Registers results(inst, w);
  for (unsigned i = 0; i < words; ++i) put(results.next(), d[i], active);
}
void multiply_reals(const Inst& inst, Warp& w, LaneMask active) {
  const Product p = unpacked(inst.aux);
  const bool half = p.d == Type::f16;
  if (p.a == Type::bf16) return multiply_formats<false, 7, -126>(p, inst, w, active);
  if (p.a == Type::tf32) return multiply_formats<false, 10, -126>(p, inst, w, active);
  half ? multiply_formats<true, 10, -14>(p, inst, w, active)
       : multiply_formats<false, 10, -14>(p, inst, w, active);
}

/// m8n8k4 on f16: lanes 4q to 4q + 3 and 16 above them have product q.
void multiply_four(const Inst& inst, Warp& w, LaneMask active) {
  const Product p = unpacked(inst.aux);
  const bool half_d = p.d == Type::f16, half_c = p.c == Type::f16;
  const unsigned words_d = half_d ? 4 : 8, words_c = half_c ? 4 : 8;
  Registers registers(inst, w);
  registers.skip(words_d);
  double a[4][8][4], b[4][8][4], c[4][8][8];
  const auto quarter = [](unsigned lane) { return lane % 16 / 4; };
  // A row, or column, of its own, and the other index from its registers.
  const auto own = [](unsigned lane) { return lane % 4 + (lane < 16 ? 0 : 4); };
  for (unsigned r = 0; r < 4; ++r) {
    const Row32* const row = registers.next();
    const bool of_a = r < 2;
    for (unsigned lane = 0; lane < kWarpSize; ++lane) {
      for (unsigned e = 0; e < 2; ++e) {
        const unsigned i = 2 * (r % 2) + e, other = i + (lane < 16 ? 0 : 4);
        const double v = F16::widen(row[lane] >> (16 * e) & 0xffff);
        if (of_a)
          (p.a_by_column ? a[quarter(lane)][other][lane % 4] : a[quarter(lane)][own(lane)][i]) = v;
        else
          (p.b_by_row ? b[quarter(lane)][other][lane % 4] : b[quarter(lane)][own(lane)][i]) = v;
      }
    }
  }
  // Where element i of C and D is; of single precision scattered.
  struct Place {
    unsigned row, column;
  };
  const auto place = [&](unsigned lane, unsigned i, bool half) -> Place {
    if (half) return {own(lane), i};
    return {(lane & 1) + (i & 2) + (lane < 16 ? 0 : 4), (i & 4) + (lane & 2) + (i & 1)};
  };
  const Row32* from[8];
  for (unsigned i = 0; i < words_c; ++i) from[i] = registers.next();
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      const Place at = place(lane, i, half_c);
      c[quarter(lane)][at.row][at.column] =
          half_c ? F16::widen(from[i / 2][lane] >> (16 * (i % 2)) & 0xffff) : from_bits<float>(from[i][lane]);
    }
  Row32 d[8][kWarpSize] = {};
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < 8; ++i) {
      const Place at = place(lane, i, half_d);
      const unsigned q = quarter(lane);
      double terms[5] = {c[q][at.row][at.column]};
      for (unsigned k = 0; k < 4; ++k) terms[k + 1] = a[q][at.row][k] * b[q][at.column][k];
      const double s = sum_to_odd(terms, 5);
      if (half_d)
        d[i / 2][lane] |= F16::narrow(s, Rounding::rn) << (16 * (i % 2));
      else
        d[i][lane] = to_single(s);
    }
  Registers results(inst, w);
  for (unsigned i = 0; i < words_d; ++i) put(results.next(), d[i], active);
}

void multiply_doubles(const Inst& inst, Warp& w, LaneMask active) {
  Registers registers(inst, w);
  registers.skip(2);
  const auto doubles = [&] { return reinterpret_cast<const Row64*>(registers.next()); };
  const Row64 *a = doubles(), *b = doubles(), *c[2];
  for (const Row64*& part : c) part = doubles();
  Row64 d[2][kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < 2; ++i) {
      double sum = from_bits<double>(c[i][lane]);
      for (unsigned k = 0; k < 4; ++k) {
        const double x = from_bits<double>(a[4 * row_of(lane, i) + k]),
                     y = from_bits<double>(b[4 * column_of(lane, i) + k]);
        sum = settled(fused(x, y, sum), x, y, sum);
      }
      d[i][lane] = to_bits(sum);
    }
  Registers results(inst, w);
  for (const Row64* part : {d[0], d[1]}) blend(reinterpret_cast<Row64*>(results.next()), part, active);
}

/// Of 8 and 4 bits; the products of single bits are counted.
void multiply_integers(const Inst& inst, Warp& w, LaneMask active) {
  const Product p = unpacked(inst.aux);
  const MatrixSize size = size_of(p.shape);
  const bool bits = p.a == Type::b1;
  // Bits stay 32 to a word.
  const unsigned each = bits ? 1 : 32 / element_bits(p.a), all = bits ? size.k / 32 : size.k;
  const unsigned depth = p.sparse ? all / 2 : all;
  s32 a[kMostRows][64], b[kMostColumns][128];
  Registers registers(inst, w);
  const unsigned elements = size.m / 4;
  registers.skip(elements);
  const auto element = [&](Type type, u32 word, unsigned e) {
    return bits ? static_cast<s32>(word) : integer_element(type, word, e);
  };
  for_each_of_a({size.m, size.n, depth}, each, registers,
                [&](unsigned row, unsigned k, u32 word, unsigned e) { a[row][k] = element(p.a, word, e); });
  for_each_of_b(
      {size.m, size.n, all}, each, registers,
      [&](unsigned column, unsigned k, u32 word, unsigned e) { b[column][k] = element(p.b, word, e); });
  const Row32* c[4];
  for (unsigned i = 0; i < elements; ++i) c[i] = registers.next();
  const Columns columns(p, depth, registers);
  Row32 d[4][kWarpSize];
  for (unsigned lane = 0; lane < kWarpSize; ++lane)
    for (unsigned i = 0; i < elements; ++i) {
      const s32 *x = a[row_of(lane, i)], *y = b[column_of(lane, i)];
      const std::uint8_t* const at = columns.of(row_of(lane, i));
      s64 sum = static_cast<s32>(c[i][lane]);
      for (unsigned k = 0; k < depth; ++k)
        sum += bits ? __builtin_popcount(static_cast<u32>(p.conjunction ? x[k] & y[k] : x[k] ^ y[k]))
                    : x[k] * y[at[k]];
      if (p.clamps) sum = std::clamp<s64>(sum, -(s64{1} << 31), (s64{1} << 31) - 1);
      d[i][lane] = static_cast<u32>(sum);
    }
  Registers results(inst, w);
  for (unsigned i = 0; i < elements; ++i) put(results.next(), d[i], active);
}

template <class E>
bool one_of(E v, std::initializer_list<E> of) {
  return std::find(of.begin(), of.end(), v) != of.end();
}

ExecFn select_sparse(const Modifiers& m) {
  const MatrixModifiers& x = m.matrix;
  using S = MatrixShape;
  using T = Type;
  const auto shape = [&](S small, S large) { return one_of(x.shape, {small, large}); };
  bool known = m.type == x.c && x.selector < selectors_of(m);
  switch (x.a) {
    case T::f16:
    case T::bf16:
      known &= x.b == x.a && (m.type == T::f32 || (m.type == T::f16 && x.a == T::f16)) &&
               shape(S::m16n8k16, S::m16n8k32);
      return known ? &multiply_reals : nullptr;
    case T::tf32:
      known &= x.b == T::tf32 && m.type == T::f32 && shape(S::m16n8k8, S::m16n8k16);
      return known ? &multiply_reals : nullptr;
    case T::e4m3x2:
    case T::e5m2x2:
      known &= one_of(x.b, {T::e4m3x2, T::e5m2x2}) && m.type == T::f32 && x.shape == S::m16n8k64;
      return known ? &multiply_reals : nullptr;
    case T::s8:
    case T::u8:
      known &= one_of(x.b, {T::s8, T::u8}) && m.type == T::s32 && shape(S::m16n8k32, S::m16n8k64);
      return known ? &multiply_integers : nullptr;
    case T::s4:
    case T::u4:
      known &= one_of(x.b, {T::s4, T::u4}) && m.type == T::s32 && shape(S::m16n8k64, S::m16n8k128);
      return known ? &multiply_integers : nullptr;
    default:
      return nullptr;
  }
}

ExecFn selected(Inst& inst, const Modifiers& m) {
  const MatrixModifiers& x = m.matrix;
  using S = MatrixShape;
  using T = Type;
  inst.aux = packed(m);
  if (is_four_products(m)) {
    const bool known = x.b == T::f16 && one_of(m.type, {T::f16, T::f32}) && one_of(x.c, {T::f16, T::f32});
    return known ? &multiply_four : nullptr;
  }
  if (x.a_by_column || x.b_by_row) return nullptr;
  if (x.sparse) return select_sparse(m);
  switch (x.a) {
    case T::f16:
    case T::bf16:
      if (x.b != x.a || m.type != x.c || !one_of(x.shape, {S::m16n8k8, S::m16n8k16})) return nullptr;
      return m.type == T::f32 || (m.type == T::f16 && x.a == T::f16) ? &multiply_reals : nullptr;
    case T::tf32:
      return x.b == T::tf32 && m.type == T::f32 && x.c == T::f32 && one_of(x.shape, {S::m16n8k4, S::m16n8k8})
                 ? &multiply_reals
                 : nullptr;
    case T::e4m3x2:
    case T::e5m2x2:
      return one_of(x.b, {T::e4m3x2, T::e5m2x2}) && m.type == x.c && one_of(m.type, {T::f16, T::f32}) &&
                     one_of(x.shape, {S::m16n8k16, S::m16n8k32})
                 ? &multiply_reals
                 : nullptr;
    case T::f64:
      return x.b == T::f64 && m.type == T::f64 && x.c == T::f64 && x.shape == S::m8n8k4 ? &multiply_doubles
                                                                                        : nullptr;
    default:
      break;
  }
  if (m.type != T::s32 || x.c != T::s32 || (m.satfinite && x.a == T::b1)) return nullptr;
  const bool eight = one_of(x.a, {T::s8, T::u8}) && one_of(x.b, {T::s8, T::u8}) &&
                     one_of(x.shape, {S::m8n8k16, S::m16n8k16, S::m16n8k32});
  const bool four = one_of(x.a, {T::s4, T::u4}) && one_of(x.b, {T::s4, T::u4}) &&
                    one_of(x.shape, {S::m8n8k32, S::m16n8k32, S::m16n8k64});
  const bool one = x.a == T::b1 && x.b == T::b1 && one_of(x.shape, {S::m8n8k128, S::m16n8k128, S::m16n8k256});
  return eight || four || one ? &multiply_integers : nullptr;
}

}  // namespace
}  // namespace baseline

ExecFn select_product(Inst& inst, const Modifiers& m) { return baseline::selected(inst, m); }

}  // namespace warpvp::ptx
