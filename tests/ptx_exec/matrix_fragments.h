#pragma once
// Who holds which element of the matrices of mma, element by element as the PTX ISA's sections on fragments
// have it (9.7.14).

#include <functional>
#include <ostream>
#include <string>
#include <vector>

namespace warpvp::ptx::testing {

struct Place {
  unsigned row, column;
};
/// Where element `i` of lane `lane` is.
using Layout = std::function<Place(unsigned lane, unsigned i)>;

struct ProductCase {
  std::string name;  ///< suffixes behind mma.sync.aligned
  unsigned m, n, k;
  unsigned a, b, c, d;  ///< elements of a lane
  Layout of_a, of_b, of_c, of_d;
  unsigned quarters = 1;  ///< products that a warp's lanes share
};
inline void PrintTo(const ProductCase& p, std::ostream* os) { *os << p.name; }

inline unsigned group(unsigned lane) { return lane >> 2; }
inline unsigned in_group(unsigned lane) { return lane % 4; }

inline Place c_of_m16(unsigned lane, unsigned i) {
  return {i < 2 ? group(lane) : group(lane) + 8, in_group(lane) * 2 + (i & 1)};
}
inline Place c_of_m8(unsigned lane, unsigned i) { return {group(lane), in_group(lane) * 2 + (i & 1)}; }

inline std::vector<ProductCase> products_of(const std::string& types,
                                            const std::vector<ProductCase>& shapes) {
  std::vector<ProductCase> cases = shapes;
  for (ProductCase& c : cases) c.name += types;
  return cases;
}

inline const ProductCase k16816{
    "m16n8k16.row.col",
    16,
    8,
    16,
    8,
    4,
    4,
    4,
    [](unsigned l, unsigned i) -> Place {
      const bool upper = i < 2 || (i >= 4 && i < 6);
      return {upper ? group(l) : group(l) + 8, in_group(l) * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    },
    [](unsigned l, unsigned i) -> Place {
      return {in_group(l) * 2 + (i & 1) + (i < 2 ? 0 : 8), group(l)};
    },
    &c_of_m16,
    &c_of_m16};
inline const ProductCase k1688{"m16n8k8.row.col",
                               16,
                               8,
                               8,
                               4,
                               2,
                               4,
                               4,
                               [](unsigned l, unsigned i) -> Place {
                                 return {i < 2 ? group(l) : group(l) + 8, in_group(l) * 2 + (i & 1)};
                               },
                               [](unsigned l, unsigned i) -> Place {
                                 return {in_group(l) * 2 + i, group(l)};
                               },
                               &c_of_m16,
                               &c_of_m16};
inline const ProductCase k1684Tf32{"m16n8k4.row.col",
                                   16,
                                   8,
                                   4,
                                   2,
                                   1,
                                   4,
                                   4,
                                   [](unsigned l, unsigned i) -> Place {
                                     return {i == 0 ? group(l) : group(l) + 8, in_group(l)};
                                   },
                                   [](unsigned l, unsigned) -> Place {
                                     return {in_group(l), group(l)};
                                   },
                                   &c_of_m16,
                                   &c_of_m16};
inline const ProductCase k1688Tf32{
    "m16n8k8.row.col",
    16,
    8,
    8,
    4,
    2,
    4,
    4,
    [](unsigned l, unsigned i) -> Place {
      return {i == 0 || i == 2 ? group(l) : group(l) + 8, i < 2 ? in_group(l) : in_group(l) + 4};
    },
    [](unsigned l, unsigned i) -> Place {
      return {i == 0 ? in_group(l) : in_group(l) + 4, group(l)};
    },
    &c_of_m16,
    &c_of_m16};
inline const ProductCase k884F64{"m8n8k4.row.col",
                                 8,
                                 8,
                                 4,
                                 1,
                                 1,
                                 2,
                                 2,
                                 [](unsigned l, unsigned) -> Place {
                                   return {group(l), in_group(l)};
                                 },
                                 [](unsigned l, unsigned) -> Place {
                                   return {in_group(l), group(l)};
                                 },
                                 &c_of_m8,
                                 &c_of_m8};
/// Of `each` elements in a register.
inline ProductCase m8(unsigned k, unsigned each) {
  return {"m8n8k" + std::to_string(k) + ".row.col",
          8,
          8,
          k,
          each,
          each,
          2,
          2,
          [=](unsigned l, unsigned i) -> Place {
            return {group(l), in_group(l) * each + i};
          },
          [=](unsigned l, unsigned i) -> Place {
            return {in_group(l) * each + i, group(l)};
          },
          &c_of_m8,
          &c_of_m8};
}
inline ProductCase m16_short(unsigned k, unsigned each) {
  return {"m16n8k" + std::to_string(k) + ".row.col",
          16,
          8,
          k,
          2 * each,
          each,
          4,
          4,
          [=](unsigned l, unsigned i) -> Place {
            return {i < each ? group(l) : group(l) + 8, in_group(l) * each + i % each};
          },
          [=](unsigned l, unsigned i) -> Place {
            return {in_group(l) * each + i, group(l)};
          },
          &c_of_m16,
          &c_of_m16};
}
inline ProductCase m16_long(unsigned k, unsigned each) {
  return {
      "m16n8k" + std::to_string(k) + ".row.col",
      16,
      8,
      k,
      4 * each,
      2 * each,
      4,
      4,
      [=](unsigned l, unsigned i) -> Place {
        const bool upper = i < each || (i >= 2 * each && i < 3 * each);
        return {upper ? group(l) : group(l) + 8, in_group(l) * each + i % each + (i < 2 * each ? 0 : k / 2)};
      },
      [=](unsigned l, unsigned i) -> Place {
        return {in_group(l) * each + i % each + (i < each ? 0 : k / 2), group(l)};
      },
      &c_of_m16,
      &c_of_m16};
}
/// sm_70: quarter q of the warp has a product of its own.
inline ProductCase volta(bool a_row, bool b_row, bool d_half, bool c_half) {
  const auto own = [](unsigned l) { return l % 4 + (l < 16 ? 0 : 4); };
  const Layout half = [=](unsigned l, unsigned i) -> Place { return {own(l), i}; };
  const Layout single = [](unsigned l, unsigned i) -> Place {
    return {(l & 1) + (i & 2) + (l < 16 ? 0 : 4), (i & 4) + (l & 2) + (i & 1)};
  };
  return {std::string("m8n8k4.") + (a_row ? "row." : "col.") + (b_row ? "row" : "col") +
              (d_half ? ".f16" : ".f32") + ".f16.f16" + (c_half ? ".f16" : ".f32"),
          8,
          8,
          4,
          4,
          4,
          8,
          8,
          [=](unsigned l, unsigned i) -> Place {
            return a_row ? Place{own(l), i} : Place{i + (l < 16 ? 0 : 4), l % 4};
          },
          [=](unsigned l, unsigned i) -> Place {
            return b_row ? Place{l % 4, i + (l < 16 ? 0 : 4)} : Place{i, own(l)};
          },
          c_half ? half : single,
          d_half ? half : single,
          4};
}

}  // namespace warpvp::ptx::testing
