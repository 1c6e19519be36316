#include "tests/cuda/sparse_checks.h"

#include <limits>

namespace warpvp::test {
namespace {

std::mt19937 numbers(11);

float half_value(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double v = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return static_cast<float>((bits & 0x8000) != 0 ? -v : v);
}
/// Of a number that half precision has, or near it.
std::uint16_t half_bits(double v) {
  std::uint16_t best = 0;
  const std::uint16_t sign = v < 0 ? 0x8000 : 0;
  // The values of ascending codes ascend.
  std::uint16_t low = 0, high = 0x7bff;
  while (low < high) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    if (half_value(middle) < std::fabs(v)) {
      low = static_cast<std::uint16_t>(middle + 1);
    } else {
      high = middle;
    }
  }
  best = low;
  if (low > 0 &&
      std::fabs(v) - half_value(static_cast<std::uint16_t>(low - 1)) < half_value(low) - std::fabs(v))
    best = static_cast<std::uint16_t>(low - 1);
  return static_cast<std::uint16_t>(best | sign);
}

template <class T>
void append(Bytes& bytes, T value) {
  const std::size_t at = bytes.size();
  bytes.resize(at + sizeof value);
  std::memcpy(bytes.data() + at, &value, sizeof value);
}
template <class T>
T taken(const Bytes& bytes, std::size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}
double epsilon_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_16F:
      return 1.0 / 1024;
    case CUDA_R_16BF:
      return 1.0 / 128;
    case CUDA_R_32F:
    case CUDA_C_32F:
      return std::numeric_limits<float>::epsilon();
    case CUDA_R_64F:
    case CUDA_C_64F:
      return std::numeric_limits<double>::epsilon();
    default:
      return 0;
  }
}

}  // namespace

std::size_t below(std::size_t n) { return numbers() % n; }

std::size_t bytes_of(cudaDataType type) { return encoded(type, {Number(0)}).size(); }
bool is_complex(cudaDataType type) { return type == CUDA_C_32F || type == CUDA_C_64F; }
const char* name_of(cudaDataType type) {
  switch (type) {
    case CUDA_R_32F:
      return "f32";
    case CUDA_R_64F:
      return "f64";
    case CUDA_C_32F:
      return "complex f32";
    case CUDA_C_64F:
      return "complex f64";
    case CUDA_R_16F:
      return "f16";
    case CUDA_R_16BF:
      return "bf16";
    case CUDA_R_8I:
      return "s8";
    default:
      return "s32";
  }
}

Bytes encoded(cudaDataType type, const Numbers& all) {
  Bytes bytes;
  for (const Number v : all) {
    switch (type) {
      case CUDA_R_32F:
        append(bytes, static_cast<float>(v.real()));
        break;
      case CUDA_R_64F:
        append(bytes, v.real());
        break;
      case CUDA_C_32F:
        append(bytes, std::complex<float>(v));
        break;
      case CUDA_C_64F:
        append(bytes, v);
        break;
      case CUDA_R_16F:
        append(bytes, half_bits(v.real()));
        break;
      case CUDA_R_16BF: {
        const auto f = static_cast<float>(v.real());
        std::uint32_t bits = 0;
        std::memcpy(&bits, &f, 4);
        append(bytes, static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16));
        break;
      }
      case CUDA_R_8I:
        append(bytes, static_cast<std::int8_t>(v.real()));
        break;
      case CUDA_R_32I:
        append(bytes, static_cast<std::int32_t>(v.real()));
        break;
    }
  }
  return bytes;
}
Numbers decoded(cudaDataType type, const Bytes& bytes) {
  Numbers all(bytes.size() / bytes_of(type));
  for (std::size_t i = 0; i < all.size(); ++i) {
    switch (type) {
      case CUDA_R_32F:
        all[i] = taken<float>(bytes, i);
        break;
      case CUDA_R_64F:
        all[i] = taken<double>(bytes, i);
        break;
      case CUDA_C_32F:
        all[i] = Number(taken<std::complex<float>>(bytes, i));
        break;
      case CUDA_C_64F:
        all[i] = taken<Number>(bytes, i);
        break;
      case CUDA_R_16F:
        all[i] = half_value(taken<std::uint16_t>(bytes, i));
        break;
      case CUDA_R_16BF: {
        const std::uint32_t bits = static_cast<std::uint32_t>(taken<std::uint16_t>(bytes, i)) << 16;
        float f = 0;
        std::memcpy(&f, &bits, 4);
        all[i] = f;
        break;
      }
      case CUDA_R_8I:
        all[i] = taken<std::int8_t>(bytes, i);
        break;
      case CUDA_R_32I:
        all[i] = taken<std::int32_t>(bytes, i);
        break;
    }
  }
  return all;
}

Numbers random_numbers(cudaDataType type, std::size_t count) {
  Numbers all(count);
  const bool whole = type == CUDA_R_8I || type == CUDA_R_32I;
  const auto one = [&] {
    const double v = static_cast<double>(below(127)) + 1;
    const double sign = below(2) != 0 ? -1.0 : 1.0;
    return sign * (whole ? v : v / 128);
  };
  for (Number& v : all) {
    const double real = one(), imaginary = one();
    v = is_complex(type) ? Number(real, imaginary) : Number(real);
  }
  return all;
}

void compare(cudaDataType type, const Numbers& got, const Numbers& wanted, double terms,
             const std::string& what) {
  const bool is_short = type == CUDA_R_16F || type == CUDA_R_16BF;
  const double tolerance = (is_short ? 2 : 8 * (terms + 4)) * epsilon_of(type);
  expect(got.size() == wanted.size(), what + ": as many");
  for (std::size_t i = 0; i < std::min(got.size(), wanted.size()); ++i) {
    if (std::abs(got[i] - wanted[i]) <= tolerance * std::max(1.0, std::abs(wanted[i]))) continue;
    const auto text = [](Number v) {
      return std::to_string(v.real()) + " + " + std::to_string(v.imag()) + " i";
    };
    expect(false, std::string(name_of(type)) + " " + what + ": number " + std::to_string(i) + " is " +
                      text(got[i]) + ", not " + text(wanted[i]));
    return;
  }
}

// ---- matrices

int Matrix::entries() const {
  int n = 0;
  for (const bool there : has) n += there;
  return n;
}
Matrix Matrix::after(cusparseOperation_t operation) const {
  if (operation == kPlain) return *this;
  Matrix m(columns, rows);
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (has[place(i, j)])
        m.put(j, i, operation == CUSPARSE_OPERATION_TRANSPOSE ? (*this)(i, j) : std::conj((*this)(i, j)));
  return m;
}
Matrix random_matrix(cudaDataType type, int rows, int columns, unsigned one_in) {
  Matrix m(rows, columns);
  const int empty = static_cast<int>(below(static_cast<std::size_t>(rows))),
            full = static_cast<int>(below(static_cast<std::size_t>(rows)));
  for (int i = 0; i < rows; ++i)
    for (int j = 0; j < columns; ++j)
      if (i == full || (i != empty && below(one_in) == 0)) m.put(i, j, random_numbers(type, 1)[0]);
  return m;
}
Matrix dense_matrix(cudaDataType type, int rows, int columns) {
  Matrix m(rows, columns);
  m.at = random_numbers(type, m.at.size());
  m.has.assign(m.has.size(), true);
  return m;
}
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i)
    for (int k = 0; k < a.columns; ++k)
      if (a.has[a.place(i, k)])
        for (int j = 0; j < b.columns; ++j)
          if (b.has[b.place(k, j)]) c.put(i, j, c(i, j) + a(i, k) * b(k, j));
  return c;
}

const std::vector<Form> kForms = {{CUSPARSE_FORMAT_CSR, 32, 32, 0}, {CUSPARSE_FORMAT_CSR, 64, 64, 1},
                                  {CUSPARSE_FORMAT_CSR, 64, 32, 0}, {CUSPARSE_FORMAT_CSC, 32, 32, 1},
                                  {CUSPARSE_FORMAT_COO, 32, 32, 0}, {CUSPARSE_FORMAT_COO, 64, 64, 1}};
std::string text_of(const Form& form) {
  const char* const name = form.format == CUSPARSE_FORMAT_CSR   ? "CSR"
                           : form.format == CUSPARSE_FORMAT_CSC ? "CSC"
                                                                : "COO";
  return std::string(name) + " of " + std::to_string(form.first_bits) + " and " +
         std::to_string(form.second_bits) + " bits from " + std::to_string(form.base);
}

namespace {

Bytes encoded_places(const std::vector<long long>& values, int bits, int base) {
  Bytes bytes;
  for (const long long v : values) {
    if (bits == 32) {
      append(bytes, static_cast<std::int32_t>(v + base));
    } else {
      append(bytes, static_cast<std::int64_t>(v + base));
    }
  }
  return bytes;
}
cusparseIndexType_t index_type(int bits) { return bits == 32 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I; }

}  // namespace

Places::Places(const std::vector<long long>& values, int bits, int base)
    : bits_(bits), base_(base), bytes_(encoded_places(values, bits, base)) {}
std::vector<long long> Places::get() const {
  const Bytes bytes = bytes_.get();
  std::vector<long long> all(bytes.size() / static_cast<std::size_t>(bits_ / 8));
  for (std::size_t i = 0; i < all.size(); ++i)
    all[i] = (bits_ == 32 ? taken<std::int32_t>(bytes, i) : taken<std::int64_t>(bytes, i)) - base_;
  return all;
}

SparseThere::Parts SparseThere::parts_of(const Matrix& matrix, const Form& form) {
  Parts p;
  const bool by_columns = form.format == CUSPARSE_FORMAT_CSC;
  const int lines = by_columns ? matrix.columns : matrix.rows,
            across = by_columns ? matrix.rows : matrix.columns;
  for (int line = 0; line < lines; ++line) {
    if (form.format != CUSPARSE_FORMAT_COO) p.first.push_back(static_cast<long long>(p.second.size()));
    for (int k = 0; k < across; ++k) {
      const int row = by_columns ? k : line, column = by_columns ? line : k;
      if (!matrix.has[matrix.place(row, column)]) continue;
      if (form.format == CUSPARSE_FORMAT_COO) p.first.push_back(line);
      p.second.push_back(k);
      p.places.emplace_back(row, column);
      p.values.push_back(matrix(row, column));
    }
  }
  if (form.format != CUSPARSE_FORMAT_COO) p.first.push_back(static_cast<long long>(p.second.size()));
  return p;
}
SparseThere::SparseThere(const Matrix& matrix, cudaDataType type, const Form& form)
    : SparseThere(matrix, type, form, parts_of(matrix, form)) {}
SparseThere::SparseThere(const Matrix& matrix, cudaDataType type, const Form& form, Parts parts)
    : places(parts.places),
      first_(parts.first, form.first_bits, form.base),
      second_(parts.second, form.second_bits, form.base),
      values_(type, parts.values) {
  const auto base = static_cast<cusparseIndexBase_t>(form.base);
  const auto entries = static_cast<std::int64_t>(parts.values.size());
  if (form.format == CUSPARSE_FORMAT_COO) {
    ok(cusparseCreateCoo(&descr, matrix.rows, matrix.columns, entries, first_, second_, values_,
                         index_type(form.first_bits), base, type),
       "CreateCoo");
    return;
  }
  ok((form.format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(
         &descr, matrix.rows, matrix.columns, entries, first_, second_, values_, index_type(form.first_bits),
         index_type(form.second_bits), base, type),
     "CreateCsr");
}

DenseThere::DenseThere(const Matrix& matrix, cudaDataType type, cusparseOrder_t order)
    : type_(type),
      by_rows_(order == CUSPARSE_ORDER_ROW),
      leading_((by_rows_ ? matrix.columns : matrix.rows) + 1),
      lines_(by_rows_ ? matrix.rows : matrix.columns),
      values_(type, laid(matrix)) {
  ok(cusparseCreateDnMat(&descr, matrix.rows, matrix.columns, leading_, values_, type, order), "CreateDnMat");
}
Numbers DenseThere::laid(const Matrix& matrix) const {
  constexpr double kBetween = 77;
  Numbers all(static_cast<std::size_t>(leading_ * lines_), Number(kBetween));
  for (int i = 0; i < matrix.rows; ++i)
    for (int j = 0; j < matrix.columns; ++j)
      all[static_cast<std::size_t>(by_rows_ ? i * leading_ + j : j * leading_ + i)] = matrix(i, j);
  return all;
}
void DenseThere::check(const Matrix& wanted, double terms, const std::string& what) const {
  compare(type_, values_.get(), laid(wanted), terms, what);
}

}  // namespace warpvp::test
