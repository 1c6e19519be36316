// A library without functions under the name of the CUDA 11 runtime's. GPGPU-Sim asks `ldd` which CUDA
// runtime a program is linked with; its own library takes this one's place when the program runs.
namespace warpvp::gpgpusim {
extern const int kPlaceholder;
const int kPlaceholder = 0;
}  // namespace warpvp::gpgpusim
