// Products of cuBLASLt in types of all kinds, and with factors of matrices, rows and blocks.

#include "tests/cuda/blas_lt.h"

namespace warpvp::test {
namespace {

struct Types {
  cublasComputeType_t computed_in;
  cudaDataType scale, a, b, c, d;
};
/// D = alpha A B + beta C in these types, with operands across and along.
void check_types(const Types& t, int m, int n, int k, bool list = false, bool planes = false) {
  const std::string name = "types" + words({static_cast<int>(t.a), static_cast<int>(t.b),
                                            static_cast<int>(t.c), static_cast<int>(t.d)});
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const int batches = list || planes ? 3 : 2;
      Matrix a(t.a, ta ? k : m, ta ? m : k, ta && tb ? kRows : kColumns, batches, list, planes);
      Matrix b(t.b, tb ? n : k, tb ? k : n, kColumns, batches, list, planes);
      Matrix c(t.c, m, n, kColumns, batches, list, planes),
          d(t.d, m, n, tb ? kRows : kColumns, batches, list, planes);
      const bool integers = t.a == CUDA_R_8I;
      a.fill(integers ? 20 : 2);
      b.fill(integers ? 20 : 2);
      c.fill(integers ? 100 : 2);
      Operation o(t.computed_in, t.scale);
      o.set(kTransA, std::int32_t{ta});
      o.set(kTransB, std::int32_t{tb});
      const double alpha = t.scale == CUDA_R_32I ? 3
                           : integers            ? 0.0625
                                                 : 0.5,
                   beta = t.scale == CUDA_R_32I ? -2 : -0.75;
      const Format& scale = format_of(t.scale);
      std::uint64_t factors[4] = {};
      unsigned char raw[2][16] = {};
      for (int which = 0; which < 2; ++which) {
        factors[which] = encode(scale, which ? beta : alpha);
        std::memcpy(raw[which], &factors[which], static_cast<std::size_t>(scale.bits / 8));
      }
      ok(multiply(o, raw[0], a, b, raw[1], c, d), name);
      for (int batch = 0; batch < batches; ++batch)
        for (int i = 0; i < m; ++i)
          for (int j = 0; j < n; ++j)
            for (int part = 0; part < (scale.complex ? 2 : 1); ++part) {
              double wanted =
                  alpha * sum_of(a, ta, b, tb, batch, i, j, k, part) + beta * c.at(batch, i, j, part);
              if (t.d == CUDA_R_8I) wanted = std::min(127.0, std::max(-128.0, wanted));
              const double got = d.at(batch, i, j, part),
                           lost = t.a == CUDA_R_64F || t.a == CUDA_C_64F ? 1e-12 : 1e-4;
              if (is_near(d.format(), got, wanted, lost)) continue;
              expect(false, name + words({ta, tb, batch, i, j, part}) + ": " + std::to_string(got) +
                                ", not " + std::to_string(wanted));
              return;
            }
    }
  }
}

/// Factors of whole matrices and the greatest magnitude; results in eight bits stop at the greatest number.
void check_scales(cudaDataType type, double greatest) {
  const int m = 40, n = 35, k = 20;
  Matrix a(CUDA_R_8F_E4M3, k, m), b(CUDA_R_8F_E5M2, k, n), c(CUDA_R_16BF, m, n), d(type, m, n);
  a.fill();
  b.fill();
  c.fill();
  const std::vector<float> scales = {0.5f, 4.0f, 3.0f, 64.0f};
  OnDevice<float> there(scales), most(std::vector<float>{-1.0f});
  const auto at = [&](int which) { return static_cast<const void*>(static_cast<float*>(there) + which); };
  Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  o.set(kTransA, std::int32_t{1});
  o.set(kScaleA, at(0));
  o.set(kScaleB, at(1));
  o.set(kScaleC, at(2));
  o.set(kScaleD, at(3));
  o.set(kGreatestD, static_cast<void*>(static_cast<float*>(most)));
  o.set(kFastSums, std::int8_t{1});
  const float alpha = 0.5f, beta = 0.25f;
  ok(multiply(o, &alpha, a, b, &beta, c, d), "factors");
  double found = 0;
  int stopped = 0;
  for (int i = 0; i < m; ++i)
    for (int j = 0; j < n; ++j) {
      const double v = 0.5 * 0.5 * 4 * sum_of(a, true, b, false, 0, i, j, k) + 0.25 * 3 * c.at(0, i, j);
      found = std::max(found, std::fabs(v));
      stopped += std::fabs(v * 64) > greatest;
      const double wanted = std::min(greatest, std::max(-greatest, v * 64));
      expect(is_near(d.format(), d.at(0, i, j), wanted, 1e-4), "with factors" + words({i, j}));
    }
  expect((stopped > 0) == (type == CUDA_R_8F_E4M3), "some stop at the greatest number of e4m3");
  expect(std::fabs(most.get()[0] - found) < 1e-4, "the greatest magnitude, before the factor of D");
}

/// Factors a row, a block of 128, a square of 128, and a block of 32 or 16.
void check_block_scales() {
  const int m = 140, n = 133, k = 272;
  const float alpha = 1, beta = 0;
  std::uniform_int_distribution<int> any(0, 3);
  const auto powers = [&](int count) {
    std::vector<float> made(static_cast<std::size_t>(count));
    for (float& v : made) v = std::ldexp(1.0f, any(numbers) - 2);
    return made;
  };
  const auto check = [&](const std::string& name, cudaDataType type, int mode_a, const void* at_a,
                         const Factors& of_a, int mode_b, const void* at_b, const Factors& of_b) {
    Matrix a(type, k, m), b(type, k, n), c(CUDA_R_16BF, m, n), d(CUDA_R_32F, m, n);
    a.fill(1);
    b.fill(1);
    Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    o.set(kTransA, std::int32_t{1});
    o.set(kModeA, std::int32_t{mode_a});
    o.set(kModeB, std::int32_t{mode_b});
    o.set(kScaleA, at_a);
    o.set(kScaleB, at_b);
    ok(multiply(o, &alpha, a, b, &beta, c, d), name);
    int wrong = 0;
    for (int i = 0; i < m; i += 3)
      for (int j = 0; j < n; j += 2)
        wrong +=
            !is_near(d.format(), d.at(0, i, j), sum_of(a, true, b, false, 0, i, j, k, 0, of_a, of_b), 1e-3);
    expect(wrong == 0, name + ": " + std::to_string(wrong) + " elements");
  };
  const auto rows = powers(m), columns = powers(n);
  OnDevice<float> of_rows(rows), of_columns(columns);
  check(
      "factors of rows", CUDA_R_8F_E4M3, 3, of_rows, [&](int i, int) { return item(rows, i); }, 3, of_columns,
      [&](int j, int) { return item(columns, j); });
  // Blocks of A: those of a row m apart; squares of B: four times as many along the sum as there are.
  const auto blocks = powers(3 * m), squares = powers(4 * 2);
  OnDevice<float> of_blocks(blocks), of_squares(squares);
  check(
      "factors of blocks of 128", CUDA_R_8F_E4M3, 4, of_blocks,
      [&](int i, int p) { return item(blocks, i + p / 128 * m); }, 5, of_squares,
      [&](int j, int p) { return item(squares, p / 128 + j / 128 * 4); });
  // Tiles of 128 rows by four factors: rows 32 apart lie together.
  for (const int each : {32, 16}) {
    const int along = rounded_up((k + each - 1) / each, 4), tiles = along / 4;
    std::vector<unsigned char> bytes(static_cast<std::size_t>(along * 256));
    for (unsigned char& v : bytes)
      v = static_cast<unsigned char>(each == 32 ? 126 + any(numbers)
                                                : 0x30 + 4 * any(numbers) + any(numbers));
    OnDevice<unsigned char> there(bytes);
    const Factors factor = [&](int outer, int p) {
      const int block = p / each, row = outer % 128;
      const int tile = outer / 128 * tiles + block / 4;
      const unsigned char v = item(bytes, tile * 512 + row % 32 * 16 + row / 32 * 4 + block % 4);
      return each == 32 ? std::ldexp(1.0, v - 127) : decode(format_of(CUDA_R_8F_E4M3), v);
    };
    unsigned char* const at = there;
    check("factors of blocks of " + std::to_string(each), each == 32 ? CUDA_R_8F_E4M3 : CUDA_R_4F_E2M1,
          each == 32 ? 2 : 1, at, factor, each == 32 ? 2 : 1, at, factor);
  }
}

/// Every number of eight bits there and back, and halves between them.
void check_rounding(cudaDataType type) {
  const Format& f = format_of(type);
  std::vector<double> finite;
  for (std::uint64_t bits = 0; bits < 128; ++bits) {
    const bool number = f.infinities ? bits < 0x7c : bits != 0x7f;
    if (number) finite.push_back(decode(f, bits));
  }
  const int count = static_cast<int>(finite.size());
  // A product with one: 1 x 1 times a row of numbers and of what lies halfway to the next.
  Matrix one(CUDA_R_32F, 1, 1), row(CUDA_R_32F, 1, 4 * count), narrow(type, 1, 4 * count);
  const std::vector<float> unit_value(static_cast<std::size_t>(one.rows() * 4 + 4), 1.0f);
  std::vector<float> values(static_cast<std::size_t>(4 * 4 * count + 4), 0.0f);
  std::vector<double> wanted(static_cast<std::size_t>(4 * count));
  for (int n = 0; n < count; ++n) {
    const bool last = n + 1 == count;
    const double v = item(finite, n), next = last ? v : item(finite, n + 1), half = (v + next) / 2;
    const double of_this[4] = {v, -v, half, half * (1 + 1e-6)};
    // Ties go to the number whose last bit is 0.
    const double to[4] = {v, -v, n % 2 ? next : v, last ? v : next};
    for (int q = 0; q < 4; ++q) {
      item(values, (4 * n + q) * 4) = static_cast<float>(of_this[q]);
      item(wanted, 4 * n + q) = to[q];
    }
  }
  OnDevice<float> a(unit_value), b(values);
  Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const float alpha = 1, beta = 0;
  ok(cublasLtMatmul(lt, o.words, &alpha, a, one.layout, b, row.layout, &beta, nullptr, narrow.layout,
                    narrow.place(), narrow.layout, nullptr, nullptr, 0, nullptr),
     "rounding");
  narrow.read();
  for (int n = 0; n < 4 * count; ++n)
    expect(narrow.at(0, 0, n) == item(wanted, n), "rounding " + std::to_string(item(values, n * 4)) + " to " +
                                                      std::to_string(item(wanted, n)) + ", got " +
                                                      std::to_string(narrow.at(0, 0, n)));
}

}  // namespace

void described_types() {
  ok(cublasLtCreate(&lt), "LtCreate");
  const auto f32 = CUBLAS_COMPUTE_32F;
  const auto s = CUDA_R_32F;
  const Types all[] = {
      {f32, s, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
      {CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F},
      {f32, s, CUDA_R_16F, CUDA_R_16F, s, s},
      {f32, s, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, s},
      {f32, s, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF, CUDA_R_16BF},
      {f32, s, CUDA_R_8F_E4M3, CUDA_R_8F_E4M3, CUDA_R_16BF, CUDA_R_8F_E4M3},
      {f32, s, CUDA_R_8F_E4M3, CUDA_R_8F_E5M2, CUDA_R_16F, CUDA_R_8F_E5M2},
      {f32, s, CUDA_R_8F_E5M2, CUDA_R_8F_E4M3, CUDA_R_16F, CUDA_R_16F},
      {f32, s, CUDA_R_8I, CUDA_R_8I, s, s},
      {CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_8I, CUDA_R_32I, CUDA_R_32I},
      {CUBLAS_COMPUTE_32I, s, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I, CUDA_R_8I},
      {CUBLAS_COMPUTE_64F_EMULATED_FIXEDPOINT, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F, CUDA_R_64F},
      {CUBLAS_COMPUTE_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUDA_C_64F},
      {f32, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUDA_C_32F}};
  for (const Types& types_of_it : all) check_types(types_of_it, 37, 34, 21);
  // On more SMs than one larger tiles.
  for (const Types& types_of_it : {all[0], all[5], all[11]}) check_types(types_of_it, 100, 130, 9);
  check_types(all[1], 33, 18, 17, true);
  check_types({f32, CUDA_C_32F, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F, CUDA_C_16F}, 36, 20, 19, false, true);
  check_types({f32, CUDA_C_32F, CUDA_C_16BF, CUDA_C_16BF, CUDA_C_32F, CUDA_C_32F}, 36, 20, 19);
  check_scales(CUDA_R_8F_E4M3, 448);
  check_scales(CUDA_R_8F_E5M2, 57344);
  check_block_scales();
  check_rounding(CUDA_R_8F_E4M3);
  check_rounding(CUDA_R_8F_E5M2);
  {  // More than a grid holds; the same A for all.
    constexpr int kBatches = 65600;
    Matrix a(CUDA_R_8I, 1, 1), b(CUDA_R_8I, 1, 1, kColumns, kBatches), c(s, 1, 1, kColumns, kBatches),
        d(s, 1, 1, kColumns, kBatches);
    a.fill(100);
    b.fill(100);
    const std::int32_t batches = kBatches;
    const std::int64_t none = 0;
    ok(cublasLtMatrixLayoutSetAttribute(a.layout, 5, &batches, sizeof batches), "batches");
    ok(cublasLtMatrixLayoutSetAttribute(a.layout, 6, &none, sizeof none), "no stride");
    const Operation o(f32, s);
    const float one = 1, zero = 0;
    ok(multiply(o, &one, a, b, &zero, c, d), "many");
    int wrong = 0;
    for (int batch = 0; batch < kBatches; ++batch)
      wrong += d.at(batch, 0, 0) != a.at(0, 0, 0) * b.at(batch, 0, 0);
    expect(wrong == 0, "of many " + std::to_string(wrong));
  }
  // What does not go together.
  Matrix a(CUDA_R_8F_E4M3, 8, 8), b(CUDA_R_16F, 8, 8), c(CUDA_R_16F, 8, 8);
  const Operation o(CUBLAS_COMPUTE_32F, CUDA_R_32F);
  const float one = 1;
  expect(multiply(o, &one, a, b, &one, c, c) == CUBLAS_STATUS_NOT_SUPPORTED, "types that do not go together");
  ok(cublasLtDestroy(lt), "LtDestroy");
}

}  // namespace warpvp::test
