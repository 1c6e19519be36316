// For hosts other than x86-64, and builds without Xbyak: programs are not made the host's.
#include "ptx/native/native_code.h"

namespace warpvp::ptx {

struct NativeCode::Code {};

bool NativeCode::available() { return false; }
NativeCode::NativeCode(const Program& program, const std::vector<CodeBlock>&, const std::vector<CodeBlock>&)
    : entries_(program.code.size() + 1) {}
NativeCode::~NativeCode() = default;

}  // namespace warpvp::ptx
