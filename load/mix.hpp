#pragma once

#include "base/expected.hpp"
#include "http/operations/list.hpp"
#include "load/requests/flow.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace matchcloud::load {

/// The operation with this name in mix files and `--operation`: `regions`, `groups.validate`, ...
std::optional<http::operation> find_operation(std::string_view load_name) noexcept;
/// The name that `find_operation` reads; empty for an operation that the load tool does not send.
inline std::string_view name_of(http::operation what) noexcept {
  return http::row_of(what).load_name;
}

/// The number of values to make from the seed, or the given values (lines or texts).
using variants = std::variant<std::size_t, std::vector<std::string>>;

/// A [[request]]: a request to any server.
struct any_request {
  std::string name;
  request_form form;
  /// The lines for {line}; empty if it is not used.
  std::vector<std::string> lines;
  /// The number of different requests.
  std::size_t count = 1;
};

/// A [[flow]]: a sequence of requests.
struct any_flow {
  std::string name;
  flow steps;
  /// The lines for {line}: all steps of one walk use the same line.
  std::vector<std::string> lines;
};

/// The time on this machine in milliseconds since 1970.
std::uint64_t now_ms();

/// One part of a mix: an operation of the service, a request to any server or a flow.
struct mix_part {
  /// The operation; ignored if `any` is set.
  http::operation what = http::operation::list_regions;
  std::variant<std::monostate, any_request, any_flow> any;
  /// Its share of the requests, relative to the sum of all weights.
  double weight = 1;
  /// The game in the path; by default the demo's.
  std::string game = "00000000-0000-4000-8000-000000000001";
  /// The clients: addresses for X-Forwarded-For. If empty, requests do not have that header.
  std::optional<variants> clients;
  /// The bodies of requests that have one (validations and exports): JSON texts.
  variants bodies = std::size_t{100};
  /// Exports request spans of `length_ms` that begin anywhere in [from, to - length]. Milliseconds
  /// since 1970; by default the last 31 days, which the demo data fills.
  std::uint64_t to_ms = now_ms();
  std::uint64_t from_ms = to_ms - 31 * std::uint64_t{86'400'000};
  std::uint64_t length_ms = 86'400'000;
  /// The status that a reply must have.
  int status = 200;
  /// The number of findings each validation must have; if empty, any number.
  std::optional<std::size_t> findings;
};

/// The name of the operation, request or flow.
std::string name_of(const mix_part& part);

/// One row of the results: a part of a mix, or a step of a flow.
struct mix_row {
  /// The index of the part, and of the step in its flow.
  std::size_t part = 0;
  std::size_t step = 0;
  std::string name;
  /// The status that a reply must have.
  int status = 200;
  /// Null for an operation of the service.
  const request_form* form = nullptr;
};

/// The rows of the results, in the order of the mix, which must outlive them.
std::vector<mix_row> rows_of(const std::vector<mix_part>& mix);

/// The number of different requests in a part.
std::size_t request_count(const mix_part& part) noexcept;
/// The average size of the given bodies, or an estimate for generated bodies, which are short.
double average_body_bytes(const mix_part& part);

/// Reads a mix file (TOML). File names in it are relative to it. Fails with `config_invalid` or
/// `io_failed`; the detail has the file and the line, what is wrong and what to write.
base::expected<std::vector<mix_part>> read_mix(const std::string& file);

/// A mix of only this operation.
std::vector<mix_part> single_mix(http::operation what);

} // namespace matchcloud::load
