# lockstep_fuzzer(NAME
#   SOURCES a_fuzz.cc ...  one of them defines LLVMFuzzerTestOneInput
#   DEPS target ...)       what it uses
#
# The inputs worth keeping are files in tests/fuzz/corpus/NAME. Every build has the test fuzz/NAME,
# which replays them; a build with LOCKSTEP_FUZZ (clang only) also has the libFuzzer program
# fuzzers/NAME, part of the target `fuzzers`.
option(LOCKSTEP_FUZZ "Build the libFuzzer programs" OFF)
if(LOCKSTEP_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
add_custom_target(fuzzers)

# The program around every target that replays its corpus: compiled once.
add_library(lockstep_fuzz_replay OBJECT ${CMAKE_SOURCE_DIR}/tests/fuzz/replay.cc)
target_link_libraries(lockstep_fuzz_replay PUBLIC GTest::gmock_main)

function(lockstep_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})

  add_executable(${name}_replay ${ARG_SOURCES})
  target_link_libraries(${name}_replay PRIVATE lockstep_fuzz_replay ${ARG_DEPS})
  target_include_directories(${name}_replay PRIVATE ${CMAKE_SOURCE_DIR})
  add_test(NAME fuzz/${name} COMMAND ${name}_replay)
  set_tests_properties(fuzz/${name} PROPERTIES TIMEOUT 600 ENVIRONMENT
    "LOCKSTEP_CORPUS=${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name}")

  if(LOCKSTEP_FUZZ)
    add_executable(${name}_fuzz ${ARG_SOURCES})
    target_link_libraries(${name}_fuzz PRIVATE ${ARG_DEPS})
    target_link_options(${name}_fuzz PRIVATE -fsanitize=fuzzer)
    set_target_properties(${name}_fuzz PROPERTIES
      OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/fuzzers)
    add_dependencies(fuzzers ${name}_fuzz)
  endif()
endfunction()
