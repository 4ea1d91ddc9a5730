# lockstep_module(NAME
#   SOURCES a.cc ...      the module's own sources; none makes a header-only module
#   DEPS target ...       what its headers and sources use
#   TESTS a_test.cc ...   unit tests beside the code, linked into one program NAME_test
#   TEST_DEPS target ...) what only the tests use
#
# NAME is the folder path with '_' for '/': storage_kv is storage/kv. Makes lockstep::NAME.
include(GoogleTest)

# The modules without their tests.
add_custom_target(libraries)

function(lockstep_module name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;TESTS;TEST_DEPS" ${ARGN})
  set(target lockstep_${name})
  if(ARG_SOURCES)
    add_library(${target} STATIC ${ARG_SOURCES})
    target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} PUBLIC ${ARG_DEPS})
    add_dependencies(libraries ${target})
    set_property(GLOBAL APPEND PROPERTY LOCKSTEP_MODULES ${target})
  else()
    add_library(${target} INTERFACE)
    target_include_directories(${target} INTERFACE ${CMAKE_SOURCE_DIR})
    target_link_libraries(${target} INTERFACE ${ARG_DEPS})
  endif()
  add_library(lockstep::${name} ALIAS ${target})

  if(ARG_TESTS)
    add_executable(${name}_test ${ARG_TESTS})
    target_link_libraries(${name}_test PRIVATE ${target} ${ARG_TEST_DEPS} lockstep_tests_support GTest::gmock_main)
    if(CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT LOCKSTEP_SANITIZE)
      # A test runs once per build and calls optimised code, so compiling it fast is worth more.
      target_compile_options(${name}_test PRIVATE -O1)
    endif()
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}/" DISCOVERY_MODE PRE_TEST
                         PROPERTIES TIMEOUT 1500)
  endif()
endfunction()
