// Linking at run time, of one module of PTX: what comes of it is that module, as there is no machine code.

#include <cstdio>
#include <cstring>
#include <fstream>
#include <iterator>

#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

constexpr int kInputPtx = 1;  // CU_JIT_INPUT_PTX

/// What a CUlinkState is.
struct Link {
  std::string ptx;
};
Handles<Link>& links() {
  static auto* const all = new Handles<Link>;
  return *all;
}

CUresult add(CUlinkState state, int type, std::string text) {
  Link* const link = links().find(state);
  if (link == nullptr) return kInvalidResourceHandle;
  if (type != kInputPtx || !link->ptx.empty()) {
    fflush(stdout);
    fprintf(
        stderr,
        "warpvp: cuLink...: one module of PTX can be linked, no second one and nothing of another form\n");
    return kNotSupported;
  }
  link->ptx = text.c_str();  // without what may follow its end
  return link->ptx.empty() ? kInvalidValue : kSuccess;
}

}  // namespace

WARPVP_API CUresult cuLinkCreate_v2(unsigned, CUjit_option*, void**, CUlinkState* state) {
  if (const Error error = in_context()) return error;
  if (state == nullptr) return kInvalidValue;
  *state = reinterpret_cast<CUlinkState>(links().add({}));
  return kSuccess;
}
WARPVP_API CUresult cuLinkAddData_v2(CUlinkState state, int type, void* data, std::size_t bytes, const char*,
                                     unsigned, CUjit_option*, void**) {
  if (const Error error = in_context()) return error;
  return data == nullptr ? CUresult{kInvalidValue}
                         : add(state, type, {static_cast<const char*>(data), bytes});
}
WARPVP_API CUresult cuLinkAddFile_v2(CUlinkState state, int type, const char* path, unsigned, CUjit_option*,
                                     void**) {
  if (const Error error = in_context()) return error;
  if (path == nullptr) return kInvalidValue;
  std::ifstream in(path, std::ios::binary);
  if (!in) return kFileNotFound;
  return add(state, type, {std::istreambuf_iterator<char>(in), {}});
}
WARPVP_API CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* bytes) {
  if (const Error error = in_context()) return error;
  Link* const link = links().find(state);
  if (link == nullptr) return kInvalidResourceHandle;
  if (image == nullptr || link->ptx.empty()) return kInvalidValue;
  *image = link->ptx.data();
  if (bytes != nullptr) *bytes = link->ptx.size() + 1;
  return kSuccess;
}
WARPVP_API CUresult cuLinkDestroy(CUlinkState state) {
  if (const Error error = in_context()) return error;
  if (links().find(state) == nullptr) return kInvalidResourceHandle;
  links().remove(state);
  return kSuccess;
}
