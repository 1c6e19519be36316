#include "ptx/opcode_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <unordered_map>

#include "ptx/video.h"

namespace warpvp::ptx {
namespace {

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
#define LDSPACE "space=global|const|shared|shared::cta|local|param|param::entry|param::func?"
#define STSPACE "space=global|shared|shared::cta|local|param|param::func?"
#define SCOPE "scope=cta|cluster|gpu|sys"
#define L1HINT "hint=L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::no_allocate?"
#define POLICY " policy=L2::cache_hint?"
#define L2SIZE " hint=L2::64B|L2::128B|L2::256B?"
#define HINTS L1HINT POLICY L2SIZE
#define PRIORITIES                                                               \
  "primary=L2::evict_last|L2::evict_normal|L2::evict_first|L2::evict_unchanged " \
  "secondary=L2::evict_first|L2::evict_unchanged?"
#define PLACE SCOPE "? space=global|shared|shared::cta? "
#define ATOMICS "sem=relaxed|acquire|release|acq_rel? " PLACE
#define ARRAYS "1d|2d|3d|a1d|a2d"
#define REDUCTIONS "sem=relaxed|release? " PLACE

const std::vector<OpcodeForm> kCommonForms = {
    {Opcode::abs, "abs", "type=s16|s32|s64", "dT sT"},
    {Opcode::abs, "abs", "ftz? type=f32", "dT sT"},
    {Opcode::abs, "abs", "type=f64", "dT sT"},
    {Opcode::activemask, "activemask", "type=b32", "dT"},
    {Opcode::add, "add", "type=" INT3, "dT sT sT"},
    {Opcode::add, "add", "type=u16x2|s16x2", "dT sT sT"},
    {Opcode::add, "add", "sat type=s32", "dT sT sT"},
    {Opcode::add, "add", "cc type=" CARRY, "dT sT sT"},
    {Opcode::add, "add", "rnd=" IEEE "? ftz? sat? type=f32", "dT sT sT"},
    {Opcode::add, "add", "rnd=" IEEE "? type=f64", "dT sT sT"},
    {Opcode::addc, "addc", "cc? type=" CARRY, "dT sT sT"},
    {Opcode::alloca_, "alloca", "type=u32|u64", "dT sT n?"},
    {Opcode::and_, "and", "type=pred|b16|b32|b64", "dT sT sT"},
    {Opcode::applypriority, "applypriority", "space=global? hint=L2::evict_normal", "m n"},
    {Opcode::atom, "atom", ATOMICS "atom=and|or|xor" POLICY " type=b32|b64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=cas type=b16|b32|b64", "dT m sT sT"},
    {Opcode::atom, "atom", ATOMICS "atom=exch" POLICY " type=b32|b64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=add" POLICY " type=u32|s32|u64|f32|f64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=inc|dec" POLICY " type=u32", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=min|max" POLICY " type=u32|s32|u64|s64", "dT m sT sH?"},
    {Opcode::atom, "atom", ATOMICS "atom=add" POLICY " vec=v2|v4 type=f32", "dv m sv sH?"},
    {Opcode::bar, "bar", "cta? bar=sync", "sU sU?"},
    {Opcode::bar, "bar", "cta? bar=arrive", "sU sU"},
    {Opcode::bar, "bar", "cta? red bar_red=popc type=u32", "dT sU sU? sP"},
    {Opcode::bar, "bar", "cta? red bar_red=and|or type=pred", "dT sU sU? sP"},
    {Opcode::bar, "bar", "warp bar_warp=sync", "sU"},
    {Opcode::barrier, "barrier", "cta? bar=sync aligned?", "sU sU?"},
    {Opcode::barrier, "barrier", "cta? bar=arrive aligned?", "sU sU"},
    {Opcode::barrier, "barrier", "cta? red bar_red=popc aligned? type=u32", "dT sU sU? sP"},
    {Opcode::barrier, "barrier", "cta? red bar_red=and|or aligned? type=pred", "dT sU sU? sP"},
    {Opcode::bfe, "bfe", "type=" CARRY, "dT sT sU sU"},
    {Opcode::bfi, "bfi", "type=b32|b64", "dT sT sT sU sU"},
    {Opcode::bfind, "bfind", "shiftamt? type=" CARRY, "dU sT"},
    {Opcode::bmsk, "bmsk", "shift=clamp|wrap type=b32", "dT sU sU"},
    {Opcode::bra, "bra", "uni?", "label"},
    {Opcode::brev, "brev", "type=b32|b64", "dT sT"},
    {Opcode::brkpt, "brkpt", "", ""},
    {Opcode::brx, "brx", "idx uni?", "label"},
    {Opcode::call, "call", "uni?", "label"},
    {Opcode::clz, "clz", "type=b32|b64", "dU sT"},
    {Opcode::cnot, "cnot", "type=b16|b32|b64", "dT sT"},
    {Opcode::copysign, "copysign", "type=f32|f64", "dT sT sT"},
    {Opcode::cos, "cos", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::cp_async, "cp",
     "async cache=ca|cg space=shared|shared::cta global" POLICY " hint=L2::64B|L2::128B|L2::256B?",
     "m m n sU? sH?"},
    {Opcode::cp_async, "cp", "async async=commit_group", ""},
    {Opcode::cp_async, "cp", "async async=wait_group", "n"},
    {Opcode::cp_async, "cp", "async async=wait_all", ""},
    {Opcode::createpolicy, "createpolicy", "fractional " PRIORITIES " type=b64", "dT sF?"},
    {Opcode::createpolicy, "createpolicy", "range space=global? " PRIORITIES " type=b64", "dT m sU sU"},
    {Opcode::createpolicy, "createpolicy", "cvt L2 type=b64", "dT sT"},
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
    {Opcode::discard, "discard", "space=global? L2", "m n"},
    {Opcode::div, "div", "type=" INT3, "dT sT sT"},
    {Opcode::div, "div", "rnd=approx|full|" IEEE " ftz? type=f32", "dT sT sT"},
    {Opcode::div, "div", "rnd=" IEEE " type=f64", "dT sT sT"},
    {Opcode::dp2a, "dp2a", "mul=lo|hi type=u32|s32 stype=u32|s32", "dU sU sU sU"},
    {Opcode::dp4a, "dp4a", "type=u32|s32 stype=u32|s32", "dU sU sU sU"},
    {Opcode::elect, "elect", "sync", "dU|P sU"},
    {Opcode::ex2, "ex2", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::exit, "exit", "", ""},
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
    {Opcode::fma, "fma", "rnd=" IEEE " ftz? sat? type=f32", "dT sT sT sT"},
    {Opcode::fma, "fma", "rnd=" IEEE " type=f64", "dT sT sT sT"},
    {Opcode::fns, "fns", "type=b32", "dT sU sU sU"},
    {Opcode::isspacep, "isspacep", "space=global|const|shared|shared::cta|local|param|param::entry", "dP sL"},
    {Opcode::istypep, "istypep", "query=texref|samplerref|surfref", "dP sL"},
    {Opcode::ld, "ld", "weak? " LDSPACE " cache=ca|cg|cs|lu|cv? " HINTS " vec=v2|v4? type=" DATA, "dv m sH?"},
    {Opcode::ld, "ld", "space=global cache=ca|cg|cs? cache=nc " HINTS " vec=v2|v4? type=" DATA, "dv m sH?"},
    {Opcode::ld, "ld", "order=volatile " LDSPACE " " L1HINT L2SIZE " vec=v2|v4? type=" DATA, "dv m"},
    {Opcode::ld, "ld", "order=mmio sem=relaxed scope=sys space=global? type=" DATA, "dv m"},
    {Opcode::ld, "ld", "order=relaxed|acquire " SCOPE " " LDSPACE " " HINTS " vec=v2|v4? type=" DATA,
     "dv m sH?"},
    {Opcode::ldu, "ldu", "space=global? vec=v2|v4? type=" DATA, "dv m"},
    {Opcode::lg2, "lg2", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::lop3, "lop3", "type=b32", "dT sT sT sT n"},
    {Opcode::lop3, "lop3", "bool=and|or type=b32", "dT|P sT sT sT n sP"},
    {Opcode::mad, "mad", "mul=lo|hi type=" INT3, "dT sT sT sT"},
    {Opcode::mad, "mad", "mul=hi sat type=s32", "dT sT sT sT"},
    {Opcode::mad, "mad", "mul=lo|hi cc type=" CARRY, "dT sT sT sT"},
    {Opcode::mad, "mad", "mul=wide type=u16|u32|s16|s32", "dW sT sT sW"},
    {Opcode::mad, "mad", "rnd=" IEEE " ftz? sat? type=f32", "dT sT sT sT"},
    {Opcode::mad, "mad", "rnd=" IEEE " type=f64", "dT sT sT sT"},
    {Opcode::mad24, "mad24", "mul=lo|hi type=u32|s32", "dT sT sT sT"},
    {Opcode::mad24, "mad24", "mul=hi sat type=s32", "dT sT sT sT"},
    {Opcode::madc, "madc", "mul=lo|hi cc? type=" CARRY, "dT sT sT sT"},
    {Opcode::match, "match", "match=any sync type=b32|b64", "dU sT sU"},
    {Opcode::match, "match", "match=all sync type=b32|b64", "dU|P sT sU"},
    {Opcode::max, "max", "type=" INT3, "dT sT sT"},
    {Opcode::max, "max", "type=u16x2|s16x2", "dT sT sT"},
    {Opcode::max, "max", "relu type=s32|s16x2", "dT sT sT"},
    {Opcode::max, "max", "ftz? NaN? type=f32", "dT sT sT"},
    {Opcode::max, "max", "ftz? NaN? xorsign abs type=f32", "dT sT sT"},
    {Opcode::max, "max", "type=f64", "dT sT sT"},
    {Opcode::membar, "membar", "scope=cta|gl|sys", ""},
    {Opcode::membar, "membar", "proxy alias", ""},
    {Opcode::min, "min", "type=" INT3, "dT sT sT"},
    {Opcode::min, "min", "type=u16x2|s16x2", "dT sT sT"},
    {Opcode::min, "min", "relu type=s32|s16x2", "dT sT sT"},
    {Opcode::min, "min", "ftz? NaN? type=f32", "dT sT sT"},
    {Opcode::min, "min", "ftz? NaN? xorsign abs type=f32", "dT sT sT"},
    {Opcode::min, "min", "type=f64", "dT sT sT"},
    {Opcode::mov, "mov", "type=pred|" WORD, "dM sM"},
    {Opcode::mov, "mov", "vec=v2|v4 type=" WORD, "dM sM"},
    {Opcode::mul, "mul", "mul=lo|hi type=" INT3, "dT sT sT"},
    {Opcode::mul, "mul", "mul=wide type=u16|u32|s16|s32", "dW sT sT"},
    {Opcode::mul, "mul", "rnd=" IEEE "? ftz? sat? type=f32", "dT sT sT"},
    {Opcode::mul, "mul", "rnd=" IEEE "? type=f64", "dT sT sT"},
    {Opcode::mul24, "mul24", "mul=lo|hi type=u32|s32", "dT sT sT"},
    {Opcode::nanosleep, "nanosleep", "type=u32", "sT"},
    {Opcode::neg, "neg", "type=s16|s32|s64", "dT sT"},
    {Opcode::neg, "neg", "ftz? type=f32", "dT sT"},
    {Opcode::neg, "neg", "type=f64", "dT sT"},
    {Opcode::not_, "not", "type=pred|b16|b32|b64", "dT sT"},
    {Opcode::or_, "or", "type=pred|b16|b32|b64", "dT sT sT"},
    {Opcode::pmevent, "pmevent", "mask?", "n"},
    {Opcode::popc, "popc", "type=b32|b64", "dU sT"},
    {Opcode::prefetch, "prefetch", "space=global|local? hint=L1|L2", "m"},
    {Opcode::prefetch, "prefetch", "space=global hint=L2::evict_last|L2::evict_normal", "m"},
    {Opcode::prefetchu, "prefetchu", "L1", "m"},
    {Opcode::prmt, "prmt", "type=b32 prmt=f4e|b4e|rc8|ecl|ecr|rc16?", "dT sT sT sU"},
    {Opcode::rcp, "rcp", "rnd=approx|" IEEE " ftz? type=f32", "dT sT"},
    {Opcode::rcp, "rcp", "rnd=" IEEE " type=f64", "dT sT"},
    {Opcode::rcp, "rcp", "rnd=approx ftz type=f64", "dT sT"},
    {Opcode::red, "red", REDUCTIONS "atom=and|or|xor" POLICY " type=b32|b64", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=add" POLICY " type=u32|s32|u64|f32|f64", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=inc|dec" POLICY " type=u32", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=min|max" POLICY " type=u32|s32|u64|s64", "m sT sH?"},
    {Opcode::red, "red", REDUCTIONS "atom=add" POLICY " vec=v2|v4 type=f32", "m sv sH?"},
    {Opcode::redux, "redux", "sync atom=add|min|max type=u32|s32", "dT sT sU"},
    {Opcode::redux, "redux", "sync atom=and|or|xor type=b32", "dT sT sU"},
    {Opcode::rem, "rem", "type=" INT3, "dT sT sT"},
    {Opcode::ret, "ret", "uni?", ""},
    {Opcode::rsqrt, "rsqrt", "rnd=approx ftz? type=f32|f64", "dT sT"},
    {Opcode::sad, "sad", "type=" INT3, "dT sT sT sT"},
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
    {Opcode::shf, "shf", "dir=l|r shift=clamp|wrap type=b32", "dT sT sT sU"},
    {Opcode::shfl, "shfl", "shfl=up|down|bfly|idx type=b32", "dT|P sT sU sU"},
    {Opcode::shfl, "shfl", "sync shfl=up|down|bfly|idx type=b32", "dT|P sT sU sU sU"},
    {Opcode::shl, "shl", "type=b16|b32|b64", "dT sT sU"},
    {Opcode::shr, "shr", "type=b16|b32|b64|" INT3, "dT sT sU"},
    {Opcode::sin, "sin", "rnd=approx ftz? type=f32", "dT sT"},
    {Opcode::slct, "slct", "type=" WORD " stype=s32", "dT sT sT sS"},
    {Opcode::slct, "slct", "ftz? type=" WORD " stype=f32", "dT sT sT sS"},
    {Opcode::sqrt, "sqrt", "rnd=approx|" IEEE " ftz? type=f32", "dT sT"},
    {Opcode::sqrt, "sqrt", "rnd=" IEEE " type=f64", "dT sT"},
    {Opcode::st, "st", "weak? " STSPACE " cache=wb|cg|cs|wt? " L1HINT POLICY " vec=v2|v4? type=" DATA,
     "m sv sH?"},
    {Opcode::st, "st", "order=volatile " STSPACE " " L1HINT " vec=v2|v4? type=" DATA, "m sv"},
    {Opcode::st, "st", "order=mmio sem=relaxed scope=sys space=global? type=" DATA, "m sv"},
    {Opcode::st, "st", "order=relaxed|release " SCOPE " " STSPACE " " L1HINT POLICY " vec=v2|v4? type=" DATA,
     "m sv sH?"},
    {Opcode::stackrestore, "stackrestore", "type=u32|u64", "sT"},
    {Opcode::stacksave, "stacksave", "type=u32|u64", "dT"},
    {Opcode::sub, "sub", "type=" INT3, "dT sT sT"},
    {Opcode::sub, "sub", "sat type=s32", "dT sT sT"},
    {Opcode::sub, "sub", "cc type=" CARRY, "dT sT sT"},
    {Opcode::sub, "sub", "rnd=" IEEE "? ftz? sat? type=f32", "dT sT sT"},
    {Opcode::sub, "sub", "rnd=" IEEE "? type=f64", "dT sT sT"},
    {Opcode::subc, "subc", "cc? type=" CARRY, "dT sT sT"},
    {Opcode::suld, "suld",
     "b geom=" ARRAYS " cache=ca|cg|cs|cv? vec=v2|v4? type=b8|b16|b32|b64 sclamp=trap|clamp|zero", "dv m sc"},
    {Opcode::suq, "suq",
     "query=width|height|depth|channel_data_type|channel_order|array_size|memory_layout type=b32", "dT m"},
    {Opcode::sust, "sust",
     "b geom=" ARRAYS " cache=wb|cg|cs|wt? vec=v2|v4? type=b8|b16|b32|b64 sclamp=trap|clamp|zero", "m sc sv"},
    {Opcode::szext, "szext", "shift=clamp|wrap type=u32|s32", "dT sT sU"},
    {Opcode::tanh, "tanh", "rnd=approx type=f32", "dT sT"},
    {Opcode::testp, "testp", "testp=finite|infinite|number|notanumber|normal|subnormal type=f32|f64",
     "dP sT"},
    {Opcode::tex, "tex", "base? geom=" ARRAYS " vec=v4 type=u32|s32|f32 stype=s32|f32", "dv dP? m sc"},
    {Opcode::tex, "tex", "base? geom=cube|acube vec=v4 type=u32|s32|f32 stype=f32", "dv dP? m sc"},
    {Opcode::tex, "tex", "level geom=" ARRAYS " vec=v4 type=u32|s32|f32 stype=s32|f32", "dv dP? m sc sl"},
    {Opcode::tex, "tex", "level geom=cube|acube vec=v4 type=u32|s32|f32 stype=f32", "dv dP? m sc sl"},
    {Opcode::tex, "tex", "grad geom=" ARRAYS "|cube|acube vec=v4 type=u32|s32|f32 stype=f32",
     "dv dP? m sc sg sg"},
    {Opcode::tld4, "tld4", "gather=r|g|b|a geom=2d|a2d|cube|acube vec=v4 type=u32|s32|f32 stype=f32",
     "dv dP? m sc"},
    {Opcode::trap, "trap", "", ""},
    {Opcode::txq, "txq",
     "query=width|height|depth|channel_data_type|channel_order|normalized_coords|array_size|num_mipmap_"
     "levels|"
     "num_samples|force_unnormalized_coords|filter_mode|addr_mode_0|addr_mode_1|addr_mode_2 type=b32",
     "dT m"},
    {Opcode::txq, "txq", "level query=width|height|depth type=b32", "dT m sU"},
    {Opcode::vote, "vote", "vote=all|any|uni type=pred", "dP sP"},
    {Opcode::vote, "vote", "vote=ballot type=b32", "dU sP"},
    {Opcode::vote, "vote", "sync vote=all|any|uni type=pred", "dP sP sU"},
    {Opcode::vote, "vote", "sync vote=ballot type=b32", "dU sP sU"},
    {Opcode::xor_, "xor", "type=pred|b16|b32|b64", "dT sT sT"},
};

// Instructions PTX has and this platform has not; anything else is unknown.
const char* const kUnsupported[] = {"clusterlaunchcontrol",
                                    "getctarank",
                                    "griddepcontrol",
                                    "ldmatrix",
                                    "mapa",
                                    "mbarrier",
                                    "mma",
                                    "movmatrix",
                                    "multimem",
                                    "setmaxnreg",
                                    "stmatrix",
                                    "sured",
                                    "tcgen05",
                                    "tensormap",
                                    "wgmma",
                                    "wmma"};

const std::vector<OpcodeForm>& all_forms() {
  static const std::vector<OpcodeForm> forms = [] {
    std::vector<OpcodeForm> all = kCommonForms;
    all.insert(all.end(), video_forms().begin(), video_forms().end());
    return all;
  }();
  return forms;
}

// One token of a form's suffix grammar.
struct SuffixRule {
  std::string role;
  std::vector<std::string> names;
  bool optional = false;
};

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

struct CompiledForm {
  const OpcodeForm* form;
  std::vector<SuffixRule> rules;
  std::vector<OperandSpec> operands;
};

OperandSpec compile_operand(std::string text) {
  OperandSpec spec;
  if (text.back() == '?') {
    spec.optional = true;
    text.pop_back();
  }
  if (text.size() > 2 && text.substr(text.size() - 2) == "|P") {
    spec.pair = true;
    text.resize(text.size() - 2);
  }
  spec.destination = text[0] == 'd';
  switch (text.back()) {
    case 'T':
      spec.what = OperandClass::kType;
      break;
    case 'S':
      spec.what = OperandClass::kSource;
      break;
    case 'W':
      spec.what = OperandClass::kWide;
      break;
    case 'P':
      spec.what = OperandClass::kPredicate;
      break;
    case 'U':
      spec.what = OperandClass::kWord;
      break;
    case 'L':
      spec.what = OperandClass::kLong;
      break;
    case 'R':
      spec.what = OperandClass::kWideType;
      break;
    case 'Z':
      spec.what = OperandClass::kWideSource;
      break;
    case 'M':
      spec.what = OperandClass::kMove;
      break;
    case 'A':
      spec.what = OperandClass::kAddressOf;
      break;
    case 'n':
      spec.what = OperandClass::kImmediate;
      break;
    case 'F':
      spec.what = OperandClass::kSingle;
      break;
    case 'H':
      spec.what = OperandClass::kPolicy;
      break;
    case 'V':
      spec.what = OperandClass::kVideo;
      break;
    case 'm':
      spec.what = OperandClass::kMemory;
      break;
    case 'c':
      spec.what = OperandClass::kCoordinates;
      break;
    case 'l':
      spec.what = OperandClass::kLevel;
      break;
    case 'g':
      spec.what = OperandClass::kGradient;
      break;
    default:
      spec.what = OperandClass::kWideType;
      spec.vector = true;
  }
  return spec;
}

class Table {
 public:
  Table() {
    for (const OpcodeForm& form : all_forms()) {
      CompiledForm c{&form, {}, {}};
      for (std::string token : split(form.suffixes, ' ')) {
        SuffixRule rule;
        if (token.back() == '?') {
          rule.optional = true;
          token.pop_back();
        }
        const std::size_t equals = token.find('=');
        rule.role = equals == std::string::npos ? token : token.substr(0, equals);
        rule.names = split(equals == std::string::npos ? token : token.substr(equals + 1), '|');
        c.rules.push_back(std::move(rule));
      }
      if (std::string(form.operands) != "label") {
        for (const std::string& operand : split(form.operands, ' '))
          c.operands.push_back(compile_operand(operand));
      }
      by_mnemonic_[form.mnemonic].push_back(forms_.size());
      forms_.push_back(std::move(c));
    }
  }

  const std::vector<std::size_t>* find(std::string_view mnemonic) const {
    const auto it = by_mnemonic_.find(std::string(mnemonic));
    return it == by_mnemonic_.end() ? nullptr : &it->second;
  }
  const CompiledForm& operator[](std::size_t i) const { return forms_[i]; }

 private:
  std::vector<CompiledForm> forms_;
  std::unordered_map<std::string, std::vector<std::size_t>> by_mnemonic_;
};

const Table& table() {
  static const Table instance;
  return instance;
}

template <typename E>
struct Named {
  const char* name;
  E value;
};
template <typename E, std::size_t N>
E lookup(const Named<E> (&names)[N], const std::string& name) {
  for (const Named<E>& n : names) {
    if (name == n.name) return n.value;
  }
  return E{};
}

#define SAME(E, x) \
  { #x, E::x }
const Named<Rounding> kRoundings[] = {SAME(Rounding, rn),  SAME(Rounding, rz),  SAME(Rounding, rm),
                                      SAME(Rounding, rp),  SAME(Rounding, rni), SAME(Rounding, rzi),
                                      SAME(Rounding, rmi), SAME(Rounding, rpi), SAME(Rounding, approx),
                                      SAME(Rounding, full)};
const Named<Compare> kCompares[] = {
    SAME(Compare, eq),  SAME(Compare, ne),  SAME(Compare, lt),  SAME(Compare, le),  SAME(Compare, gt),
    SAME(Compare, ge),  SAME(Compare, lo),  SAME(Compare, ls),  SAME(Compare, hi),  SAME(Compare, hs),
    SAME(Compare, equ), SAME(Compare, neu), SAME(Compare, ltu), SAME(Compare, leu), SAME(Compare, gtu),
    SAME(Compare, geu), SAME(Compare, num), SAME(Compare, nan)};
const Named<BoolOp> kBoolOps[] = {{"and", BoolOp::and_}, {"or", BoolOp::or_}, {"xor", BoolOp::xor_}};
const Named<MulMode> kMulModes[] = {SAME(MulMode, lo), SAME(MulMode, hi), SAME(MulMode, wide)};
const Named<ShiftMode> kShiftModes[] = {SAME(ShiftMode, clamp), SAME(ShiftMode, wrap)};
const Named<Direction> kDirections[] = {{"l", Direction::left}, {"r", Direction::right}};
const Named<ShuffleMode> kShuffleModes[] = {SAME(ShuffleMode, up), SAME(ShuffleMode, down),
                                            SAME(ShuffleMode, bfly), SAME(ShuffleMode, idx)};
const Named<VoteMode> kVoteModes[] = {SAME(VoteMode, all), SAME(VoteMode, any), SAME(VoteMode, uni),
                                      SAME(VoteMode, ballot)};
const Named<AtomOp> kAtomOps[] = {
    {"and", AtomOp::and_}, {"or", AtomOp::or_}, {"xor", AtomOp::xor_}, SAME(AtomOp, cas), SAME(AtomOp, exch),
    SAME(AtomOp, add),     SAME(AtomOp, inc),   SAME(AtomOp, dec),     SAME(AtomOp, min), SAME(AtomOp, max)};
const Named<PrmtMode> kPrmtModes[] = {SAME(PrmtMode, f4e), SAME(PrmtMode, b4e), SAME(PrmtMode, rc8),
                                      SAME(PrmtMode, ecl), SAME(PrmtMode, ecr), SAME(PrmtMode, rc16)};
const Named<TestpMode> kTestpModes[] = {SAME(TestpMode, finite), SAME(TestpMode, infinite),
                                        SAME(TestpMode, number), SAME(TestpMode, notanumber),
                                        SAME(TestpMode, normal), SAME(TestpMode, subnormal)};
const Named<BarOp> kBarOps[] = {SAME(BarOp, sync), SAME(BarOp, arrive)};
const Named<BarOp> kBarReductions[] = {
    {"popc", BarOp::red_popc}, {"and", BarOp::red_and}, {"or", BarOp::red_or}};
const Named<AsyncOp> kAsyncOps[] = {SAME(AsyncOp, commit_group), SAME(AsyncOp, wait_group),
                                    SAME(AsyncOp, wait_all)};
const Named<CacheOp> kCacheOps[] = {SAME(CacheOp, ca), SAME(CacheOp, cg), SAME(CacheOp, cs),
                                    SAME(CacheOp, lu), SAME(CacheOp, cv), SAME(CacheOp, wb),
                                    SAME(CacheOp, wt), SAME(CacheOp, nc)};
const Named<Space> kSpaces[] = {{"global", Space::kGlobal},      {"const", Space::kConst},
                                {"shared", Space::kShared},      {"shared::cta", Space::kShared},
                                {"local", Space::kLocal},        {"param", Space::kParam},
                                {"param::entry", Space::kParam}, {"param::func", Space::kParam}};
const Named<std::uint8_t> kPriorities[] = {
    {"L2::evict_last", 1}, {"L2::evict_normal", 2}, {"L2::evict_first", 3}, {"L2::evict_unchanged", 4}};
const Named<Geometry> kGeometries[] = {{"1d", Geometry::d1},   {"2d", Geometry::d2},   {"3d", Geometry::d3},
                                       {"a1d", Geometry::a1d}, {"a2d", Geometry::a2d}, SAME(Geometry, cube),
                                       SAME(Geometry, acube)};
const Named<SurfaceClamp> kSurfaceClamps[] = {SAME(SurfaceClamp, trap), SAME(SurfaceClamp, clamp),
                                              SAME(SurfaceClamp, zero)};
const Named<ImageQuery> kImageQueries[] = {
    SAME(ImageQuery, width),         SAME(ImageQuery, height),
    SAME(ImageQuery, depth),         SAME(ImageQuery, channel_data_type),
    SAME(ImageQuery, channel_order), SAME(ImageQuery, normalized_coords),
    SAME(ImageQuery, array_size),    SAME(ImageQuery, num_mipmap_levels),
    SAME(ImageQuery, num_samples),   SAME(ImageQuery, force_unnormalized_coords),
    SAME(ImageQuery, filter_mode),   SAME(ImageQuery, addr_mode_0),
    SAME(ImageQuery, addr_mode_1),   SAME(ImageQuery, addr_mode_2),
    SAME(ImageQuery, memory_layout), SAME(ImageQuery, texref),
    SAME(ImageQuery, samplerref),    SAME(ImageQuery, surfref)};
#undef SAME

void apply(const std::string& role, const std::string& name, OpcodeMatch& match) {
  Modifiers& m = match.modifiers;
  if (role == "type")
    m.type = type_of(name);
  else if (role == "stype")
    m.src_type = type_of(name);
  else if (role == "rnd")
    m.rounding = lookup(kRoundings, name);
  else if (role == "ftz")
    m.ftz = true;
  else if (role == "sat")
    m.sat = true;
  else if (role == "cc")
    m.cc = true;
  else if (role == "cmp")
    m.compare = lookup(kCompares, name);
  else if (role == "bool")
    m.bool_op = lookup(kBoolOps, name);
  else if (role == "mul")
    m.mul = lookup(kMulModes, name);
  else if (role == "shift")
    m.shift = lookup(kShiftModes, name);
  else if (role == "dir")
    m.direction = lookup(kDirections, name);
  else if (role == "shfl")
    m.shuffle = lookup(kShuffleModes, name);
  else if (role == "vote")
    m.vote = lookup(kVoteModes, name);
  else if (role == "sync")
    m.sync = true;
  else if (role == "match")
    m.match_all = name == "all";
  else if (role == "atom")
    m.atom = lookup(kAtomOps, name);
  else if (role == "prmt")
    m.prmt = lookup(kPrmtModes, name);
  else if (role == "testp")
    m.testp = lookup(kTestpModes, name);
  else if (role == "bar")
    m.bar = lookup(kBarOps, name);
  else if (role == "bar_red")
    m.bar = lookup(kBarReductions, name);
  else if (role == "bar_warp")
    m.bar = BarOp::warp_sync;
  else if (role == "async")
    m.async = name == "async" ? AsyncOp::copy : lookup(kAsyncOps, name);
  else if (role == "xorsign")
    m.xor_sign_abs = true;
  else if (role == "NaN")
    m.nan = true;
  else if (role == "shiftamt")
    m.shiftamt = true;
  else if (role == "to")
    m.to_space = true;
  else if (role == "relu")
    m.relu = true;
  else if (role == "policy")
    m.cache_policy = true;
  else if (role == "packto") {
    m.pack_signed = name[0] == 's';
    m.pack_bits = static_cast<std::uint8_t>(name == "u16" || name == "s16" ? 16 : name[1] - '0');
  } else if (role == "primary")
    m.priority[0] = lookup(kPriorities, name);
  else if (role == "secondary")
    m.priority[1] = lookup(kPriorities, name);
  else if (role == "range")
    m.policy_range = true;
  else if (role == "cvt")
    m.policy_convert = true;
  else if (role == "space")
    match.space = lookup(kSpaces, name);
  else if (role == "cache")
    match.cache = lookup(kCacheOps, name);
  else if (role == "order")
    match.is_volatile = true;
  else if (role == "geom")
    m.geometry = lookup(kGeometries, name);
  else if (role == "sclamp")
    m.surface_clamp = lookup(kSurfaceClamps, name);
  else if (role == "query")
    m.query = lookup(kImageQueries, name);
  else if (role == "gather")
    m.gather = static_cast<std::uint8_t>(std::string("rgba").find(name));
  else if (role == "vec")
    match.vector = static_cast<unsigned>(name[1] - '0');
  else if (role == "uni")
    match.uniform = true;
  else
    apply_video(role, name, m);
  // cta, red, warp, aligned, weak, idx, global, L1, L2, abs, mask, sem, scope, hint, proxy, restrict and
  // others: nothing depends on them.
}

bool is_refused_type(std::string_view name) {
  static const char* const kTypes[] = {"f16",  "f16x2", "bf16",   "bf16x2", "tf32",  "b128",
                                       "u128", "s128",  "e4m3x2", "e5m2x2", "f32x2", "u8x4",
                                       "s8x4", "b1",    "b4",     "u4",     "s4"};
  return std::find(std::begin(kTypes), std::end(kTypes), name) != std::end(kTypes);
}

struct NamedType {
  const char* name;
  Type type;
  unsigned bytes;
};
// In the order of Type.
const NamedType kTypes[] = {{"none", Type::kNone, 0},  {"b8", Type::b8, 1},      {"b16", Type::b16, 2},
                            {"b32", Type::b32, 4},     {"b64", Type::b64, 8},    {"b128", Type::b128, 16},
                            {"u8", Type::u8, 1},       {"u16", Type::u16, 2},    {"u32", Type::u32, 4},
                            {"u64", Type::u64, 8},     {"s8", Type::s8, 1},      {"s16", Type::s16, 2},
                            {"s32", Type::s32, 4},     {"s64", Type::s64, 8},    {"f16", Type::f16, 2},
                            {"f16x2", Type::f16x2, 4}, {"bf16", Type::bf16, 2},  {"bf16x2", Type::bf16x2, 4},
                            {"f32", Type::f32, 4},     {"f64", Type::f64, 8},    {"pred", Type::pred, 0},
                            {"u16x2", Type::u16x2, 4}, {"s16x2", Type::s16x2, 4}};

}  // namespace

namespace {

// Suffixes that are part of the instruction's name: they stand where the table has them.
bool has_fixed_place(const std::string& role) {
  static const char* const kRoles[] = {"mul", "dir",  "to",  "async", "warp", "red",   "idx",
                                       "cta", "pack", "uni", "proxy", "cvt",  "range", "fractional"};
  return std::find(std::begin(kRoles), std::end(kRoles), role) != std::end(kRoles);
}

// Matches one form with its suffixes in the table's order. Returns how many were understood; `expected`
// receives what could have stood behind them.
std::size_t match_in_order(const CompiledForm& c, const std::vector<std::string_view>& suffixes,
                           OpcodeMatch& attempt, bool& complete, std::vector<std::string>& expected) {
  std::size_t at = 0;
  complete = true;
  for (const SuffixRule& rule : c.rules) {
    const auto hit = at < suffixes.size() ? std::find(rule.names.begin(), rule.names.end(), suffixes[at])
                                          : rule.names.end();
    if (hit != rule.names.end()) {
      apply(rule.role, *hit, attempt);
      ++at;
      expected.clear();
      continue;
    }
    expected.insert(expected.end(), rule.names.begin(), rule.names.end());
    if (!rule.optional) {
      complete = false;
      break;
    }
  }
  complete &= at == suffixes.size();
  return at;
}

// Matches one form in any order, as the vendor's assembler does and compilers count on (`max.s32.relu`,
// `vote.ballot.sync.b32`, `atom.add.global.u32`). Suffixes that share names, such as two types, keep theirs.
bool match_in_any_order(const CompiledForm& c, const std::vector<std::string_view>& suffixes,
                        OpcodeMatch& attempt) {
  std::vector<bool> used(suffixes.size(), false);
  std::size_t count = 0;
  for (std::size_t r = 0; r < c.rules.size(); ++r) {
    const SuffixRule& rule = c.rules[r];
    const bool fixed = has_fixed_place(rule.role);
    bool found = false;
    for (std::size_t i = 0; i < suffixes.size() && !found; ++i) {
      if (used[i] || (fixed && i != r)) continue;
      const auto hit = std::find(rule.names.begin(), rule.names.end(), suffixes[i]);
      if (hit == rule.names.end()) continue;
      apply(rule.role, *hit, attempt);
      used[i] = found = true;
      ++count;
    }
    if (!found && !rule.optional) return false;
  }
  return count == suffixes.size();
}

}  // namespace

bool match_opcode(std::string_view mnemonic, const std::vector<std::string_view>& suffixes,
                  OpcodeMatch& match, OpcodeMismatch& mismatch) {
  const std::vector<std::size_t>* candidates = table().find(mnemonic);
  if (!candidates) {
    mismatch.at = -1;
    const bool known =
        std::find(std::begin(kUnsupported), std::end(kUnsupported), mnemonic) != std::end(kUnsupported);
    mismatch.message = known ? fmt::format("instruction '{}' is not supported", mnemonic)
                             : fmt::format("unknown instruction '{}'", mnemonic);
    return false;
  }
  const auto accept = [&](const CompiledForm& c, OpcodeMatch& attempt) {
    attempt.form = c.form;
    if (c.form->opcode == Opcode::cp_async && attempt.modifiers.async == AsyncOp::kNone)
      attempt.modifiers.async = AsyncOp::copy;
    if (c.form->opcode == Opcode::video) name_video(mnemonic, attempt.modifiers.video);
    match = attempt;
    return true;
  };
  int furthest = -1;
  std::vector<std::string> expected;
  for (const std::size_t index : *candidates) {
    OpcodeMatch attempt;
    bool complete = false;
    std::vector<std::string> here;
    const int at = static_cast<int>(match_in_order(table()[index], suffixes, attempt, complete, here));
    if (complete) return accept(table()[index], attempt);
    if (at > furthest) {
      furthest = at;
      expected.clear();
    }
    if (at == furthest) {
      for (const std::string& name : here) {
        if (std::find(expected.begin(), expected.end(), name) == expected.end()) expected.push_back(name);
      }
    }
  }
  for (const std::size_t index : *candidates) {
    OpcodeMatch attempt;
    if (match_in_any_order(table()[index], suffixes, attempt)) return accept(table()[index], attempt);
  }
  std::string full(mnemonic);
  for (const std::string_view s : suffixes) full += fmt::format(".{}", s);
  std::string allowed;
  for (const std::string& name : expected) allowed += fmt::format("{}.{}", allowed.empty() ? "" : " ", name);
  if (allowed.empty()) allowed = "nothing more";
  mismatch.at = furthest;
  for (std::size_t i = static_cast<std::size_t>(furthest); i < suffixes.size(); ++i) {
    if (is_refused_type(suffixes[i])) {
      mismatch.at = static_cast<int>(i);
      mismatch.message = fmt::format("instruction '{}' is not supported: type '.{}'", full, suffixes[i]);
      return false;
    }
  }
  if (static_cast<std::size_t>(furthest) < suffixes.size()) {
    mismatch.message = fmt::format("instruction '{}': '.{}' is not supported here; allowed: {}", full,
                                   suffixes[static_cast<std::size_t>(furthest)], allowed);
  } else {
    mismatch.message = fmt::format("instruction '{}' is incomplete; may be followed by: {}", full, allowed);
  }
  return false;
}

bool written_operands(const OpcodeForm& form, const Modifiers& m, std::size_t count,
                      std::vector<const OperandSpec*>& written) {
  const std::vector<OperandSpec>& specs = operand_specs(form);
  const auto needed = [&](const OperandSpec& s) {
    return s.what == OperandClass::kPolicy ? m.cache_policy : !s.optional;
  };
  written.clear();
  std::size_t required = 0;
  for (const OperandSpec& s : specs) required += needed(s) ? 1 : 0;
  if (count < required) return false;
  std::size_t surplus = count - required;
  for (const OperandSpec& s : specs) {
    const bool may_take = s.optional && s.what != OperandClass::kPolicy && surplus > 0;
    if (may_take) --surplus;
    written.push_back(needed(s) || may_take ? &s : nullptr);
  }
  return surplus == 0;
}

const std::vector<OperandSpec>& operand_specs(const OpcodeForm& form) {
  return table()[static_cast<std::size_t>(&form - all_forms().data())].operands;
}

bool is_mnemonic(std::string_view name) { return table().find(name) != nullptr; }

const std::vector<OpcodeForm>& opcode_forms() { return all_forms(); }

Type type_of(std::string_view suffix) {
  for (const NamedType& t : kTypes) {
    if (t.type != Type::kNone && suffix == t.name) return t.type;
  }
  return Type::kNone;
}
const char* type_name(Type t) { return kTypes[static_cast<std::size_t>(t)].name; }
unsigned type_bytes(Type t) { return kTypes[static_cast<std::size_t>(t)].bytes; }
bool is_float(Type t) { return t >= Type::f16 && t <= Type::f64; }
bool is_signed(Type t) { return t >= Type::s8 && t <= Type::s64; }
bool is_packed(Type t) { return t == Type::u16x2 || t == Type::s16x2; }

}  // namespace warpvp::ptx
