#pragma once

#include "actors/administration/perform.hpp"
#include "app/client/ops_plane_options.hpp"
#include "app/commands/commands.hpp"
#include "http/operations/list.hpp"
#include "model/json/members.hpp"

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::app {

namespace rows = http::rows;

/// Where a command administers: on a store, which it opens, or at a running service.
struct administered_place {
  store::store_place store;
  /// With a URL: the service.
  ops_plane_options service;
};

/// Adds the options of the store, and `--url`, `--token-file` and `--ca-file` for a service
/// instead. `place` must outlive the parsing.
void add_administration_options(CLI::App& command, administered_place& place);

enum class store_use : std::uint8_t { reads, changes, changes_images, creates };

/// The outcome of an operation, with its JSON as it is and parsed.
struct administered_answer : actors::administration_outcome {
  rapidjson::Document value;
};

/// Has operations performed: by itself on the store of a place, in the name of this process's user,
/// or by a service, which gets the request that the operation's row describes. Both answer with the
/// same JSON. Main thread.
class administrator {
public:
  /// Opens the store for that use. A service does not need `history_kept`, which it is configured
  /// with. Throws like the functions below, or a CLI::ValidationError.
  administrator(const administered_place& at, store_use use, command_run& in,
                std::chrono::days history_kept = {});

  /// `path` has the parameters of the operation's path. Throws `base::failure` with the errors of
  /// the operation, or `io_failed` with the service's problem or what `read_answer` throws.
  administered_answer perform(const http::operation_row& row, const std::vector<std::string>& path,
                              const actors::administrative_request& request) const;

  /// The same for an operation that answers without a body.
  void remove(const http::operation_row& row, const std::vector<std::string>& path,
              const actors::administrative_request& request) const;

  /// The catalog, at a service only its games and namespaces, without what they contain.
  model::catalog names() const;

private:
  actors::administration_outcome outcome_of(const http::operation_row& row,
                                            const std::vector<std::string>& path,
                                            const actors::administrative_request& request) const;

  /// With a database, unless a service is asked.
  actors::administration_settings on_;
  ops_plane service_;
  command_run& in_;
};

/// What is thrown if a service's answer is not that of the operation.
base::failure unexpected_answer();

/// The JSON of an answer. Throws `io_failed` if it is neither an object nor a text, such as a tier.
rapidjson::Document read_answer(std::string_view json);

/// A text, a number or a list of texts in an answer; `otherwise` if it is absent, null or an empty
/// text.
std::string shown_member(const rapidjson::Value& of, const char* name,
                         std::string_view otherwise = {});

} // namespace matchcloud::app
