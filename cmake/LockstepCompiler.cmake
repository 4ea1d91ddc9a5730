# One place for the language level, the warnings and the sanitizers.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

set(LOCKSTEP_SANITIZE "" CACHE STRING "Sanitizers to build with: 'address,undefined', 'thread' or empty")

find_program(LOCKSTEP_CCACHE ccache)
if(LOCKSTEP_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${LOCKSTEP_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Werror -march=x86-64-v2)
# The same bytes from every checkout folder: ccache hits, and no machine's path in the binary. ccache passes
# sources relative to the build folder, so both spellings become the one without a prefix.
file(RELATIVE_PATH LOCKSTEP_SOURCES_FROM_BUILD ${CMAKE_BINARY_DIR} ${CMAKE_SOURCE_DIR})
add_compile_options(-ffile-prefix-map=${CMAKE_SOURCE_DIR}/= -ffile-prefix-map=${LOCKSTEP_SOURCES_FROM_BUILD}=)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12 warns falsely on `"x" + std::to_string(...)` at -O3.
  add_compile_options(-Wno-restrict)
elseif(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
  add_compile_options(-Wthread-safety)
endif()

if(LOCKSTEP_SANITIZE)
  add_compile_options(-fsanitize=${LOCKSTEP_SANITIZE} -fno-omit-frame-pointer)
  add_link_options(-fsanitize=${LOCKSTEP_SANITIZE})
  if(LOCKSTEP_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(LOCKSTEP_SANITIZE MATCHES "address")
    # Else newer Abseil gives its tables other fields than the packaged library, built without, knows.
    add_compile_definitions(NDEBUG_SANITIZER)
  endif()
  if(LOCKSTEP_SANITIZE MATCHES "undefined" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With these g++ takes no comparison of a function with nullptr for a constant, which newer Abseil has
    # in constexpr code. A null pointer that is followed still ends the program, by the other sanitizer.
    add_compile_options(-fno-sanitize=null,nonnull-attribute,returns-nonnull-attribute)
  endif()
  if(LOCKSTEP_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # Asio fences with atomic_thread_fence, which g++ reports as unsupported under TSan.
    add_compile_options(-Wno-tsan)
  endif()
endif()

# The hardening of Debian's own packages, for what people run. Sanitizers bring checks of their own, and
# _FORTIFY_SOURCE needs an optimising compiler.
if(NOT LOCKSTEP_SANITIZE AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_BUILD_TYPE STREQUAL "Release")
  add_compile_options(-fPIE -fstack-protector-strong -fstack-clash-protection -fcf-protection=full
                      -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
  add_link_options(-pie -Wl,-z,relro,-z,now,-z,noexecstack)
endif()

find_program(LOCKSTEP_MOLD mold)
if(LOCKSTEP_MOLD)
  add_link_options(-fuse-ld=mold)
endif()
