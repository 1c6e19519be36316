#include "modules/host/dma_engine.h"

namespace warpvp {

void DmaStats::stats(StatVisitor& v) const {
  v.value("copies", copies, "", "copies and fills done");
  v.value("bytes", bytes, "bytes", "bytes moved");
  v.value("failed", failed, "", "copies that met a bad address");
  v.value("busy_us", busy_us, "us", "time with a copy under way");
  v.value("memory_reads", memory_reads, "requests", "reads sent to the crossbar");
  v.value("memory_writes", memory_writes, "requests", "writes sent to the crossbar");
  v.value("memory_read_bytes", memory_read_bytes, "bytes", "read from device memory");
  v.value("memory_written_bytes", memory_written_bytes, "bytes", "written to device memory");
}

}  // namespace warpvp
