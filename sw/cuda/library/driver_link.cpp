// Linking at run time, of PTX, plain and in fat binaries: what comes of it is PTX, as there is no machine
// code.

#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "sw/cuda/library/device_code.h"
#include "sw/cuda/library/driver_functions.h"
#include "sw/cuda/library/driver_state.h"

using namespace warpvp::cuda;

namespace {

constexpr int kInputPtx = 1, kInputFatBinary = 2;  // CU_JIT_INPUT_...

/// What a CUlinkState is.
struct Link {
  std::vector<std::string> inputs;
  std::string ptx;  ///< of all, once it is complete
};
Handles<Link>& links() {
  static auto* const all = new Handles<Link>;
  return *all;
}

CUresult add(CUlinkState state, int type, std::string input) {
  Link* const link = links().find(state);
  if (link == nullptr) return kInvalidResourceHandle;
  if (type != kInputPtx && type != kInputFatBinary) {
    fflush(stdout);
    fprintf(stderr, "warpvp: cuLink...: PTX and fat binaries can be linked, nothing of another form\n");
    return kNotSupported;
  }
  if (input.empty() || (magic_of(input.c_str()) == kBinaryMagic) != (type == kInputFatBinary))
    return kInvalidValue;
  // It may be cut off, or have something behind its end.
  const std::size_t bytes = input.size() < 16 && type == kInputFatBinary ? 16 : bytes_of(input.c_str());
  if (bytes > input.size() + (type == kInputPtx ? 1 : 0)) return kInvalidKernelImage;
  input.resize(type == kInputPtx ? bytes - 1 : bytes);
  link->inputs.push_back(std::move(input));
  return kSuccess;
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
  if (image == nullptr || link->inputs.empty()) return kInvalidValue;
  std::vector<Image> images;
  for (const std::string& input : link->inputs) images.push_back({input.data(), input.size()});
  if (const Error error = link_images(images, link->ptx)) return driver_error(error);
  *image = link->ptx.data();
  if (bytes != nullptr) *bytes = link->ptx.size() + 1;
  return kSuccess;
}
WARPVP_API CUresult cuLinkDestroy(CUlinkState state) {
  if (const Error error = initialized()) return error;
  if (links().find(state) == nullptr) return kInvalidResourceHandle;
  links().remove(state);
  return kSuccess;
}
