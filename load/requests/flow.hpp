#pragma once

#include "load/requests/request_form.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace matchcloud::load {

/// One request of a flow.
struct flow_step {
  /// Where a saved value comes from in a reply.
  struct from_header {
    std::string name;
  };
  struct from_json {
    std::string pointer;
    json_place place;
  };
  /// The number of the body's bytes that arrived.
  struct from_length {};
  struct saving {
    /// The index in `flow::saved`.
    std::size_t to;
    std::variant<from_json, from_header, from_length> from;
  };

  std::string name;
  request_form form;
  std::vector<saving> saves;
  /// The connection is closed once so many bytes of the body have arrived; 0: it is not.
  std::size_t cut_bytes = 0;
};

/// Requests that follow each other on one connection; a later one can use what an earlier one was
/// answered. Immutable; any thread.
struct flow {
  std::vector<flow_step> steps;
  /// The names of all saved values.
  std::vector<std::string> saved;
};

inline constexpr std::size_t flow_steps_limit = 32;
inline constexpr std::size_t saved_values_limit = 32;
inline constexpr std::size_t saved_value_limit_bytes = 64UL * 1024;

/// Reads the array of [[flow.step]]. `lines`: those of the flow.
flow read_flow(table_reader& reader, const toml::node& node, const std::vector<std::string>& lines);

/// Keeps what the reply has for the flow's later steps. `body` is without its encoding; `arrived`:
/// the number of the body's bytes as they were sent. Returns what is missing, or nothing (empty).
std::string save_values(const flow_step& step, std::string_view head, std::string_view body,
                        std::size_t arrived, std::vector<std::string>& to);

} // namespace matchcloud::load
