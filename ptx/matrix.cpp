#include "ptx/matrix.h"

#include "ptx/wmma.h"

namespace warpvp::ptx {
namespace {

// In the notation of common_forms.cpp; x: a fragment.
#define MMA(shapes, suffixes) \
  { Opcode::mma, "mma", "sync aligned mshape=" shapes " row col " suffixes, "dx sx sx sx" }
// As compilers and libraries write them, .satfinite may stand last.
#define SPARSE(shapes, suffixes)                                                                           \
  {                                                                                                        \
    Opcode::mma, "mma", "sparse=sp|sp::ordered_metadata sync aligned mshape=" shapes " row col " suffixes, \
        "dx sx sx sx sx n"                                                                                 \
  }
#define MATRICES "sync aligned m8n8 mcount=x1|x2|x4 trans? space=shared|shared::cta? type=b16"

const OpcodeForm kMatrixForms[] = {
    {Opcode::ldmatrix, "ldmatrix", MATRICES, "dx m"},
    {Opcode::stmatrix, "stmatrix", MATRICES, "m sx"},
    {Opcode::movmatrix, "movmatrix", "sync aligned m8n8 trans type=b16", "dU sU"},
    {Opcode::mma, "mma",
     "sync aligned mshape=m8n8k4 alayout=row|col blayout=row|col type=f16|f32 ma=f16 mb=f16 mc=f16|f32",
     "dx sx sx sx"},
    MMA("m16n8k8|m16n8k16", "type=f16 ma=f16 mb=f16 mc=f16"),
    MMA("m16n8k8|m16n8k16", "type=f32 ma=f16 mb=f16 mc=f32"),
    MMA("m16n8k8|m16n8k16", "type=f32 ma=bf16 mb=bf16 mc=f32"),
    MMA("m16n8k4|m16n8k8", "type=f32 ma=tf32 mb=tf32 mc=f32"),
    MMA("m16n8k16|m16n8k32", "type=f32 ma=e4m3|e5m2 mb=e4m3|e5m2 mc=f32"),
    MMA("m16n8k16|m16n8k32", "type=f16 ma=e4m3|e5m2 mb=e4m3|e5m2 mc=f16"),
    MMA("m8n8k4|m16n8k4|m16n8k8|m16n8k16", "rnd=rn? type=f64 ma=f64 mb=f64 mc=f64"),
    MMA("m8n8k4|m16n8k4|m16n8k8|m16n8k16", "type=f64 ma=f64 mb=f64 mc=f64 rnd=rn"),
    MMA("m8n8k16|m16n8k16|m16n8k32", "satfinite? type=s32 ma=s8|u8 mb=s8|u8 mc=s32"),
    MMA("m8n8k32|m16n8k32|m16n8k64", "satfinite? type=s32 ma=s4|u4 mb=s4|u4 mc=s32"),
    MMA("m8n8k128|m16n8k128|m16n8k256", "type=s32 ma=b1 mb=b1 mc=s32 bitop=xor|and popc"),
    SPARSE("m16n8k16|m16n8k32", "type=f16 ma=f16 mb=f16 mc=f16"),
    SPARSE("m16n8k16|m16n8k32", "type=f32 ma=f16 mb=f16 mc=f32"),
    SPARSE("m16n8k16|m16n8k32", "type=f32 ma=bf16 mb=bf16 mc=f32"),
    SPARSE("m16n8k8|m16n8k16", "type=f32 ma=tf32 mb=tf32 mc=f32"),
    SPARSE("m16n8k64", "type=f32 ma=e4m3|e5m2 mb=e4m3|e5m2 mc=f32"),
    SPARSE("m16n8k32|m16n8k64", "satfinite? type=s32 ma=s8|u8 mb=s8|u8 mc=s32"),
    SPARSE("m16n8k32|m16n8k64", "type=s32 ma=s8|u8 mb=s8|u8 mc=s32 satfinite"),
    SPARSE("m16n8k64|m16n8k128", "satfinite? type=s32 ma=s4|u4 mb=s4|u4 mc=s32"),
    SPARSE("m16n8k64|m16n8k128", "type=s32 ma=s4|u4 mb=s4|u4 mc=s32 satfinite"),
};
#undef SPARSE
#undef MMA
#undef MATRICES

struct NamedShape {
  const char* name;
  MatrixShape shape;
  MatrixSize size;
};
#define SHAPE(rows, columns, depth)                                                                         \
  {                                                                                                         \
    "m" #rows "n" #columns "k" #depth, MatrixShape::m##rows##n##columns##k##depth, { rows, columns, depth } \
  }
const NamedShape kShapes[] = {SHAPE(8, 8, 4),   SHAPE(8, 8, 16),   SHAPE(8, 8, 32),   SHAPE(8, 8, 128),
                              SHAPE(16, 8, 4),  SHAPE(16, 8, 8),   SHAPE(16, 8, 16),  SHAPE(16, 8, 32),
                              SHAPE(16, 8, 64), SHAPE(16, 8, 128), SHAPE(16, 8, 256), SHAPE(16, 16, 16),
                              SHAPE(8, 32, 16), SHAPE(32, 8, 16),  SHAPE(16, 16, 8)};
#undef SHAPE

}  // namespace

const std::vector<OpcodeForm>& matrix_forms() {
  static const std::vector<OpcodeForm> forms(std::begin(kMatrixForms), std::end(kMatrixForms));
  return forms;
}

namespace {
/// Of matrices there are 8-bit floats in fours, of which Type has pairs.
Type element_type(const std::string& name) {
  return name == "e4m3" ? Type::e4m3x2 : name == "e5m2" ? Type::e5m2x2 : type_of(name);
}
}  // namespace

bool apply_matrix(const std::string& role, const std::string& name, Modifiers& m) {
  MatrixModifiers& matrix = m.matrix;
  if (role == "mshape") {
    for (const NamedShape& s : kShapes)
      if (name == s.name) matrix.shape = s.shape;
  } else if (role == "alayout") {
    matrix.a_by_column = name == "col";
  } else if (role == "blayout") {
    matrix.b_by_row = name == "row";
  } else if (role == "ma") {
    matrix.a = element_type(name);
  } else if (role == "mb") {
    matrix.b = element_type(name);
  } else if (role == "mc") {
    matrix.c = type_of(name);
  } else if (role == "bitop") {
    matrix.conjunction = name == "and";
  } else if (role == "mcount") {
    matrix.count = static_cast<std::uint8_t>(name[1] - '0');
  } else if (role == "trans") {
    matrix.transposed = true;
  } else if (role == "sparse") {
    matrix.sparse = true;
  } else {
    return false;
  }
  return true;
}

MatrixSize size_of(MatrixShape shape) {
  for (const NamedShape& s : kShapes)
    if (s.shape == shape) return s.size;
  return {0, 0, 0};
}

unsigned element_bits(Type t) {
  switch (t) {
    case Type::b1:
      return 1;
    case Type::u4:
    case Type::s4:
      return 4;
    case Type::e4m3x2:
    case Type::e5m2x2:
      return 8;
    default:
      return 8 * type_bytes(t);
  }
}

unsigned selectors_of(const Modifiers& m) {
  // Bits of metadata of a row, 16 for every 256 of its elements, are in words of 32: of two rows below each
  // other, or, of narrow elements, of one.
  const unsigned bits = element_bits(m.matrix.a), units = size_of(m.matrix.shape).k * bits / 256;
  const unsigned lanes = bits < 16 ? 2 * units : units;
  return lanes == 0 ? 0 : 4 / lanes;
}

unsigned log_multiply_adds(const Modifiers& m) {
  const MatrixSize size = size_of(m.matrix.shape);
  const unsigned all = size.m * size.n * size.k * (is_four_products(m) ? 4 : 1);
  return static_cast<unsigned>(__builtin_ctz(m.matrix.sparse ? all / 2 : all));
}

Fragment fragment_of(const Modifiers& m, Matrix matrix) {
  if (matrix == Matrix::kMetadata) return {1, Type::b32};
  const MatrixSize size = size_of(m.matrix.shape);
  const Type type = matrix == Matrix::kD   ? m.type
                    : matrix == Matrix::kA ? m.matrix.a
                    : matrix == Matrix::kB ? m.matrix.b
                                           : m.matrix.c;
  unsigned elements = matrix == Matrix::kA   ? size.m * size.k
                      : matrix == Matrix::kB ? size.k * size.n
                                             : size.m * size.n;
  if (is_four_products(m)) elements *= 4;
  if (m.matrix.sparse && matrix == Matrix::kA) elements /= 2;
  const unsigned bits = element_bits(type), width = bits == 64 ? 64 : 32;
  const bool words = type == Type::f32 || type == Type::s32 || type == Type::f64;
  return {elements * bits / (32 * width), words ? type : Type::b32};
}

Fragment fragment_of(const ir::Instruction& i, std::size_t operand) {
  if (i.opcode == Opcode::wmma) return wmma_fragment(i, operand);
  if (i.opcode != Opcode::mma) return {i.modifiers.matrix.count, Type::b32};
  return fragment_of(i.modifiers, static_cast<Matrix>(operand));
}

}  // namespace warpvp::ptx
