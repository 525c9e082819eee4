# The libraries, all Debian packages. Those without a usable CMake config get an imported target
# here.
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
find_package(spdlog REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(OpenSSL REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CURL REQUIRED)
find_package(pugixml REQUIRED)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)

function(matchcloud_imported name header library)
  string(MAKE_C_IDENTIFIER ${name} id)
  find_path(${id}_INCLUDE ${header} REQUIRED)
  add_library(${name} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${name} SYSTEM INTERFACE ${${id}_INCLUDE})
  if(library)
    find_library(${id}_LIBRARY ${library} REQUIRED)
    target_link_libraries(${name} INTERFACE ${${id}_LIBRARY})
  endif()
endfunction()

matchcloud_imported(tl::expected tl/expected.hpp "")
matchcloud_imported(RapidJSON rapidjson/rapidjson.h "")
matchcloud_imported(GeographicLib GeographicLib/Geodesic.hpp GeographicLib)
matchcloud_imported(unistring unictype.h unistring)
matchcloud_imported(CAF::core caf/all.hpp caf_core)

# cpp-httplib must be compiled with the flags of its library: its classes change size with them.
pkg_check_modules(httplib REQUIRED IMPORTED_TARGET GLOBAL cpp-httplib)
pkg_check_modules(libidn2 REQUIRED IMPORTED_TARGET GLOBAL libidn2)
pkg_check_modules(maxminddb REQUIRED IMPORTED_TARGET GLOBAL libmaxminddb)
# CMake's module for PostgreSQL asks for the headers of servers too, which nothing here uses.
pkg_check_modules(libpq REQUIRED IMPORTED_TARGET GLOBAL libpq)
