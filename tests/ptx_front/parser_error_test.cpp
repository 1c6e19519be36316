// What is wrong is refused, at its line and column, with what would be right.

#include "support.h"

namespace warpvp::ptx {
namespace {

struct Case {
  const char* name;
  std::string text;
  const char* message;
};

// The instruction stands on line 7, column 1.
std::string with(const std::string& instruction, const std::string& before = "") {
  return kernel(kRegisters + instruction, before);
}

void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }
class ParserError : public testing::TestWithParam<Case> {};

TEST_P(ParserError, NamesPlaceAndRemedy) { EXPECT_EQ(error_of(GetParam().text), GetParam().message); }

INSTANTIATE_TEST_SUITE_P(
    Module, ParserError,
    testing::Values(
        Case{"no_version", "  .target sm_70",
             "t.ptx:1:3: a PTX module begins with '.version'; found '.target'"},
        Case{"empty", "", "t.ptx:1:1: a PTX module begins with '.version'; found end of file"},
        Case{"version_number", ".version seven", "t.ptx:1:10: '.version' needs a number such as 7.5"},
        Case{"address_size", ".version 7.5\n.address_size 32\n",
             "t.ptx:2:15: only '.address_size 64' is supported"},
        Case{"stray", kHeader + "hello", "t.ptx:4:1: unexpected 'hello'; expected a directive"},
        Case{"directive", kHeader + ".bogus x;",
             "t.ptx:4:1: unexpected '.bogus'; expected .entry, .func, .global, .const or .shared"},
        Case{"surfref", using_variable("t", ".global .surfref t;"),
             "t.ptx:4:9: type '.surfref' is not supported: only textures are"},
        Case{"alias_unknown", kHeader + ".func a();\n.alias a, b;",
             "t.ptx:5:11: unknown function 'b' in '.alias'"},
        Case{"alias_body", kHeader + ".func a() { ret; } .func b() { ret; }\n.alias a, b;",
             "t.ptx:5:8: 'a' has a body already"},
        Case{"alias_kernel", kHeader + ".func a(); .entry b() { ret; }\n.alias a, b;",
             "t.ptx:5:8: '.alias' is for functions, not kernels"},
        Case{"alias_signature", kHeader + ".func a(.reg .u32 x); .func b() { ret; }\n.alias a, b;",
             "t.ptx:4:7: 'a' differs from its earlier declaration"},
        Case{"twice", kHeader + ".global .u32 a;\n.global .u32 a;", "t.ptx:5:14: 'a' is declared twice"},
        Case{"no_size", kHeader + ".global .u32 a[];",
             "t.ptx:4:14: array 'a' needs a size, initial values or '.extern'"},
        Case{"too_many", kHeader + ".global .u32 a[2] = {1, 2, 3};", "t.ptx:4:28: too many values for 'a'"},
        Case{"too_deep", kHeader + ".global .u32 a[2] = {{1}};",
             "t.ptx:4:22: too many nested braces for 'a'"},
        Case{"float_in_int", kHeader + ".global .u32 a = 1.5;",
             "t.ptx:4:18: floating-point value for an element of type '.u32'"},
        Case{"mask", kHeader + ".global .u32 b; .global .u8 a = 0xff0(b);",
             "t.ptx:4:33: the mask of an address is 0xff, 0xff00, ... or 0xff00000000000000"},
        Case{"mask_width", kHeader + ".global .u32 b; .global .u16 a = 0xff00(b);",
             "t.ptx:4:34: a byte of an address needs an 8-bit element"},
        Case{"narrow_address", using_variable("a", ".global .u32 b; .global .u32 a = b;"),
             "t.ptx:4:34: an address needs a 64-bit element"},
        Case{"unknown_initial", kHeader + ".global .u64 a = c;",
             "t.ptx:4:18: unknown name 'c' in an initial value"},
        Case{"shared_initial", kHeader + ".shared .u32 a = 1;",
             "t.ptx:4:16: only .global and .const variables can have initial values"},
        Case{"alignment", kHeader + ".global .align 3 .u32 a;",
             "t.ptx:4:16: alignment must be a power of two up to 1024"},
        Case{"divide", kHeader + ".global .u32 a[4/0];",
             "t.ptx:4:17: division by zero in a constant expression"},
        Case{"two_bodies", kHeader + ".func f() { ret; }\n.func f() { ret; }",
             "t.ptx:5:7: 'f' has a body already"},
        Case{"other_signature", kHeader + ".func f(.param .u32 a);\n.func f(.param .u64 a) { ret; }",
             "t.ptx:5:7: 'f' differs from its earlier declaration"},
        Case{"unclosed", kHeader + ".entry k()\n{ ret;",
             "t.ptx:5:7: unexpected end of file; the block opened at line 5 needs '}'"},
        Case{"open_section", kHeader + ".section .debug {",
             "t.ptx:4:1: '.section' is not closed; expected '}'"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Body, ParserError,
    testing::Values(
        Case{"unknown_instruction", with("  frobnicate.u32 %r1, %r2;"),
             "t.ptx:7:3: unknown instruction 'frobnicate'"},
        Case{"mma", with("mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32 %r1, %r2;"),
             "t.ptx:7:1: 'mma.sync.aligned.m8n8k4.row.col.f32.f16.f16.f32' takes 4 operands, found 2"},
        Case{"mma_shape", with("mma.sync.aligned.m16n16k16.row.col.f32.f16.f16.f32 %r1, %r2, %r3, %r4;"),
             "t.ptx:7:17: instruction 'mma.sync.aligned.m16n16k16.row.col.f32.f16.f16.f32': '.m16n16k16' is "
             "not "
             "supported here; allowed: .m8n8k4 .m16n8k8 .m16n8k16 .m16n8k4 .m16n8k32 .m8n8k16 .m8n8k32 "
             ".m16n8k64 "
             ".m8n8k128 .m16n8k128 .m16n8k256"},
        Case{"wgmma", with("wgmma.fence.sync.aligned;"), "t.ptx:7:1: instruction 'wgmma' is not supported"},
        Case{"surface", with("suld.b.1d.b32.trap %r1, [s, {%r2}];"), "t.ptx:7:26: unknown name 's'"},
        Case{"half", with("div.f16 %h1, %h2, %h3;"),
             "t.ptx:7:4: instruction 'div.f16' is not supported: type '.f16'"},
        Case{"bfloat", with("fma.rz.bf16x2 %r1, %r2, %r3, %r4;"),
             "t.ptx:7:7: instruction 'fma.rz.bf16x2' is not supported: type '.bf16x2'"},
        Case{"half_cvt", with("cvt.rn.f16x2.f64 %r1, %h1;"),
             "t.ptx:7:13: instruction 'cvt.rn.f16x2.f64': '.f64' is not supported here; allowed: .f32 "
             ".e4m3x2 .e5m2x2"},
        Case{"wrong_suffix", with("shf.l.left.b32 %r1, %r2, %r3, %r4;"),
             "t.ptx:7:6: instruction 'shf.l.left.b32': '.left' is not supported here; allowed: .clamp .wrap"},
        Case{"missing_suffix", with("mul.wide %rd1, %r1, %r2;"),
             "t.ptx:7:4: instruction 'mul.wide' is incomplete; may be followed by: .u16 .u32 .s16 .s32"},
        Case{"div_rounding", with("div.f32 %f1, %f2, %f3;"),
             "t.ptx:7:4: instruction 'div.f32': '.f32' is not supported here; allowed: .u16 .u32 .u64 .s16 "
             ".s32 .s64 .approx .full .rn .rz .rm .rp"},
        Case{"cvt_rounding", with("cvt.s32.f32 %r1, %f1;"),
             "t.ptx:7:8: instruction 'cvt.s32.f32': '.f32' is not supported here; allowed: .u8 .u16 .u32 "
             ".u64 .s8 .s16 .s32 .s64"},
        Case{"undeclared", with("add.u32 %r1, %r2, %r10;"),
             "t.ptx:7:19: unknown register '%r10': neither declared with .reg nor a supported special "
             "register"},
        Case{"leading_zero", with("add.u32 %r1, %r2, %r01;"),
             "t.ptx:7:19: unknown register '%r01': neither declared with .reg nor a supported special "
             "register"},
        Case{"special", with("mov.u32 %r1, %maxnreg;"),
             "t.ptx:7:14: unknown register '%maxnreg': neither declared with .reg nor a supported "
             "special register"},
        Case{"count", with("add.u32 %r1, %r2;"), "t.ptx:7:1: 'add.u32' takes 3 operands, found 2"},
        Case{"count_range", with("bar.sync;"), "t.ptx:7:1: 'bar.sync' takes 1 to 2 operands, found 0"},
        Case{"width", with("add.u32 %r1, %r2, %rd3;"),
             "t.ptx:7:19: 'add.u32' cannot take '%rd3' of type .u64 here; it needs .u32"},
        Case{"float_class", with("add.u32 %r1, %r2, %f3;"),
             "t.ptx:7:19: 'add.u32' cannot take '%f3' of type .f32 here; it needs .u32"},
        Case{"int_constant", with("add.f32 %f1, %f2, 1;"),
             "t.ptx:7:19: 'add.f32' cannot take an integer constant here; it needs .f32"},
        Case{"float_constant", with("add.u32 %r1, %r2, 1.0;"),
             "t.ptx:7:19: 'add.u32' cannot take a floating-point constant here; it needs .u32"},
        Case{"constant_destination", with("add.u32 1, %r2, %r3;"),
             "t.ptx:7:9: 'add.u32' cannot take an integer constant here; it needs .u32"},
        Case{"predicate", with("selp.u32 %r1, %r2, %r3, %r4;"),
             "t.ptx:7:25: 'selp.u32' needs a .pred register here"},
        Case{"guard", with("@%r1 mov.u32 %r2, %r3;"),
             "t.ptx:7:2: '%r1' is not a predicate; a guard needs a .pred register"},
        Case{"unknown_guard", with("@%q mov.u32 %r2, %r3;"),
             "t.ptx:7:2: unknown predicate '%q'; declare it with .reg .pred"},
        Case{"negation", with("add.u32 %r1, !%r2, %r3;"), "t.ptx:7:14: '!' is for predicates only"},
        Case{"label", with("bra nowhere;"), "t.ptx:7:5: unknown label 'nowhere' in function 'k'"},
        Case{"label_scope", with("bra inside;\n{ inside: ret; }"),
             "t.ptx:7:5: unknown label 'inside' in function 'k'"},
        Case{"address", with("ld.global.u32 %r1, %rd1;"),
             "t.ptx:7:20: 'ld.global.u32' needs an address in brackets here"},
        Case{"address_width", with("ld.global.u32 %r1, [%r2];"),
             "t.ptx:7:20: '%r2' of type .u32 cannot be an address here; it needs a 64-bit integer register"},
        Case{"space", with("ld.global.u32 %r1, [s];", ".shared .u32 s;"),
             "t.ptx:7:20: 's' is not in the state space of 'ld.global.u32'"},
        Case{"vector_length", with("ld.global.v4.u32 {%r1, %r2}, [%rd1];"),
             "t.ptx:7:18: 'ld.global.v4.u32' needs a vector of 4 elements"},
        Case{"vector_bytes", with("ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];"),
             "t.ptx:7:1: 'ld.global.v4.u64': vectors of more than 16 bytes are not supported"},
        Case{"narrow_register", with("ld.global.u32 %h1, [%rd1];"),
             "t.ptx:7:15: 'ld.global.u32' cannot take '%h1' of type .b16 here; it needs at least .u32"},
        Case{"pack", with("mov.b64 %rd1, {%r1, %r2, %r3};"),
             "t.ptx:7:15: 'mov.b64' cannot take 3 elements; allowed: 2 with .b16, 2 or 4 with .b32 and .b64"},
        Case{"write_param", with("st.param.u64 [p], %rd1;"), "t.ptx:7:14: parameter 'p' cannot be written"},
        Case{"past_param", with("ld.param.u64 %rd1, [p+4];"),
             "t.ptx:7:20: access past the end of parameter 'p' (8 bytes)"},
        Case{"lop3", with("lop3.b32 %r1, %r2, %r3, %r4, 256;"),
             "t.ptx:7:30: the lookup table of 'lop3' is between 0 and 255"},
        Case{"barrier", with("bar.sync 16;"), "t.ptx:7:10: a barrier is between 0 and 15"},
        Case{"missing_semicolon", with("add.u32 %r1, %r2, %r3\nret;"),
             "t.ptx:8:1: unexpected 'ret' in 'add.u32'; expected ',' or ';'"},
        Case{"reserved", with(".reg .u32 %laneid;"), "t.ptx:7:11: '%laneid' is a reserved name"},
        Case{"redeclared", with(".reg .u32 %x; .reg .u32 %x;"), "t.ptx:7:25: '%x' is declared twice"},
        Case{"vector_register", with(".reg .v2 .f32 %v; mov.f32 %f1, %v.z;"),
             "t.ptx:7:34: a vector register of 2 elements has no component '.z'"},
        Case{"sink_source", with("add.u32 %r1, _, %r3;"),
             "t.ptx:7:14: 'add.u32' cannot take '_' here; it needs .u32"},
        Case{"second_destination", with("add.u32 %r1|%p1, %r2, %r3;"),
             "t.ptx:7:9: 'add.u32' has no second destination"},
        Case{"async_size", with("cp.async.ca.shared.global [%r1], [%rd1], 5;"),
             "t.ptx:7:42: 'cp.async.ca' copies 4, 8 or 16 bytes"}),
    [](const auto& info) { return info.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Calls, ParserError,
    testing::Values(
        Case{"unknown_function", with("call f;"), "t.ptx:7:6: unknown function 'f'; declare it with .func"},
        Case{"argument_count", kHeader + ".func f(.param .u32 a) { ret; }\n.entry k() { call f; }",
             "t.ptx:5:14: 'f' takes 1 argument, the call has 0"},
        Case{"argument_size",
             kHeader + ".func f(.param .u32 a) { ret; }\n.entry k() { .param .u64 x; call f, (x); }",
             "t.ptx:5:38: argument 1 of 'f' has 4 bytes, 'x' has 8"},
        Case{"kernel", kHeader + ".entry e() { ret; }\n.entry k() { call e; }",
             "t.ptx:5:14: 'e' is a kernel; only functions can be called"},
        Case{"no_prototype", with("call %rd1, ();"),
             "t.ptx:7:6: an indirect call needs a .callprototype or .calltargets name after its arguments"},
        Case{"no_body", kHeader + ".extern .func f();\n.entry k() { call f; ret; }",
             "t.ptx:5:14: function 'f' is declared but has no body"},
        Case{"malloc",
             kHeader + ".extern .func (.param .b32 r) malloc(.param .b64 n);\n.entry k() { .param .b64 n; "
                       ".param .b32 r; call (r), malloc, (n); ret; }",
             "t.ptx:5:44: function 'malloc' is declared but has no body"},
        Case{"kernel_address", kernel(".reg .u64 %rd; mov.u64 %rd, k; ret;"),
             "t.ptx:6:29: the address of kernel 'k' is not supported: kernels cannot launch kernels"},
        Case{"dynamic_parallelism_of_nvcc",
             kHeader +
                 ".extern .func (.param .b32 r) __cudaCDP2Free(.param .b64 p);\n.entry k() { .param .b32 r; "
                 ".param .b64 p; call (r), __cudaCDP2Free, (p); ret; }",
             "t.ptx:5:44: '__cudaCDP2Free' is not supported: kernels cannot launch kernels or use the host "
             "API"},
        Case{"dynamic_parallelism",
             kHeader + ".extern .func (.param .b32 r) cudaDeviceSynchronize();\n.entry k() { .param .b32 r; "
                       "call (r), cudaDeviceSynchronize; ret; }",
             "t.ptx:5:29: 'cudaDeviceSynchronize' is not supported: kernels cannot launch kernels or use the "
             "host "
             "API"},
        Case{"extern_variable",
             kHeader + ".extern .global .u32 x;\n.entry k() { .reg .u32 %r; ld.global.u32 %r, [x]; ret; }",
             "t.ptx:5:46: 'x' is declared .extern and not defined"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace warpvp::ptx
