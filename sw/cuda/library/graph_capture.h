#pragma once
// Capture: what a program puts into a stream that is being captured becomes a node of a graph instead.

#include "sw/cuda/library/graph.h"

namespace warpvp::cuda {

/// Whether that stream is; cheap where none is.
bool is_captured(cudaStream_t stream);
/// Appends to it.
Error capture(cudaStream_t stream, NodeType type, NodeWork work);
/// What a stream does that is not captured; where it is, a node of it.
inline Error put(cudaStream_t stream, NodeType type, const NodeWork& work,
                 Error (*now)(const NodeWork&, cudaStream_t)) {
  return is_captured(stream) ? capture(stream, type, work) : now(work, stream);
}

/// The event stands for what is in the stream now.
void capture_record(cudaStream_t stream, cudaEvent_t event);
/// Whether the event was recorded in a capture: then the stream joins it, and waits there.
bool capture_wait(cudaStream_t stream, cudaEvent_t event);
/// Of a stream that is captured, which cannot be waited for: kUnsupportedCapture, and its capture yields no
/// graph.
Error refuse_captured(cudaStream_t stream);

Error begin_capture(cudaStream_t stream);
/// Into that graph, behind those nodes of it.
Error begin_capture_to(cudaStream_t stream, void* graph, GraphNode* const* before, std::size_t count);
/// `graph` may be nullptr for one into a graph that was there.
Error end_capture(cudaStream_t stream, void** graph);

/// What is known of a stream that is captured.
struct CaptureInfo {
  bool capturing = false;
  std::uint64_t id = 0;
  Graph* graph = nullptr;
  GraphNode* const* ends = nullptr;  ///< good until the stream is used again
  std::size_t count = 0;
};
Error capture_info(cudaStream_t stream, CaptureInfo& info);
/// What comes next in the stream waits for these, besides what it does, or (`replaces`) instead.
Error update_capture(cudaStream_t stream, GraphNode* const* nodes, std::size_t count, bool replaces);

}  // namespace warpvp::cuda
