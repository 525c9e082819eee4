# Tests that drive the built service as a child process.
find_package(Python3 REQUIRED COMPONENTS Interpreter)

matchcloud_program_test(e2e uses matchcloud_model PkgConfig::httplib OpenSSL::SSL GeographicLib
                        tags limits lifecycle)
# In three parts that take about as long, to run in parallel.
set(waiting_files kept_data geoip_reload rate_limits owners access latencies help)
file(GLOB_RECURSE command_files CONFIGURE_DEPENDS e2e/*command*_test.cpp e2e/tls_*_test.cpp)
list(TRANSFORM command_files REPLACE "^.*/(.*)_test.cpp$" "\\1")
set(other_operations "[operations]")
foreach(part waiting command)
  set(${part}_operations)
  foreach(file ${${part}_files})
    list(APPEND ${part}_operations "[#${file}_test][operations]")
    string(APPEND other_operations "~[#${file}_test]")
  endforeach()
  list(JOIN ${part}_operations "," ${part}_operations)
endforeach()
foreach(part waiting command other)
  add_test(NAME e2e_${part}_operations COMMAND test_e2e ${${part}_operations} --filenames-as-tags)
  matchcloud_time_limit(e2e_${part}_operations 450)
endforeach()
# What needs the store most, with the store in PostgreSQL, but for what is about the embedded one;
# script/soak runs all so. And what the service does while its server is gone.
set(cases_on_postgres)
foreach(file access audit_command avatars catalog_admin export_command exports latencies lobbies media secrets
        store_failures tls_sessions token_command)
  list(APPEND cases_on_postgres "[#${file}_test][operations]~[embedded]")
endforeach()
list(JOIN cases_on_postgres "," cases_on_postgres)
matchcloud_postgres_test(e2e e2e ${cases_on_postgres} --filenames-as-tags)
matchcloud_postgres_test(e2e outages "[postgres]~[long]")

# What breaks the program on purpose. script/soak runs the same for longer.
matchcloud_program_test(faults uses matchcloud_model matchcloud_http tags kill disk chaos crash backup plans)
add_dependencies(test_faults matchcloud-load)
matchcloud_postgres_test(faults)

# What needs a service of objects (see objects_store).
matchcloud_program_test(objects uses matchcloud_store PkgConfig::httplib)
add_dependencies(test_objects matchcloud-load)
target_sources(test_objects PRIVATE store/objects/s3_service.cpp store/s3/fault_proxy.cpp)
add_test(NAME objects_e2e COMMAND test_objects)
add_test(NAME objects_docs COMMAND Python3::Interpreter
         ${CMAKE_CURRENT_SOURCE_DIR}/docs/commands_test.py ${CMAKE_BINARY_DIR} --page docs/objects.md)
set_tests_properties(objects_e2e objects_docs PROPERTIES LABELS objects)
matchcloud_time_limit(objects_e2e 300)

get_property(tests DIRECTORY PROPERTY TESTS)
list(FILTER tests INCLUDE REGEX "(e2e|faults|outages|objects_docs)")
set_property(TEST ${tests} APPEND PROPERTY LABELS programs)

# The commands that the pages show, as they are written.
add_test(NAME docs COMMAND Python3::Interpreter ${CMAKE_CURRENT_SOURCE_DIR}/docs/commands_test.py
                           ${CMAKE_BINARY_DIR} --slowness ${slowness})
matchcloud_time_limit(docs 240)
set_property(TEST docs PROPERTY LABELS shipped)

# What CI runs against the release build, as it runs the rest against one with sanitizers: a case
# per operation, and of the drain, kill -9, limits and TLS; and what sanitizers cannot show.
# script/test leaves these out, since it runs all cases.
if(NOT MATCHCLOUD_TSAN)
  add_test(NAME e2e_shipped COMMAND test_e2e "[shipped]")
  add_test(NAME e2e_shipped_over_tls COMMAND test_e2e "[shipped][operations]~[plain]")
  add_test(NAME faults_shipped COMMAND test_faults "[shipped]")
  set_tests_properties(e2e_shipped_over_tls PROPERTIES ENVIRONMENT MATCHCLOUD_TEST_TLS=1)
  foreach(test e2e_shipped e2e_shipped_over_tls faults_shipped)
    matchcloud_time_limit(${test} 240)
    set_property(TEST ${test} PROPERTY LABELS shipped)
  endforeach()
endif()
