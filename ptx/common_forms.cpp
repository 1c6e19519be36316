#include "ptx/common_forms.h"

#include <iterator>

namespace warpvp::ptx {

// Suffixes of a form are tokens separated by blanks, in the order PTX wants them:
//   name       this suffix;  name?  this suffix or nothing
//   role=a|b   one of these, with what it means given by the role;  role=a|b?  or nothing
// Operands are separated by blanks: d or s (destination, source), then a class:
//   T instruction type   S source type   W twice the type   P predicate   U 32-bit integer   L 64-bit integer
//   R at least the type  Z at least the source type   M what mov takes   A what cvta takes   n integer
//   constant v the data of a load or store (vector or scalar, R)  c coordinates  l level of detail  g
//   gradient;  m alone is a memory address   F f32   H cache policy, there if and only if the suffix
//   .L2::cache_hint is   V register with a selector (video instructions).
// Then |P for an optional second predicate and ? for an operand that may be missing.

#define INT3 "u16|u32|u64|s16|s32|s64"
#define CARRY "u32|s32|u64|s64"
#define DATA "b8|b16|b32|b64|u8|u16|u32|u64|s8|s16|s32|s64|f32|f64"
#define WORD "b16|b32|b64|u16|u32|u64|s16|s32|s64|f32|f64"
#define CINT "u8|u16|u32|u64|s8|s16|s32|s64"
#define IEEE "rn|rz|rm|rp"
#define TOINT "rni|rzi|rmi|rpi"
#define ICMP "eq|ne|lt|le|gt|ge"
#define UCMP ICMP "|lo|ls|hi|hs"
#define SINT "s16|s32|s64"
#define UINT "u16|u32|u64"
#define FCMP "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan"
#define LDSPACE "space=global|const|shared|shared::cta|shared::cluster|local|param|param::entry|param::func?"
#define STSPACE "space=global|shared|shared::cta|shared::cluster|local|param|param::func?"
#define SCOPE "scope=cta|cluster|gpu|sys"
#define L1HINT "hint=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?"
#define POLICY " policy=L2::cache_hint?"
#define L2SIZE " hint=L2::64B|L2::128B|L2::256B?"
#define HINTS L1HINT POLICY L2SIZE
#define PRIORITIES                                                               \
  "primary=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged " \
  "secondary=L2::evict_first|L2::evict_unchanged?"
#define PLACE SCOPE "? space=global|shared|shared::cta|shared::cluster? "
#define ATOMICS "sem=relaxed|acquire|release|acq_rel? " PLACE
#define ARRAYS "1d|2d|3d|a1d|a2d"
#define REDUCTIONS "sem=relaxed|release? " PLACE

namespace {

// ---- Integer and floating-point arithmetic

const OpcodeForm kArithmetic[] = {
    {Opcode::abs, "abs", "type=s16|s32|s64", "dT sT"},
    {Opcode::abs, "abs", "ftz? type=f32", "dT sT"},
    {Opcode::abs, "abs", "type=f64", "dT sT"},
    {Opcode::add, "add", "type=" INT3, "dT sT sT"},
    {Opcode::add, "add", "type=u16x2|s16x2", "dT sT sT"},
    {Opcode::add, "add", "sat type=s32", "dT sT sT"},
    {Opcode::add, "add", "cc type=" CARRY, "dT sT sT"},
    {Opcode::add, "add", "rnd=" IEEE "? ftz? sat? type=f32", "dT sT sT"},
    {Opcode::add, "add", "rnd=" IEEE "? type=f64", "dT sT sT"},
    {Opcode::addc, "addc", "cc? type=" CARRY, "dT sT sT"},
    {Opcode::copysign, "copysign", "type=f32|f64", "dT sT sT"},
    {Opcode::cos, "cos", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::div, "div", "type=" INT3, "dT sT sT"},
    {Opcode::div, "div", "rnd=approx|full|" IEEE " ftz? type=f32", "dT sT sT"},
    {Opcode::div, "div", "rnd=" IEEE " type=f64", "dT sT sT"},
    {Opcode::dp2a, "dp2a", "mul=lo|hi type=u32|s32 stype=u32|s32", "dU sU sU sU"},
    {Opcode::dp4a, "dp4a", "type=u32|s32 stype=u32|s32", "dU sU sU sU"},
    {Opcode::ex2, "ex2", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::fma, "fma", "rnd=" IEEE " ftz? sat? type=f32", "dT sT sT sT"},
    {Opcode::fma, "fma", "rnd=" IEEE " type=f64", "dT sT sT sT"},
    {Opcode::lg2, "lg2", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::mad, "mad", "mul=lo|hi type=" INT3, "dT sT sT sT"},
    {Opcode::mad, "mad", "mul=hi sat type=s32", "dT sT sT sT"},
    {Opcode::mad, "mad", "mul=lo|hi cc type=" CARRY, "dT sT sT sT"},
    {Opcode::mad, "mad", "mul=wide type=u16|u32|s16|s32", "dW sT sT sW"},
    {Opcode::mad, "mad", "rnd=" IEEE " ftz? sat? type=f32", "dT sT sT sT"},
    {Opcode::mad, "mad", "sat? type=f32", "dT sT sT sT"},
    {Opcode::mad, "mad", "rnd=" IEEE " type=f64", "dT sT sT sT"},
    {Opcode::mad24, "mad24", "mul=lo|hi type=u32|s32", "dT sT sT sT"},
    {Opcode::mad24, "mad24", "mul=hi sat type=s32", "dT sT sT sT"},
    {Opcode::madc, "madc", "mul=lo|hi cc? type=" CARRY, "dT sT sT sT"},
    {Opcode::max, "max", "type=" INT3, "dT sT sT"},
    {Opcode::max, "max", "type=u16x2|s16x2", "dT sT sT"},
    {Opcode::max, "max", "relu type=s32|s16x2", "dT sT sT"},
    {Opcode::max, "max", "ftz? NaN? type=f32", "dT sT sT"},
    {Opcode::max, "max", "ftz? NaN? xorsign abs type=f32", "dT sT sT"},
    {Opcode::max, "max", "type=f64", "dT sT sT"},
    {Opcode::min, "min", "type=" INT3, "dT sT sT"},
    {Opcode::min, "min", "type=u16x2|s16x2", "dT sT sT"},
    {Opcode::min, "min", "relu type=s32|s16x2", "dT sT sT"},
    {Opcode::min, "min", "ftz? NaN? type=f32", "dT sT sT"},
    {Opcode::min, "min", "ftz? NaN? xorsign abs type=f32", "dT sT sT"},
    {Opcode::min, "min", "type=f64", "dT sT sT"},
    {Opcode::mul, "mul", "mul=lo|hi type=" INT3, "dT sT sT"},
    {Opcode::mul, "mul", "mul=wide type=u16|u32|s16|s32", "dW sT sT"},
    {Opcode::mul, "mul", "rnd=" IEEE "? ftz? sat? type=f32", "dT sT sT"},
    {Opcode::mul, "mul", "rnd=" IEEE "? type=f64", "dT sT sT"},
    {Opcode::mul24, "mul24", "mul=lo|hi type=u32|s32", "dT sT sT"},
    {Opcode::neg, "neg", "type=s16|s32|s64", "dT sT"},
    {Opcode::neg, "neg", "ftz? type=f32", "dT sT"},
    {Opcode::neg, "neg", "type=f64", "dT sT"},
    {Opcode::rcp, "rcp", "rnd=approx|" IEEE " ftz? type=f32", "dT sT"},
    {Opcode::rcp, "rcp", "rnd=" IEEE " type=f64", "dT sT"},
    {Opcode::rcp, "rcp", "rnd=approx ftz type=f64", "dT sT"},
    {Opcode::rem, "rem", "type=" INT3, "dT sT sT"},
    {Opcode::rsqrt, "rsqrt", "rnd=approx ftz? type=f32|f64", "dT sT"},
    {Opcode::sad, "sad", "type=" INT3, "dT sT sT sT"},
    {Opcode::sin, "sin", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::sqrt, "sqrt", "rnd=approx|" IEEE " ftz? type=f32", "dT sT"},
    {Opcode::sqrt, "sqrt", "rnd=" IEEE " type=f64", "dT sT"},
    {Opcode::sub, "sub", "type=" INT3, "dT sT sT"},
    {Opcode::sub, "sub", "sat type=s32", "dT sT sT"},
    {Opcode::sub, "sub", "cc type=" CARRY, "dT sT sT"},
    {Opcode::sub, "sub", "rnd=" IEEE "? ftz? sat? type=f32", "dT sT sT"},
    {Opcode::sub, "sub", "rnd=" IEEE "? type=f64", "dT sT sT"},
    {Opcode::subc, "subc", "cc? type=" CARRY, "dT sT sT"},
    {Opcode::tanh, "tanh", "rnd=approx type=f32", "dT sT"},
    {Opcode::testp, "testp", "testp=finite|infinite|number|notanumber|normal|subnormal type=f32|f64",
     "dP sT"},
};

// ---- Logic, shifts and fields of bits

const OpcodeForm kBits[] = {
    {Opcode::and_, "and", "type=pred|b16|b32|b64", "dT sT sT"},
    {Opcode::bfe, "bfe", "type=" CARRY, "dT sT sU sU"},
    {Opcode::bfi, "bfi", "type=b32|b64", "dT sT sT sU sU"},
    {Opcode::bfind, "bfind", "shiftamt? type=" CARRY, "dU sT"},
    {Opcode::bmsk, "bmsk", "shift=clamp|wrap type=b32", "dT sU sU"},
    {Opcode::brev, "brev", "type=b32|b64", "dT sT"},
    {Opcode::clz, "clz", "type=b32|b64", "dU sT"},
    {Opcode::cnot, "cnot", "type=b16|b32|b64", "dT sT"},
    {Opcode::fns, "fns", "type=b32", "dT sU sU sU"},
    {Opcode::lop3, "lop3", "type=b32", "dT sT sT sT n"},
    {Opcode::lop3, "lop3", "bool=and|or type=b32", "dT|P sT sT sT n sP"},
    {Opcode::not_, "not", "type=pred|b16|b32|b64", "dT sT"},
    {Opcode::or_, "or", "type=pred|b16|b32|b64", "dT sT sT"},
    {Opcode::popc, "popc", "type=b32|b64", "dU sT"},
    {Opcode::prmt, "prmt", "type=b32 prmt=f4e|b4e|rc8|ecl|ecr|rc16?", "dT sT sT sU"},
    {Opcode::shf, "shf", "dir=l|r shift=clamp|wrap type=b32", "dT sT sT sU"},
    {Opcode::shl, "shl", "type=b16|b32|b64", "dT sT sU"},
    {Opcode::shr, "shr", "type=b16|b32|b64|" INT3, "dT sT sU"},
    {Opcode::szext, "szext", "shift=clamp|wrap type=u32|s32", "dT sT sU"},
    {Opcode::xor_, "xor", "type=pred|b16|b32|b64", "dT sT sT"},
};

// ---- Comparing, selecting, converting and moving

const OpcodeForm kValues[] = {
    {Opcode::cvt_pack, "cvt", "pack sat packto=u16|s16 stype=s32", "dU sS sS"},
    {Opcode::cvt_pack, "cvt", "pack sat packto=u2|s2|u4|s4|u8|s8 stype=s32 ctype=b32", "dU sS sS sU"},
    {Opcode::cvt, "cvt", "sat? type=" CINT " stype=" CINT, "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" TOINT " ftz? sat? type=" CINT " stype=f32", "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" TOINT " sat? type=" CINT " stype=f64", "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" IEEE " ftz? sat? type=f32 stype=" CINT, "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" IEEE " sat? type=f64 stype=" CINT, "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" IEEE " ftz? sat? type=f32 stype=f64", "dR sZ"},
    {Opcode::cvt, "cvt", "ftz? sat? type=f64 stype=f32", "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" TOINT "? ftz? sat? type=f32 stype=f32", "dR sZ"},
    {Opcode::cvt, "cvt", "rnd=" TOINT "? sat? type=f64 stype=f64", "dR sZ"},
    {Opcode::cvta, "cvta", "space=global|const|shared|shared::cta|local|param|param::entry type=u64",
     "dT sA"},
    {Opcode::cvta, "cvta", "to space=global|const|shared|shared::cta|local|param|param::entry type=u64",
     "dT sA"},
    {Opcode::isspacep, "isspacep",
     "space=global|const|shared|shared::cta|shared::cluster|local|param|param::entry", "dP sL"},
    {Opcode::mov, "mov", "type=pred|" WORD, "dM sM"},
    {Opcode::mov, "mov", "vec=v2|v4 type=" WORD, "dM sM"},
    {Opcode::selp, "selp", "type=" WORD, "dT sT sT sP"},
    {Opcode::set, "set", "cmp=eq|ne type=u32|s32|f32 stype=b16|b32|b64", "dT sS sS"},
    {Opcode::set, "set", "cmp=eq|ne bool=and|or|xor type=u32|s32|f32 stype=b16|b32|b64", "dT sS sS sP"},
    {Opcode::set, "set", "cmp=" ICMP " type=u32|s32|f32 stype=" SINT, "dT sS sS"},
    {Opcode::set, "set", "cmp=" ICMP " bool=and|or|xor type=u32|s32|f32 stype=" SINT, "dT sS sS sP"},
    {Opcode::set, "set", "cmp=" UCMP " type=u32|s32|f32 stype=" UINT, "dT sS sS"},
    {Opcode::set, "set", "cmp=" UCMP " bool=and|or|xor type=u32|s32|f32 stype=" UINT, "dT sS sS sP"},
    {Opcode::set, "set", "cmp=" FCMP " ftz? type=u32|s32|f32 stype=f32", "dT sS sS"},
    {Opcode::set, "set", "cmp=" FCMP " bool=and|or|xor ftz? type=u32|s32|f32 stype=f32", "dT sS sS sP"},
    {Opcode::set, "set", "cmp=" FCMP " type=u32|s32|f32 stype=f64", "dT sS sS"},
    {Opcode::set, "set", "cmp=" FCMP " bool=and|or|xor type=u32|s32|f32 stype=f64", "dT sS sS sP"},
    {Opcode::setp, "setp", "cmp=eq|ne type=b16|b32|b64", "dP|P sT sT"},
    {Opcode::setp, "setp", "cmp=eq|ne bool=and|or|xor type=b16|b32|b64", "dP|P sT sT sP"},
    {Opcode::setp, "setp", "cmp=" ICMP " type=" SINT, "dP|P sT sT"},
    {Opcode::setp, "setp", "cmp=" ICMP " bool=and|or|xor type=" SINT, "dP|P sT sT sP"},
    {Opcode::setp, "setp", "cmp=" UCMP " type=" UINT, "dP|P sT sT"},
    {Opcode::setp, "setp", "cmp=" UCMP " bool=and|or|xor type=" UINT, "dP|P sT sT sP"},
    {Opcode::setp, "setp", "cmp=" FCMP " ftz? type=f32", "dP|P sT sT"},
    {Opcode::setp, "setp", "cmp=" FCMP " bool=and|or|xor ftz? type=f32", "dP|P sT sT sP"},
    {Opcode::setp, "setp", "cmp=" FCMP " type=f64", "dP|P sT sT"},
    {Opcode::setp, "setp", "cmp=" FCMP " bool=and|or|xor type=f64", "dP|P sT sT sP"},
    {Opcode::slct, "slct", "type=" WORD " stype=s32", "dT sT sT sS"},
    {Opcode::slct, "slct", "ftz? type=" WORD " stype=f32", "dT sT sT sS"},
};

// ---- Memory, its order and its caches

const OpcodeForm kMemory[] = {
    {Opcode::alloca_, "alloca", "type=u32|u64", "dT sT n?"},
    {Opcode::applypriority, "applypriority", "space=global? hint=L2::evict_normal", "m n"},
    {Opcode::atom, "atom", ATOMICS "atom=and|or|xor" POLICY " type=b32|b64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=cas type=b16|b32|b64", "dT m sT sT"},
    {Opcode::atom, "atom", ATOMICS "atom=exch" POLICY " type=b32|b64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=add" POLICY " type=u32|s32|u64|f32|f64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=inc|dec" POLICY " type=u32", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=min|max" POLICY " type=u32|s32|u64|s64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=add" POLICY " vec=v2|v4 type=f32", "dv m sv sH?"},
    {Opcode::cp_async, "cp",
     "async cache=ca|cg space=shared|shared::cta global" POLICY " hint=L2::64B|L2::128B|L2::256B?",
     "m m n sU? sH?"},
    {Opcode::cp_async, "cp", "async async=commit_group", ""},
    {Opcode::cp_async, "cp", "async async=wait_group", "n"},
    {Opcode::cp_async, "cp", "async async=wait_all", ""},
    {Opcode::createpolicy, "createpolicy", "fractional " PRIORITIES " type=b64", "dT sF?"},
    {Opcode::createpolicy, "createpolicy", "range space=global? " PRIORITIES " type=b64", "dT m sU sU"},
    {Opcode::createpolicy, "createpolicy", "cvt L2 type=b64", "dT sT"},
    {Opcode::discard, "discard", "space=global? L2", "m n"},
    {Opcode::fence, "fence", "sem=sc|acq_rel|acquire|release? " SCOPE, ""},
    {Opcode::fence, "fence", "sem=acquire restrict=sync_restrict::shared::cluster scope=cluster", ""},
    {Opcode::fence, "fence", "sem=release restrict=sync_restrict::shared::cta scope=cluster", ""},
    {Opcode::fence, "fence", "mbarrier_init sem=release scope=cluster", ""},
    {Opcode::fence, "fence", "proxy alias", ""},
    {Opcode::fence, "fence", "proxy async where=global|shared::cta|shared::cluster?", ""},
    {Opcode::fence, "fence",
     "proxy async::generic sem=acquire restrict=sync_restrict::shared::cluster scope=cluster", ""},
    {Opcode::fence, "fence",
     "proxy async::generic sem=release restrict=sync_restrict::shared::cta scope=cluster", ""},
    {Opcode::fence, "fence", "proxy tensormap::generic sem=release " SCOPE, ""},
    {Opcode::fence, "fence", "proxy tensormap::generic sem=acquire " SCOPE, "m n"},
    {Opcode::ld, "ld", "weak? " LDSPACE " cache=ca|cg|cs|lu|cv? " HINTS " vec=v2|v4? type=" DATA, "dv m sH?"},
    {Opcode::ld, "ld", "space=global cache=ca|cg|cs? cache=nc " HINTS " vec=v2|v4? type=" DATA, "dv m sH?"},
    {Opcode::ld, "ld", "order=volatile " LDSPACE " " L1HINT L2SIZE " vec=v2|v4? type=" DATA, "dv m"},
    {Opcode::ld, "ld", "order=mmio sem=relaxed scope=sys space=global? type=" DATA, "dv m"},
    {Opcode::ld, "ld", "order=relaxed|acquire " SCOPE " " LDSPACE " " HINTS " vec=v2|v4? type=" DATA,
     "dv m sH?"},
    {Opcode::ldu, "ldu", "space=global? vec=v2|v4? type=" DATA, "dv m"},
    {Opcode::membar, "membar", "scope=cta|gl|sys", ""},
    {Opcode::membar, "membar", "proxy alias", ""},
    {Opcode::prefetch, "prefetch", "space=global|local? hint=L1|L2", "m"},
    {Opcode::prefetch, "prefetch", "space=global hint=L2::evict_last|L2::evict_normal", "m"},
    {Opcode::prefetchu, "prefetchu", "L1", "m"},
    {Opcode::red, "red", REDUCTIONS "atom=and|or|xor" POLICY " type=b32|b64", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=add" POLICY " type=u32|s32|u64|f32|f64", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=inc|dec" POLICY " type=u32", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=min|max" POLICY " type=u32|s32|u64|s64", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=add" POLICY " vec=v2|v4 type=f32", "m sv sH?"},
    {Opcode::st, "st", "weak? " STSPACE " cache=wb|cg|cs|wt? " L1HINT POLICY " vec=v2|v4? type=" DATA,
     "m sv sH?"},
    {Opcode::st, "st", "order=volatile " STSPACE " " L1HINT " vec=v2|v4? type=" DATA, "m sv"},
    {Opcode::st, "st", "order=mmio sem=relaxed scope=sys space=global? type=" DATA, "m sv"},
    {Opcode::st, "st", "order=relaxed|release " SCOPE " " STSPACE " " L1HINT POLICY " vec=v2|v4? type=" DATA,
     "m sv sH?"},
    {Opcode::stackrestore, "stackrestore", "type=u32|u64", "sT"},
    {Opcode::stacksave, "stacksave", "type=u32|u64", "dT"},
};

// ---- Control flow, barriers and exchange between the lanes of a warp

const OpcodeForm kControl[] = {
    {Opcode::activemask, "activemask", "type=b32", "dT"},
    {Opcode::bar, "bar", "cta? bar=sync", "sU sU?"},
    {Opcode::bar, "bar", "cta? bar=arrive", "sU sU"},
    {Opcode::bar, "bar", "cta? red bar_red=popc type=u32", "dT sU sU? sP"},
    {Opcode::bar, "bar", "cta? red bar_red=and|or type=pred", "dT sU sU? sP"},
    {Opcode::bar, "bar", "warp bar_warp=sync", "sU"},
    {Opcode::barrier, "barrier", "cta? bar=sync aligned?", "sU sU?"},
    {Opcode::barrier, "barrier", "cta? bar=arrive aligned?", "sU sU"},
    {Opcode::barrier, "barrier", "cta? red bar_red=popc aligned? type=u32", "dT sU sU? sP"},
    {Opcode::barrier, "barrier", "cta? red bar_red=and|or aligned? type=pred", "dT sU sU? sP"},
    {Opcode::bra, "bra", "uni?", "label"},
    {Opcode::brkpt, "brkpt", "", ""},
    {Opcode::brx, "brx", "idx uni?", "label"},
    {Opcode::call, "call", "uni?", "label"},
    {Opcode::elect, "elect", "sync", "dU|P sU"},
    {Opcode::exit, "exit", "", ""},
    {Opcode::match, "match", "match=any sync type=b32|b64", "dU sT sU"},
    {Opcode::match, "match", "match=all sync type=b32|b64", "dU|P sT sU"},
    {Opcode::nanosleep, "nanosleep", "type=u32", "sT"},
    {Opcode::pmevent, "pmevent", "mask?", "n"},
    // Kernels of a stream follow each other here, so that there is nothing to wait for.
    {Opcode::pmevent, "griddepcontrol", "launch_dependents|wait", ""},
    {Opcode::redux, "redux", "sync atom=add|min|max type=u32|s32", "dT sT sU"},
    {Opcode::redux, "redux", "sync atom=and|or|xor type=b32", "dT sT sU"},
    {Opcode::ret, "ret", "uni?", ""},
    {Opcode::shfl, "shfl", "shfl=up|down|bfly|idx type=b32", "dT|P sT sU sU"},
    {Opcode::shfl, "shfl", "sync shfl=up|down|bfly|idx type=b32", "dT|P sT sU sU sU"},
    {Opcode::trap, "trap", "", ""},
    {Opcode::vote, "vote", "vote=all|any|uni type=pred", "dP sP"},
    {Opcode::vote, "vote", "vote=ballot type=b32", "dU sP"},
    {Opcode::vote, "vote", "sync vote=all|any|uni type=pred", "dP sP sU"},
    {Opcode::vote, "vote", "sync vote=ballot type=b32", "dU sP sU"},
};

// ---- Textures and surfaces

const OpcodeForm kImages[] = {
    {Opcode::istypep, "istypep", "query=texref|samplerref|surfref", "dP sL"},
    {Opcode::suld, "suld",
     "b geom=" ARRAYS " cache=ca|cg|cs|cv? vec=v2|v4? type=b8|b16|b32|b64 sclamp=trap|clamp|zero", "dv m sc"},
    {Opcode::suq, "suq",
     "query=width|height|depth|channel_data_type|channel_order|array_size|memory_layout type=b32", "dT m"},
    {Opcode::sust, "sust",
     "b geom=" ARRAYS " cache=wb|cg|cs|wt? vec=v2|v4? type=b8|b16|b32|b64 sclamp=trap|clamp|zero", "m sc sv"},
    {Opcode::tex, "tex", "base? geom=" ARRAYS " vec=v4 type=u32|s32|f32 stype=s32|f32", "dv dP? m sc"},
    {Opcode::tex, "tex", "base? geom=cube|acube vec=v4 type=u32|s32|f32 stype=f32", "dv dP? m sc"},
    {Opcode::tex, "tex", "level geom=" ARRAYS " vec=v4 type=u32|s32|f32 stype=s32|f32", "dv dP? m sc sl"},
    {Opcode::tex, "tex", "level geom=cube|acube vec=v4 type=u32|s32|f32 stype=f32", "dv dP? m sc sl"},
    {Opcode::tex, "tex", "grad geom=" ARRAYS "|cube|acube vec=v4 type=u32|s32|f32 stype=f32",
     "dv dP? m sc sg sg"},
    {Opcode::tld4, "tld4", "gather=r|g|b|a geom=2d|a2d|cube|acube vec=v4 type=u32|s32|f32 stype=f32",
     "dv dP? m sc"},
    {Opcode::txq, "txq",
     "query=width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_"
     "levels|"
     "num_samples|force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2 type=b32",
     "dT m"},
    {Opcode::txq, "txq", "level query=width|height|depth type=b32", "dT m sU"},
};

}  // namespace

const std::vector<OpcodeForm>& common_forms() {
  static const std::vector<OpcodeForm> forms = [] {
    std::vector<OpcodeForm> all;
    const auto add = [&](const auto& group) { all.insert(all.end(), std::begin(group), std::end(group)); };
    add(kArithmetic);
    add(kBits);
    add(kValues);
    add(kMemory);
    add(kControl);
    add(kImages);
    return all;
  }();
  return forms;
}

}  // namespace warpvp::ptx
