# Headers of other libraries that most sources include, compiled once: a third less work for the builds that
# only tests need. Not for the one that people run, nor for the second compiler's: these show that every
# source includes what it uses.
option(LOCKSTEP_PRECOMPILED "Compile the commonest headers of other libraries once" OFF)

set(LOCKSTEP_COMMON_HEADERS
  <algorithm> <array> <atomic> <bit> <chrono> <cmath> <cstdint> <functional> <map> <memory> <optional> <span>
  <string> <string_view> <thread> <utility> <variant> <vector>
  <absl/container/flat_hash_map.h> <absl/functional/any_invocable.h> <absl/status/statusor.h>
  <absl/strings/str_format.h>)

if(LOCKSTEP_PRECOMPILED)
  # Some packages bring it along for who uses them, and it must be the same for all.
  add_compile_options(-pthread)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # For ccache, which needs CCACHE_SLOPPINESS=pch_defines,time_macros on top of it.
    add_compile_options(-fpch-preprocess)
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/precompiled.cc CONTENT "")
  add_library(lockstep_precompiled OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(lockstep_precompiled PRIVATE
    absl::any_invocable absl::flat_hash_map absl::statusor absl::str_format)
  target_precompile_headers(lockstep_precompiled PRIVATE ${LOCKSTEP_COMMON_HEADERS})
  add_library(lockstep_precompiled_tests OBJECT ${CMAKE_BINARY_DIR}/precompiled.cc)
  target_link_libraries(lockstep_precompiled_tests PRIVATE
    absl::any_invocable absl::flat_hash_map absl::statusor absl::str_format GTest::gmock)
  target_precompile_headers(lockstep_precompiled_tests PRIVATE
    ${LOCKSTEP_COMMON_HEADERS} <gmock/gmock.h> <gtest/gtest.h>)
endif()

# lockstep_use_precompiled(TARGET [TESTS])
function(lockstep_use_precompiled target)
  if(NOT LOCKSTEP_PRECOMPILED)
    return()
  endif()
  if("TESTS" IN_LIST ARGN)
    target_precompile_headers(${target} REUSE_FROM lockstep_precompiled_tests)
  else()
    target_precompile_headers(${target} REUSE_FROM lockstep_precompiled)
  endif()
endfunction()
