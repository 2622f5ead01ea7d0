# rind_flags(target): C11 without extensions, no contraction, warnings, sanitizers.
function(rind_flags target)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  # The bit contract: a multiply and an add stay two operations.
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C>:-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion
      -Wno-sign-conversion -Wstrict-prototypes -Wmissing-prototypes -Wvla -Wno-unknown-pragmas>
    $<$<AND:$<COMPILE_LANGUAGE:C>,$<CONFIG:Release>>:-O3>)
  target_compile_definitions(${target} PRIVATE _POSIX_C_SOURCE=200809L)
  if(RIND_WARNINGS_AS_ERRORS)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Werror>)
  endif()
  if(RIND_SANITIZE)
    # -O1: several times faster than without, and still readable in a debugger. GCC's warnings that
    # follow values go wrong in instrumented code.
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANGUAGE:C>:-fsanitize=address,undefined -fno-sanitize-recover=undefined
        -fno-omit-frame-pointer -O1 -Wno-format-truncation -Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=address,undefined)
  endif()
endfunction()
