#pragma once
// Instructions on clusters of CTAs. Grids here have none, so that each CTA is a cluster of its own (PTX ISA
// 2.2.2): of rank 0, with its own shared memory.
//
// An address in shared::cluster is one of shared memory with the CTA's rank in bits 24 and up, as Hopper has
// it: those of rank 0 are those of shared::cta, and those of others lie outside of it.

#include <vector>

#include "ptx/ir.h"
#include "ptx/opcode_table.h"
#include "ptx/replacement.h"

namespace warpvp::ptx {

/// Forms of mapa, getctarank and barrier.cluster, part of opcode_forms().
const std::vector<OpcodeForm>& cluster_forms();
/// Adds to `to` what an instruction of these forms does.
void expand_cluster(const ir::Instruction& i, const Replacement& to);

}  // namespace warpvp::ptx
