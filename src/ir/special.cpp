// The special registers (PTX ISA, "Special Registers").
#include "ir/module.h"

namespace ww::ir {

const std::vector<SpecialRegister>& special_registers() {
  static const auto all = [] {
    std::vector<SpecialRegister> list;
    for (const char* name :
         {"tid", "ntid", "ctaid", "nctaid", "clusterid", "nclusterid", "cluster_ctaid", "cluster_nctaid"})
      for (const char* part : {"x", "y", "z"}) list.push_back({std::string(name) + "." + part});
    for (const char* name :
         {"laneid", "warpid", "nwarpid", "smid", "nsmid", "lanemask_eq", "lanemask_le", "lanemask_lt",
          "lanemask_ge", "lanemask_gt", "clock", "clock_hi", "globaltimer_lo", "globaltimer_hi",
          "dynamic_smem_size", "total_smem_size", "aggr_smem_size", "cluster_ctarank", "cluster_nctarank"})
      list.push_back({name});
    for (const char* name : {"clock64", "globaltimer", "gridid"}) list.push_back({name, Type::u64});
    list.push_back({"is_explicit_cluster", Type::pred});
    for (int i = 0; i < 32; ++i) list.push_back({"envreg" + std::to_string(i), Type::b32});
    for (const char* name : {"reserved_smem_offset_begin", "reserved_smem_offset_end",
                             "reserved_smem_offset_cap", "reserved_smem_offset_0", "reserved_smem_offset_1"})
      list.push_back({name, Type::b32});
    for (int i = 0; i < 8; ++i) {
      list.push_back({"pm" + std::to_string(i), Type::u32, false});
      list.push_back({"pm" + std::to_string(i) + "_64", Type::u64, false});
    }
    list.push_back({"current_graph_exec", Type::u64, false});
    return list;
  }();
  return all;
}

}  // namespace ww::ir
