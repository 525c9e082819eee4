#pragma once

#include "tests/service/process.hpp"

#include <string>

namespace matchcloud::e2e {

/// Whether worlds keep their stores in PostgreSQL (MATCHCLOUD_TEST_POSTGRES=1).
bool tests_on_postgres();

/// A PostgreSQL database by its URL; empty: the store is in the data directory.
struct store_url {
  std::string text;
};

/// A new database of the server that tests share if they run on PostgreSQL, otherwise none.
store_url usual_store();
/// Removes a database of `usual_store`, and ends the connections to it.
void remove_usual_store(const store_url& store);

/// Lets every process that is started on `data_dir` keep its store there, under a new master key:
/// what it is told lies in the directory. Returns the `NAME=value` lines.
environment serve_store(const std::string& data_dir, const store_url& store);

/// Tells every process that is started on `data_dir` these `NAME=value` lines, too.
void tell_processes(const std::string& data_dir, const environment& lines);

/// The `NAME=value` lines for a process with these arguments: what `serve_store` and
/// `tell_processes` have said of the directory after --data-dir. Empty if nothing was said.
environment store_environment(const arguments& args);

} // namespace matchcloud::e2e
