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
  /// The source of a saved value in a reply.
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
  /// The number of body bytes after which the connection is closed; 0: it is not closed.
  std::size_t cut_bytes = 0;
};

/// A sequence of requests on one connection; later ones can use values from the replies to earlier
/// ones. Immutable; any thread.
struct flow {
  std::vector<flow_step> steps;
  /// The names of all saved values.
  std::vector<std::string> saved;
};

inline constexpr std::size_t flow_steps_limit = 32;
inline constexpr std::size_t saved_values_limit = 32;
inline constexpr std::size_t saved_value_limit_bytes = 64UL * 1024;

/// Reads the array of [[flow.step]]. `lines`: the lines of the flow.
flow read_flow(table_reader& reader, const toml::node& node, const std::vector<std::string>& lines);

/// Saves values from the reply for the flow's later steps. `body` is decoded; `arrived` is the
/// number of body bytes as sent. Returns what is missing, or nothing (empty).
std::string save_values(const flow_step& step, std::string_view head, std::string_view body,
                        std::size_t arrived, std::vector<std::string>& to);

} // namespace matchcloud::load
