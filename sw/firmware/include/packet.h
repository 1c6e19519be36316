/* Packets as they lie in a queue's ring (HSA AQL, 64 bytes), for looking ahead. interconnect/aql.h says what the fields
   mean. */
#ifndef WARPVP_FIRMWARE_PACKET_H
#define WARPVP_FIRMWARE_PACKET_H

#include <stdint.h>

#define FW_PACKET_BYTES 64u
#define FW_BARRIER_SIGNALS 5u

struct fw_kernel_packet {
  uint16_t header, setup;
  uint16_t workgroup_size[3], reserved0; /* threads of a CTA */
  uint32_t grid_size[3];                 /* threads in all */
  uint32_t private_segment_size, group_segment_size;
  uint64_t kernel_object; /* tells kernels apart */
  uint64_t kernarg_address;
  uint64_t extension;
  uint64_t completion_signal;
};

struct fw_barrier_packet {
  uint16_t header, reserved0;
  uint32_t reserved1;
  uint64_t signals[FW_BARRIER_SIGNALS];
  uint64_t extension;
  uint64_t completion_signal;
};

struct fw_copy_packet {
  uint16_t header, kind;
  uint32_t value;
  uint64_t source, destination, bytes;
  uint64_t reserved[2];
  uint64_t extension;
  uint64_t completion_signal;
};

struct fw_packet {
  union {
    uint16_t header; /* type in bits 7:0 (enum fw_packet_type), FW_BARRIER_BIT */
    struct fw_kernel_packet kernel;
    struct fw_barrier_packet barrier;
    struct fw_copy_packet copy;
    uint32_t word[FW_PACKET_BYTES / 4];
  };
};

#define FW_JOB_LAST (1u << 0) /* of job_flags: no packet of the job comes after this one */

/* The vendor extension record that a packet may point to. */
struct fw_extension {
  union {
    struct {
      uint32_t magic, launch, job;
      int32_t priority;
      uint32_t budget;
      uint16_t stream, context;
      uint64_t deadline_ns, enqueue_ns;
      uint64_t job_arrival_ns;
      uint32_t job_index, job_kernels, job_flags;
      uint32_t expected_ns;
    };
    uint32_t word[FW_PACKET_BYTES / 4];
  };
};

#endif
