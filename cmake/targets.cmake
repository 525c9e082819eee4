# Sources of a target are what stands in its folder and the rooms below it, but for a program's
# entry.
function(matchcloud_sources target folder)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$")
  target_sources(${target} PRIVATE ${sources})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR})
endfunction()

# matchcloud_library(folder [uses folder..] [packages target..] [precompile header])
function(matchcloud_library folder)
  cmake_parse_arguments(arg "" "precompile" "uses;packages" ${ARGN})
  add_library(matchcloud_${folder} STATIC)
  matchcloud_sources(matchcloud_${folder} ${folder})
  target_compile_options(matchcloud_${folder} PRIVATE $<$<CONFIG:Release>:${MATCHCLOUD_PROGRAM_FLAGS}>)
  list(TRANSFORM arg_uses PREPEND matchcloud_)
  target_link_libraries(matchcloud_${folder} PUBLIC ${arg_uses} ${arg_packages})
  if(arg_precompile)
    target_precompile_headers(matchcloud_${folder} PRIVATE <${arg_precompile}>)
  endif()
endfunction()

# matchcloud_program(name folder): the entry of the library `folder`.
function(matchcloud_program name folder)
  add_executable(${name} ${folder}/main.cpp)
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${MATCHCLOUD_PROGRAM_FLAGS}>)
  target_link_options(${name} PRIVATE $<$<CONFIG:Release>:${MATCHCLOUD_PROGRAM_LINK_FLAGS}>)
  target_link_libraries(${name} PRIVATE matchcloud_${folder})
endfunction()
