#pragma once
// Small runs of every app, in the forms and shapes that take different paths: partial CTAs, sizes below one
// CTA, persistent grids with more and with fewer CTAs than work. Also usable as `warpvp run --set
// workload.app=NAME
// --set workload.params.KEY=VALUE`.

#include <algorithm>
#include <map>
#include <ostream>
#include <string>
#include <vector>

namespace warpvp::test {

struct AppCase {
  friend void PrintTo(const AppCase& c, std::ostream* os) { *os << c.label; }
  std::string label;  ///< letters, digits and underscores
  std::string app;
  std::map<std::string, std::string> params;
};

inline std::vector<AppCase> app_cases() {
  const std::string yes = "true";
  return {
      {"vector_add", "vector_add", {{"count", "1000"}}},
      {"vector_add_one", "vector_add", {{"count", "1"}, {"block", "1"}}},
      {"vector_add_odd_block", "vector_add", {{"count", "1000"}, {"block", "77"}, {"repeat", "2"}}},
      {"vector_add_persistent", "vector_add", {{"count", "5000"}, {"persistent", yes}, {"ctas_per_sm", "2"}}},
      {"vector_add_persistent_idle", "vector_add", {{"count", "100"}, {"persistent", yes}}},
      {"pure_compute", "pure_compute", {{"threads", "500"}, {"iterations", "9"}}},
      {"pure_compute_none", "pure_compute", {{"threads", "64"}, {"iterations", "0"}, {"block", "64"}}},
      {"pure_compute_persistent",
       "pure_compute",
       {{"threads", "1500"}, {"iterations", "5"}, {"persistent", yes}, {"ctas_per_sm", "1"}}},
      {"pathfinder", "pathfinder", {{"columns", "1000"}}},
      {"pathfinder_narrow", "pathfinder", {{"columns", "3"}, {"rows", "9"}, {"height", "8"}}},
      {"pathfinder_launches", "pathfinder", {{"columns", "500"}, {"rows", "30"}, {"height", "7"}}},
      {"pathfinder_persistent",
       "pathfinder",
       {{"columns", "2000"}, {"rows", "12"}, {"height", "5"}, {"persistent", yes}, {"ctas_per_sm", "2"}}},
      {"conv2d", "conv2d", {{"rows", "20"}, {"columns", "50"}}},
      {"conv2d_smallest", "conv2d", {{"rows", "3"}, {"columns", "3"}}},
      {"conv2d_persistent",
       "conv2d",
       {{"rows", "50"}, {"columns", "70"}, {"persistent", yes}, {"ctas_per_sm", "1"}}},
      {"conv2d_persistent_flat", "conv2d", {{"rows", "5"}, {"columns", "300"}, {"persistent", yes}}},
      {"matmul", "matmul", {{"m", "32"}, {"n", "48"}, {"k", "16"}}},
      {"matmul_ragged", "matmul", {{"m", "17"}, {"n", "33"}, {"k", "5"}}},
      {"matmul_naive", "matmul", {{"m", "20"}, {"n", "30"}, {"k", "11"}, {"naive", yes}}},
      {"matmul_persistent",
       "matmul",
       {{"m", "64"}, {"n", "48"}, {"k", "33"}, {"persistent", yes}, {"ctas_per_sm", "2"}}},
      {"histogram", "histogram", {{"words", "1000"}}},
      {"histogram_one_bin",
       "histogram",
       {{"words", "300"}, {"spread", "1"}, {"block", "96"}, {"repeat", "2"}}},
      {"histogram_global", "histogram", {{"words", "700"}, {"global_only", yes}}},
      {"histogram_persistent", "histogram", {{"words", "3000"}, {"persistent", yes}, {"ctas_per_sm", "1"}}},
      {"atax", "atax", {{"rows", "100"}, {"columns", "70"}, {"block", "32"}}},
      {"atax_persistent",
       "atax",
       {{"rows", "70"}, {"columns", "300"}, {"block", "32"}, {"persistent", yes}, {"ctas_per_sm", "1"}}},
      {"dxtc", "dxtc", {{"tiles_x", "3"}, {"tiles_y", "4"}}},
      {"dxtc_persistent",
       "dxtc",
       {{"tiles_x", "2"}, {"tiles_y", "4"}, {"persistent", yes}, {"ctas_per_sm", "1"}}},
      {"binomial", "binomial", {{"options", "5"}}},
      {"binomial_stretches", "binomial", {{"options", "2"}, {"steps", "150"}, {"block", "32"}}},
      {"binomial_persistent",
       "binomial",
       {{"options", "9"}, {"steps", "20"}, {"persistent", yes}, {"ctas_per_sm", "1"}}},
      {"saxpy", "saxpy", {{"count", "3000"}, {"ctas", "3"}, {"block", "100"}}},
      {"many_streams", "many_streams", {{"streams", "5"}, {"launches", "3"}, {"count", "200"}}},
      {"many_streams_open", "many_streams", {{"streams", "3"}, {"mode", "open"}, {"deadlines_us", "100"}}},
      {"many_streams_alone", "many_streams", {{"streams", "2"}, {"mode", "alone"}, {"priorities", "7"}}},
      {"reduction", "reduction", {{"count", "3001"}, {"ctas", "3"}}},
      {"scan", "scan", {{"count", "1000"}}},
      {"scan_many_blocks", "scan", {{"count", "70000"}}},
      {"transpose", "transpose", {{"rows", "40"}, {"columns", "75"}}},
      {"transpose_conflicts",
       "transpose",
       {{"rows", "40"}, {"columns", "75"}, {"kernel", "transpose_conflicts"}}},
      {"transpose_naive", "transpose", {{"rows", "40"}, {"columns", "75"}, {"kernel", "transpose_naive"}}},
      {"stencil", "stencil", {{"rows", "20"}, {"columns", "45"}}},
      {"spmv", "spmv", {{"rows", "300"}}},
      {"spmv_warps", "spmv", {{"rows", "100"}, {"longest", "90"}, {"warp_per_row", yes}}},
      {"spmv_empty", "spmv", {{"rows", "40"}, {"longest", "0"}}},
      {"bfs", "bfs", {{"vertices", "500"}}},
      {"monte_carlo", "monte_carlo", {{"ctas", "3"}, {"block", "100"}, {"throws", "20"}}},
      {"hello", "hello", {}},
      {"pointer_chase", "pointer_chase", {{"elements", "20"}, {"steps", "50"}}},
      {"pointer_chase_l2", "pointer_chase", {{"elements", "20"}, {"steps", "45"}, {"space", "l2"}}},
      {"pointer_chase_shared", "pointer_chase", {{"steps", "30"}, {"space", "shared"}}},
      {"stream_read", "stream", {{"elements", "1000"}, {"ctas", "2"}, {"kernel", "read"}}},
      {"stream_copy", "stream", {{"elements", "1000"}, {"ctas", "2"}}},
      {"stream_scale", "stream", {{"elements", "700"}, {"ctas", "2"}, {"kernel", "scale"}}},
      {"bandwidth_probe", "bandwidth_probe", {{"warps", "4"}, {"entries", "32"}}},
      {"bandwidth_probe_stream",
       "bandwidth_probe",
       {{"pattern", "l2_stream"}, {"warps", "2"}, {"entries", "16"}, {"footprint", "100"}}},
      {"bandwidth_probe_bank",
       "bandwidth_probe",
       {{"pattern", "l2_own_bank"}, {"warps", "2"}, {"entries", "16"}, {"footprint", "200"}}},
      {"bandwidth_probe_dram",
       "bandwidth_probe",
       {{"pattern", "dram_random"}, {"warps", "2"}, {"entries", "24"}, {"passes", "3"}}},
      {"bandwidth_probe_copy",
       "bandwidth_probe",
       {{"pattern", "dram_copy"}, {"warps", "1"}, {"entries", "12"}, {"passes", "2"}}},
      {"divergence", "divergence", {{"ctas", "2"}}},
      {"divergence_32_ways", "divergence", {{"ctas", "2"}, {"ways", "32"}, {"rounds", "3"}}},
      {"collatz", "divergence", {{"kernel", "collatz"}, {"ctas", "2"}}},
      {"features_dynamic_shared", "features", {{"kernel", "dynamic_shared"}}},
      {"features_struct_parameter", "features", {{"kernel", "struct_parameter"}}},
      {"features_local_array", "features", {{"kernel", "local_array"}}},
      {"features_indirect_call", "features", {{"kernel", "indirect_call"}}},
      {"features_recursion", "features", {{"kernel", "recursion"}}},
      {"features_wide_arithmetic", "features", {{"kernel", "wide_arithmetic"}}},
      {"features_last_cta_sum", "features", {{"kernel", "last_cta_sum"}}},
      {"features_named_barriers", "features", {{"kernel", "named_barriers"}}},
      {"features_match_keys", "features", {{"kernel", "match_keys"}}},
      {"features_spin_lock", "features", {{"kernel", "spin_lock"}}},
      {"features_bits_and_bytes", "features", {{"kernel", "bits_and_bytes"}}},
      {"features_branch_tree", "features", {{"kernel", "branch_tree"}}},
      {"image",
       "image",
       {{"width", "45"}, {"height", "30"}, {"source_width", "20"}, {"source_height", "33"}}},
      {"texture_gather", "texture", {{"width", "300"}, {"count", "1000"}, {"block", "96"}}},
      {"texture_image", "texture", {{"kernel", "image"}, {"width", "45"}, {"height", "20"}}},
      {"texture_tiles", "texture", {{"kernel", "tiles"}, {"width", "16"}, {"height", "8"}, {"count", "50"}}},
      {"blackscholes", "blackscholes", {{"options", "300"}, {"block", "96"}}},
      {"blackscholes_strides", "blackscholes", {{"options", "500"}, {"ctas", "2"}, {"block", "64"}}},
      {"blackscholes_full_cta", "blackscholes", {{"options", "2048"}}},
      {"hotspot", "hotspot", {{"steps", "4"}}},
      {"hotspot_odd_steps", "hotspot", {{"rows", "7"}, {"columns", "45"}, {"steps", "3"}}},
      {"hotspot_one_row", "hotspot", {{"rows", "1"}, {"columns", "20"}, {"steps", "2"}}},
      {"hotspot3d", "hotspot3d", {{"nz", "6"}}},
      {"hotspot3d_ragged",
       "hotspot3d",
       {{"nx", "37"}, {"ny", "5"}, {"nz", "3"}, {"steps", "2"}, {"block_x", "16"}, {"block_y", "4"}}},
      {"hotspot3d_one_layer", "hotspot3d", {{"nx", "1"}, {"ny", "40"}, {"nz", "1"}, {"steps", "3"}}},
      {"kmeans", "kmeans", {{"clusters", "3"}, {"features", "7"}}},
      {"kmeans_rounds",
       "kmeans",
       {{"points", "300"}, {"clusters", "5"}, {"features", "2"}, {"rounds", "4"}, {"block", "128"}}},
      {"kmeans_ties",
       "kmeans",
       {{"points", "200"}, {"clusters", "20"}, {"features", "3"}, {"distinct", "3"}, {"rounds", "2"}}},
      {"lstm", "lstm", {{"hidden", "24"}, {"steps", "3"}, {"block", "64"}}},
      {"lstm_one", "lstm", {{"hidden", "1"}, {"steps", "1"}}},
      {"ipv6", "ipv6", {{"packets", "700"}, {"routes", "150"}}},
      {"ipv6_one_route", "ipv6", {{"packets", "40"}, {"routes", "1"}, {"block", "32"}}},
      {"cuckoo", "cuckoo", {{"packets", "500"}, {"addresses", "300"}}},
      {"cuckoo_tight", "cuckoo", {{"packets", "333"}, {"addresses", "160"}, {"block", "64"}}},
      {"gmm", "gmm", {{"mixtures", "100"}, {"components", "3"}, {"features", "7"}}},
      {"stem", "stem", {{"words", "1000"}}},
      {"psort", "psort", {{"count", "300"}, {"block", "128"}}},
      {"psort_ties", "psort", {{"count", "200"}, {"distinct", "9"}, {"block", "1024"}}},
      {"sgemm", "sgemm", {}},
      {"sgemm_ragged", "sgemm", {{"m", "21"}, {"n", "50"}, {"k", "13"}, {"block_x", "16"}, {"block_y", "8"}}},
      {"dct8x8", "dct8x8", {}},
      {"dct8x8_products", "dct8x8", {{"kernel", "dct_products"}}},
      {"backprop", "backprop", {}},
      {"backprop_adjust_weights", "backprop", {{"kernel", "adjust_weights"}, {"inputs", "48"}}},
      {"srad", "srad", {}},
      {"srad_one_column", "srad", {{"rows", "33"}, {"columns", "1"}, {"block", "64"}}},
      {"hotspot_tiles", "hotspot_tiles", {}},
      {"hotspot_tiles_ragged", "hotspot_tiles", {{"rows", "9"}, {"columns", "50"}, {"steps", "5"}}},
      {"quasirandom", "quasirandom", {}},
      {"walsh", "walsh", {}},
      {"walsh_odd_power", "walsh", {{"log_size", "11"}, {"vectors", "2"}}},
      {"merge_sort", "merge_sort", {}},
      {"merge_sort_ties", "merge_sort", {{"distinct", "5"}, {"stretches", "1"}}},
      {"sgemm_tall", "sgemm_tall", {}},
      {"mri_q", "mri_q", {}},
      {"binomial_options", "binomial_options", {}},
      {"btree", "btree", {}},
      {"btree_small", "btree", {{"records", "300"}, {"order", "5"}, {"length", "0"}}},
      {"btree_as_the_original",
       "btree",
       {{"records", "1000"}, {"order", "16"}, {"length", "200"}, {"ranges", "20"}, {"starts", "rand"}}},
      {"micro", "micro", {{"warps", "3"}, {"ctas", "2"}}},
      {"micro_rate", "micro", {{"kernel", "fma_f32"}, {"chain", "false"}}},
      {"micro_shared", "micro", {{"kernel", "shared_load_8"}, {"stride", "72"}}},
      {"micro_atomic", "micro", {{"kernel", "shared_atomic"}, {"warps", "2"}}},
      {"micro_barrier", "micro", {{"kernel", "barrier"}, {"warps", "4"}}},
      {"micro_code", "micro", {{"kernel", "instruction_cache"}, {"stride", "3"}, {"rounds", "2"}}},
      {"blur", "blur", {{"rows", "3"}, {"columns", "150"}}},
      {"pair", "pair", {{"k1", "pc"}, {"k2", "vec"}, {"budget2", "4"}, {"size", "0.01"}}},
      {"pair_serial", "pair", {{"k1", "his"}, {"k2", "his"}, {"mode", "serial"}, {"size", "0.01"}}},
      {"pair_free", "pair", {{"k1", "pf"}, {"k2", "mm"}, {"shares", "free"}, {"size", "0.02"}}},
      {"mix", "mix", {{"kernels", "his, atax, bin"}, {"budgets", "1 2 4"}, {"size", "0.02"}}},
      {"mix_others", "mix", {{"kernels", "pf,2dc,dxtc"}, {"priorities", "0 1 2"}, {"size", "0.02"}}},
  };
}

/// The parameters as settings on the command line: lists of numbers are YAML sequences, texts with blanks
/// quoted.
inline std::vector<std::string> settings_of(const AppCase& app) {
  std::vector<std::string> settings;
  for (auto [key, value] : app.params) {
    if (value.find_first_of(", ") != std::string::npos) {
      std::replace(value.begin(), value.end(), ' ', key == "kernels" ? ' ' : ',');
      value = key == "kernels" ? '"' + value + '"' : '[' + value + ']';
    }
    settings.push_back("workload.params." + key + "=" + value);
  }
  return settings;
}

}  // namespace warpvp::test
