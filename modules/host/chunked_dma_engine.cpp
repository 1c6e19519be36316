#include "modules/host/chunked_dma_engine.h"

namespace warpvp {
namespace {

class ChunkedDmaType : public DmaEngineType {
 public:
  explicit ChunkedDmaType(const DmaConfig& config) : config_(config) {}
  std::unique_ptr<DmaEngine> build(const char* name, const DmaPlace& place) const override {
    return std::make_unique<ChunkedDmaEngine>(name, config_, place);
  }

 private:
  DmaConfig config_;
};

WARPVP_REGISTER_BLOCK(DmaEngineType, ChunkedDmaType, DmaConfig, "chunked",
                      "Cuts a copy into chunks, several of which are under way at once.");

}  // namespace
}  // namespace warpvp
