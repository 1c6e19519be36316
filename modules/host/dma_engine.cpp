#include "modules/host/dma_engine.h"

namespace warpvp {

void DmaStats::stats(StatVisitor& v) const {
  v.value("copies", copies, "copies", "Copies and fills done.");
  v.value("bytes", bytes, "bytes", "Bytes moved by copies and fills.");
  v.value("failed", failed, "copies", "Copies that met a bad address.");
  v.amount("busy_us", busy_us, "us", "Time with a copy under way.");
  v.value("memory_reads", memory_reads, "requests", "Reads that copies sent to the crossbar.");
  v.value("memory_writes", memory_writes, "requests", "Writes that copies sent to the crossbar.");
  v.value("memory_read_bytes", memory_read_bytes, "bytes", "Bytes that copies read from device memory.");
  v.value("memory_written_bytes", memory_written_bytes, "bytes", "Bytes that copies wrote to device memory.");
}

}  // namespace warpvp
