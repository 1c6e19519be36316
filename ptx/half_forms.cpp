#include "ptx/half_forms.h"

namespace warpvp::ptx {
namespace {

// In the notation of common_forms.cpp.
#define F16_TYPES "type=f16|f16x2"
#define BF16_TYPES "type=bf16|bf16x2"
#define ANY_HALF "type=f16|f16x2|bf16|bf16x2"
#define DIRECTED "rnd=rn|rz|rm|rp "
#define INTEGRAL "rnd=rni|rzi|rmi|rpi"
#define INTEGER "u8|u16|u32|u64|s8|s16|s32|s64"
#define RELATION "cmp=eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan "
#define WHERE "scope=cta|cluster|gpu|sys? space=global|shared|shared::cta? "

const OpcodeForm kHalfArithmetic[] = {
    {Opcode::abs, "abs", "ftz? " F16_TYPES, "dT sT"},
    {Opcode::abs, "abs", BF16_TYPES, "dT sT"},
    {Opcode::add, "add", "rnd=rn? ftz? sat? " F16_TYPES, "dT sT sT"},
    {Opcode::add, "add", "rnd=rn? " BF16_TYPES, "dT sT sT"},
    {Opcode::ex2, "ex2", "rnd=approx " F16_TYPES, "dT sT"},
    {Opcode::ex2, "ex2", "rnd=approx ftz " BF16_TYPES, "dT sT"},
    {Opcode::fma, "fma", "rnd=rn ftz? sat? " F16_TYPES, "dT sT sT sT"},
    {Opcode::fma, "fma", "rnd=rn ftz? relu " F16_TYPES, "dT sT sT sT"},
    {Opcode::fma, "fma", "rnd=rn relu? " BF16_TYPES, "dT sT sT sT"},
    {Opcode::max, "max", "ftz? NaN? " F16_TYPES, "dT sT sT"},
    {Opcode::max, "max", "ftz? NaN? xorsign abs " F16_TYPES, "dT sT sT"},
    {Opcode::max, "max", "NaN? " BF16_TYPES, "dT sT sT"},
    {Opcode::max, "max", "NaN? xorsign abs " BF16_TYPES, "dT sT sT"},
    {Opcode::min, "min", "ftz? NaN? " F16_TYPES, "dT sT sT"},
    {Opcode::min, "min", "ftz? NaN? xorsign abs " F16_TYPES, "dT sT sT"},
    {Opcode::min, "min", "NaN? " BF16_TYPES, "dT sT sT"},
    {Opcode::min, "min", "NaN? xorsign abs " BF16_TYPES, "dT sT sT"},
    {Opcode::mul, "mul", "rnd=rn? ftz? sat? " F16_TYPES, "dT sT sT"},
    {Opcode::mul, "mul", "rnd=rn? " BF16_TYPES, "dT sT sT"},
    {Opcode::neg, "neg", "ftz? " F16_TYPES, "dT sT"},
    {Opcode::neg, "neg", BF16_TYPES, "dT sT"},
    {Opcode::sub, "sub", "rnd=rn? ftz? sat? " F16_TYPES, "dT sT sT"},
    {Opcode::sub, "sub", "rnd=rn? " BF16_TYPES, "dT sT sT"},
    {Opcode::tanh, "tanh", "rnd=approx " ANY_HALF, "dT sT"},
};

const OpcodeForm kHalfConversions[] = {
    {Opcode::cvt, "cvt", DIRECTED "ftz? sat? type=f16|bf16 stype=f32", "dT sS"},
    {Opcode::cvt, "cvt", "rnd=rn|rz relu? satfinite? type=f16|bf16 stype=f32", "dT sS"},
    {Opcode::cvt, "cvt", DIRECTED "sat? type=f16|bf16 stype=f64", "dT sS"},
    {Opcode::cvt, "cvt", DIRECTED "sat? type=f16|bf16 stype=" INTEGER, "dT sZ"},
    {Opcode::cvt, "cvt", DIRECTED "sat? type=bf16 stype=f16", "dT sS"},
    {Opcode::cvt, "cvt", DIRECTED "sat? type=f16 stype=bf16", "dT sS"},
    {Opcode::cvt, "cvt", "ftz? sat? type=f32 stype=f16|bf16", "dT sS"},
    {Opcode::cvt, "cvt", "sat? type=f64 stype=f16|bf16", "dT sS"},
    {Opcode::cvt, "cvt", INTEGRAL " sat? type=" INTEGER " stype=f16|bf16", "dR sS"},
    {Opcode::cvt, "cvt", INTEGRAL "? sat? type=f16 stype=f16", "dT sS"},
    {Opcode::cvt, "cvt", INTEGRAL "? sat? type=bf16 stype=bf16", "dT sS"},
    {Opcode::cvt, "cvt", "rnd=rn|rz relu? satfinite? type=f16x2|bf16x2 stype=f32", "dT sS sS"},
    {Opcode::cvt, "cvt", "rnd=rna satfinite? type=tf32 stype=f32", "dT sS"},
    {Opcode::cvt, "cvt", "rnd=rn|rz relu? satfinite? type=tf32 stype=f32", "dT sS"},
    {Opcode::cvt, "cvt", "rnd=rn satfinite relu? type=e4m3x2|e5m2x2 stype=f32", "dT sS sS"},
    {Opcode::cvt, "cvt", "rnd=rn satfinite relu? type=e4m3x2|e5m2x2 stype=f16x2", "dT sS"},
    {Opcode::cvt, "cvt", "rnd=rn relu? type=f16x2 stype=e4m3x2|e5m2x2", "dT sS"},
};

// Comparisons, each alone and combined with a predicate.
void half_comparisons(std::vector<OpcodeForm>& forms) {
#define WITH_BOOL(opcode, name, before, behind, operands)           \
  forms.push_back({Opcode::opcode, name, before behind, operands}); \
  forms.push_back({Opcode::opcode, name, before "bool=and|or|xor " behind, operands " sP"});
  WITH_BOOL(setp, "setp", RELATION, "ftz? " F16_TYPES, "dP|P sT sT")
  WITH_BOOL(setp, "setp", RELATION, BF16_TYPES, "dP|P sT sT")
  WITH_BOOL(set, "set", RELATION, "ftz? type=u16|s16|u32|s32|f16 stype=f16", "dT sS sS")
  WITH_BOOL(set, "set", RELATION, "ftz? type=u32|s32|f16x2 stype=f16x2", "dT sS sS")
  WITH_BOOL(set, "set", RELATION, "type=u16|s16|u32|s32|bf16 stype=bf16", "dT sS sS")
  WITH_BOOL(set, "set", RELATION, "type=u32|s32|bf16x2 stype=bf16x2", "dT sS sS")
  WITH_BOOL(set, "set", "cmp=eq|ne ", "type=f16|bf16 stype=b16|b32|b64", "dT sS sS")
  WITH_BOOL(set, "set", "cmp=eq|ne|lt|le|gt|ge ", "type=f16|bf16 stype=s16|s32|s64", "dT sS sS")
  WITH_BOOL(set, "set", "cmp=eq|ne|lt|le|gt|ge|lo|ls|hi|hs ", "type=f16|bf16 stype=u16|u32|u64", "dT sS sS")
  WITH_BOOL(set, "set", RELATION, "ftz? type=f16|bf16 stype=f32", "dT sS sS")
  WITH_BOOL(set, "set", RELATION, "type=f16|bf16 stype=f64", "dT sS sS")
#undef WITH_BOOL
}

const OpcodeForm kHalfAtomics[] = {
    {Opcode::atom, "atom",
     "sem=relaxed|acquire|release|acq_rel? " WHERE "atom=add noftz policy=L2::cache_hint? " ANY_HALF,
     "dT m sT sH?"},
    {Opcode::red, "red", "sem=relaxed|release? " WHERE "atom=add noftz policy=L2::cache_hint? " ANY_HALF,
     "m sT sH?"},
};

#undef F16_TYPES
#undef BF16_TYPES
#undef ANY_HALF
#undef DIRECTED
#undef INTEGRAL
#undef INTEGER
#undef RELATION
#undef WHERE

}  // namespace

const std::vector<OpcodeForm>& half_forms() {
  static const std::vector<OpcodeForm> forms = [] {
    std::vector<OpcodeForm> all;
    const auto add = [&](const auto& group) { all.insert(all.end(), std::begin(group), std::end(group)); };
    add(kHalfArithmetic);
    add(kHalfConversions);
    half_comparisons(all);
    add(kHalfAtomics);
    return all;
  }();
  return forms;
}

}  // namespace warpvp::ptx
