#include "tests/ptx_reference/forms.h"

#include <string>

namespace warpvp::reference {

#define INT "{u16|u32|u64|s16|s32|s64}"
#define CARRY "{u32|s32|u64|s64}"
#define RND "{rn|rz|rm|rp}"
#define RNDO "{|.rn|.rz|.rm|.rp}"
#define FTZ "{|.ftz}"
#define SAT "{|.sat}"
#define TOINT "{rni|rzi|rmi|rpi}"
#define CINT "{u8|u16|u32|u64|s8|s16|s32|s64}"
#define FREL "{eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan}"
#define IREL "{eq|ne|lt|le|gt|ge}"
#define UREL "{eq|ne|lt|le|gt|ge|lo|ls|hi|hs}"
#define BOOL "{and|or|xor}"

const std::vector<Form>& forms() {
  static const std::vector<Form> kForms = {
      // integer arithmetic
      {"{add|sub|min|max|div|rem}." INT, "dT sT sT"},
      {"{add|sub}.sat.s32", "dT sT sT"},
      {"{neg|abs}.{s16|s32|s64}", "dT sT"},
      {"{min|max}.relu.s32", "dT sT sT"},
      {"mul.{lo|hi}." INT, "dT sT sT"},
      {"mad.{lo|hi}." INT, "dT sT sT sT"},
      {"mad.hi.sat.s32", "dT sT sT sT"},
      {"mul.wide.{u16|u32|s16|s32}", "dW sT sT"},
      {"mad.wide.{u16|u32|s16|s32}", "dW sT sT sW"},
      {"mul24.{lo|hi}.{u32|s32}", "dT sT sT"},
      {"mad24.{lo|hi}.{u32|s32}", "dT sT sT sT"},
      {"mad24.hi.sat.s32", "dT sT sT sT"},
      {"sad." INT, "dT sT sT sT"},
      {"dp4a.{u32|s32}.{u32|s32}", "dw sw sw sw"},
      {"dp2a.{lo|hi}.{u32|s32}.{u32|s32}", "dw sw sw sw"},
      // bits
      {"{and|or|xor}.{b16|b32|b64}", "dT sT sT"},
      {"{and|or|xor}.pred", "dp sp sp"},
      {"{not|cnot}.{b16|b32|b64}", "dT sT"},
      {"not.pred", "dp sp"},
      {"shl.{b16|b32|b64}", "dT sT sw"},
      {"shr.{b16|b32|b64|u16|u32|u64|s16|s32|s64}", "dT sT sw"},
      {"shf.{l|r}.{wrap|clamp}.b32", "dT sT sT sw"},
      {"bfe.{u32|u64|s32|s64}", "dT sT sw sw"},
      {"bfi.{b32|b64}", "dT sT sT sw sw"},
      {"bfind{|.shiftamt}.{u32|u64|s32|s64}", "dw sT"},
      {"{popc|clz}.{b32|b64}", "dw sT"},
      {"brev.{b32|b64}", "dT sT"},
      {"bmsk.{clamp|wrap}.b32", "dw sw sw"},
      {"szext.{clamp|wrap}.{u32|s32}", "dT sT sw"},
      {"fns.b32", "dT sw sl sw"},
      {"prmt.b32", "dT sT sT sw"},
      {"prmt.b32.{f4e|b4e|rc8|ecl|ecr|rc16}", "dT sT sT sw"},
      {"lop3.b32", "dT sT sT sT n"},
      {"lop3.{and|or}.b32", "dT|p! sT sT sT n sp"},
      {"add.{u16x2|s16x2}", "dT sT sT"},
      {"{min|max}.{u16x2|s16x2|relu.s16x2}", "dT sT sT"},
      {"cvt.pack.sat.{u16|s16}.s32", "dw sw sw"},
      {"cvt.pack.sat.{u8|s8|u4|s4|u2|s2}.s32.b32", "dw sw sw sw"},
      // video
      {"{vadd|vsub|vabsdiff|vmin|vmax}.{u32|s32}.{u32|s32}.{u32|s32}{|.sat}", "dw sv sv"},
      {"{vadd|vsub|vabsdiff|vmin|vmax}.{u32|s32}.{u32|s32}.{u32|s32}{|.sat}.{add|min|max}", "dw sv sv sc"},
      {"{vadd|vsub|vabsdiff|vmin|vmax}.{u32|s32}.{u32|s32}.{u32|s32}{|.sat}", "dv! sv sv sc"},
      // How wide the unsaturated result of a left shift is, the manual leaves open.
      {"vshl.{u32|s32}.{u32|s32}.u32.{clamp|wrap}", "dw sv sv"},
      {"vshl.{u32|s32}.{u32|s32}.u32.{clamp|wrap}.add", "dw sv sv sc"},
      {"vshr.{u32|s32}.{u32|s32}.u32{|.sat}.{clamp|wrap}", "dw sv sv"},
      {"vshr.{u32|s32}.{u32|s32}.u32{|.sat}.{clamp|wrap}.{add|min|max}", "dw sv sv sc"},
      {"vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}.{add|min|max}", "dw sv sv sc"},
      {"vset.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}", "dw sv sv"},
      {"{vadd2|vsub2|vabsdiff2|vmin2|vmax2|vavrg2|vadd4|vsub4|vabsdiff4|vmin4|vmax4|vavrg4}.{u32|s32}.{u32|"
       "s32}.{u32|s32}"
       "{|.sat|.add}",
       "dq sq sq sc"},
      {"{vset2|vset4}.{u32|s32}.{u32|s32}.{eq|ne|lt|le|gt|ge}{|.add}", "dq sq sq sc"},
      {"vmad.{u32|s32}.{u32|s32}.{u32|s32}{|.sat}{|.shr7|.shr15}", "dw sv sv sc"},
      // floating point
      {"{add|sub|mul}" RNDO FTZ SAT ".f32", "dT sT sT"},
      {"{add|sub|mul}" RNDO ".f64", "dT sT sT"},
      {"{fma|mad}." RND FTZ SAT ".f32", "dT sT sT sT"},
      {"{fma|mad}." RND ".f64", "dT sT sT sT"},
      {"div." RND FTZ ".f32", "dT sT sT"},
      {"div." RND ".f64", "dT sT sT"},
      {"{rcp|sqrt}." RND FTZ ".f32", "dT sT"},
      {"{rcp|sqrt}." RND ".f64", "dT sT"},
      {"{min|max}" FTZ "{|.NaN}{|.xorsign.abs}.f32", "dT sT sT"},
      {"{min|max}.f64", "dT sT sT"},
      {"{abs|neg}" FTZ ".f32", "dT sT"},
      {"{abs|neg}.f64", "dT sT"},
      {"copysign.{f32|f64}", "dT sT sT"},
      {"testp.{finite|infinite|number|notanumber|normal|subnormal}.{f32|f64}", "dp sT"},
      // comparison
      {"setp.{eq|ne}.{b16|b32|b64}", "dp|p sT sT"},
      {"setp." IREL ".{s16|s32|s64}", "dp|p sT sT"},
      {"setp." UREL ".{u16|u32|u64}", "dp|p sT sT"},
      {"setp." IREL "." BOOL ".{s16|s32|s64}", "dp|p sT sT sp"},
      {"setp." UREL "." BOOL ".{u16|u32|u64}", "dp|p sT sT sp"},
      {"setp." FREL FTZ ".f32", "dp|p sT sT"},
      {"setp." FREL "." BOOL FTZ ".f32", "dp|p sT sT sp"},
      {"setp." FREL ".f64", "dp|p sT sT"},
      {"setp." FREL "." BOOL ".f64", "dp|p sT sT sp"},
      {"set." IREL ".{u32|s32|f32}.{s16|s32|s64}", "dT sS sS"},
      {"set." UREL ".{u32|s32|f32}.{u16|u32|u64}", "dT sS sS"},
      {"set." IREL "." BOOL ".{u32|s32|f32}.{s16|s32|s64}", "dT sS sS sp"},
      {"set." FREL FTZ ".{u32|s32|f32}.f32", "dT sS sS"},
      {"set." FREL "." BOOL FTZ ".{u32|s32|f32}.f32", "dT sS sS sp"},
      {"set." FREL ".{u32|s32|f32}.f64", "dT sS sS"},
      {"selp.{b16|b32|b64|u16|s32|u64|f32|f64}", "dT sT sT sp"},
      {"slct.{b16|b32|b64|u16|s32|u64|f32|f64}.s32", "dT sT sT sS"},
      {"slct" FTZ ".{b16|b32|b64|u16|s32|u64|f32|f64}.f32", "dT sT sT sS"},
      // conversion
      {"cvt." CINT "." CINT, "dR sZ"},
      {"cvt.sat.{u8|s8}.{u16|u32|u64|s16|s32|s64}", "dR sZ"},
      {"cvt.sat.{u16|s16}.{u32|u64|s32|s64}", "dR sZ"},
      {"cvt.sat.{u32|s32}.{u64|s64}", "dR sZ"},
      {"cvt.sat.{u8.s8|s8.u8|u16.s8|u16.s16|s16.u16|u32.s8|u32.s32|s32.u32|u64.s8|u64.s64|s64.u64}", "dR sZ"},
      {"cvt." TOINT FTZ SAT "." CINT ".f32", "dR sS"},
      {"cvt." TOINT SAT "." CINT ".f64", "dR sS"},
      {"cvt." RND FTZ SAT ".f32." CINT, "dT sZ"},
      {"cvt." RND SAT ".f64." CINT, "dT sZ"},
      {"cvt." RND FTZ SAT ".f32.f64", "dT sS"},
      {"cvt" FTZ SAT ".f64.f32", "dT sS"},
      {"cvt." TOINT FTZ SAT ".f32.f32", "dT sS"},
      {"cvt" FTZ SAT ".f32.f32", "dT sS"},
      {"cvt." TOINT SAT ".f64.f64", "dT sS"},
      {"cvt" SAT ".f64.f64", "dT sS"},
      // moves
      {"mov.{b16|b32|b64|u16|s32|u64|f32|f64}", "dT sT"},
  };
  return kForms;
}

bool differs_on_chips(const Form& form) {
  const std::string opcode = form.opcode;
  const auto begins = [&](const char* word) { return opcode.rfind(word, 0) == 0; };
  const auto has = [&](const char* word) { return opcode.find(word) != std::string::npos; };
  // Scalar video instructions, but not those on two or four parts; fns from the least offset.
  if (begins("vshr") || begins("vmad") || begins("vset.") || begins("{vadd|") || begins("fns")) return true;
  // Positions and lengths above 32 that are constants.
  if (begins("bfi") || begins("bfe")) return true;
  // A NaN copied to its own type.
  if (begins("cvt" FTZ SAT ".f32.f32") || begins("cvt" SAT ".f64.f64")) return true;
  // Of two NaNs in double precision either comes back; abs and neg of NaNs are now additions, now logic.
  if (begins("{abs|neg}") && (has(".f32") || has(".f64"))) return true;
  // The minimum of a NaN and itself is that NaN, to the assembler.
  if (begins("{min|max}") && (has(".f32") || has(".f64"))) return true;
  return has(".f64") && (begins("{add|") || begins("{fma|") || begins("div"));
}

bool loses_guard_on_chips(const Form& form) {
  const std::string opcode = form.opcode;
  return opcode.rfind("set.", 0) == 0 || opcode.rfind("testp", 0) == 0;
}

}  // namespace warpvp::reference
