# What the program says that it was built from. As a script, at each build, it writes the file `output`
# anew where that changed: `version` and `build_type` are given. The commit is that of the file `commit`
# beside this one, which script/package writes into a tree that leaves its repository, or asked of git.
if(CMAKE_SCRIPT_MODE_FILE)
  set(written ${CMAKE_CURRENT_LIST_DIR}/commit)
  if(EXISTS ${written})
    file(STRINGS ${written} commit LIMIT_COUNT 1)
  else()
    execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
                    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR}
                    OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE
                    ERROR_QUIET RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
      set(commit unknown)
    endif()
  endif()
  configure_file(${CMAKE_CURRENT_LIST_DIR}/build_info.cpp.in ${output} @ONLY)
  return()
endif()

# matchcloud_build_info(target): gives the target that file as a source.
function(matchcloud_build_info target)
  set(output ${CMAKE_BINARY_DIR}/build_info.cpp)
  add_custom_target(build_info BYPRODUCTS ${output}
    COMMAND ${CMAKE_COMMAND} -D output=${output} -D version=${PROJECT_VERSION}
            -D build_type=${CMAKE_BUILD_TYPE} -P ${CMAKE_SOURCE_DIR}/cmake/build_info.cmake
    COMMENT "Asking git for the commit")
  target_sources(${target} PRIVATE ${output})
  add_dependencies(${target} build_info)
endfunction()
