# The files of exec/ops, once for each instruction-set level. Every level computes the same bits: no contraction,
# and nothing that depends on the order of operations. Appends to the list named by `out`.
include(${CMAKE_CURRENT_LIST_DIR}/ops.cmake)
set(warpvp_exec_levels baseline)
set(warpvp_exec_flags_baseline "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64|amd64")
  list(APPEND warpvp_exec_levels avx2 avx512)
  set(warpvp_exec_flags_avx2 -mavx2 -mfma -mbmi -mbmi2 -mlzcnt -mpopcnt)
  set(warpvp_exec_flags_avx512 ${warpvp_exec_flags_avx2} -mavx512f -mavx512vl -mavx512dq -mavx512bw -mavx512cd
      -mprefer-vector-width=512)
endif()
# The lane loops are what these flags are for, in every build type: without optimisation nothing vectorises, and
# inline functions of shared headers would be emitted for the higher level.
set(warpvp_exec_flags -O3 -fno-math-errno -fno-strict-aliasing -ffp-contract=off)

function(warpvp_exec_sources out)
  set(result ${${out}})
  foreach(level ${warpvp_exec_levels})
    foreach(op ${warpvp_exec_ops})
      set(file ${CMAKE_CURRENT_BINARY_DIR}/exec_${op}_${level}.cpp)
      file(CONFIGURE OUTPUT ${file}
           CONTENT "#define WARPVP_EXEC_LEVEL @level@\n#include \"ptx/exec/ops/@op@.cpp\"\n" @ONLY)
      set(flags ${warpvp_exec_flags} ${warpvp_exec_flags_${level}})
      if(op STREQUAL rounded)
        list(APPEND flags -frounding-math)
      else()
        list(APPEND flags -fno-trapping-math)
      endif()
      set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS "${flags}")
      list(APPEND result ${file})
    endforeach()
  endforeach()
  foreach(op ${warpvp_exec_plain_ops})
    set(file ${CMAKE_CURRENT_SOURCE_DIR}/exec/ops/${op}.cpp)
    set_source_files_properties(${file} PROPERTIES COMPILE_OPTIONS -fno-strict-aliasing)
    list(APPEND result ${file})
  endforeach()
  list(LENGTH warpvp_exec_levels count)
  if(count GREATER 1)
    set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/exec/select.cpp PROPERTIES
                                COMPILE_DEFINITIONS WARPVP_EXEC_X86_LEVELS)
  endif()
  set(${out} ${result} PARENT_SCOPE)
endfunction()
