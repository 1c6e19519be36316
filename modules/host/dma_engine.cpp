#include "modules/host/dma_engine.h"

#include <fmt/format.h>

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
  v.amount("to_device_busy_us", to_device_busy_us, "us",
           "Time with a burst to the device under way; 0 unless the engines are of type burst.");
  v.amount("to_host_busy_us", to_host_busy_us, "us",
           "Time with a burst to the host under way; 0 unless the engines are of type burst.");
  v.amount("on_device_busy_us", on_device_busy_us, "us",
           "Time with a burst within device memory under way; 0 unless the engines are of type burst.");
  v.value("bursts", bursts, "bursts", "Bursts moved; 0 unless the engines are of type burst.");
  v.value("switches", switches, "bursts",
          "Bursts for which an engine went over to another copy although the one before had bursts left; 0 "
          "unless the engines are of type burst.");
  v.value("overtakings", overtakings, "copies",
          "Times that a copy with bursts left lost its engine to a more urgent one; 0 unless the engines are "
          "of type burst.");
}

void report_copy_done(tlm::tlm_initiator_socket<>& bus, regmap::cp::CopyDone done, FaultSink& faults) {
  tlm::tlm_generic_payload payload;
  payload.set_command(tlm::TLM_WRITE_COMMAND);
  payload.set_address(regmap::cp::kBase + regmap::cp::kCopyDone);
  payload.set_data_ptr(reinterpret_cast<unsigned char*>(&done));
  payload.set_data_length(sizeof done);
  payload.set_streaming_width(sizeof done);
  payload.set_response_status(tlm::TLM_INCOMPLETE_RESPONSE);
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  bus->b_transport(payload, delay);
  if (payload.is_response_ok()) return;
  DeviceFault fault;
  fault.what = fmt::format("DMA engine {}: the completion record of its copy (tag {}) was answered {}",
                           done.engine, done.tag, payload.get_response_string());
  fault.address = payload.get_address();
  faults.raise(fault);
}

}  // namespace warpvp
