#pragma once

#include "store/s3/s3_credentials.hpp"

#include <map>
#include <optional>
#include <string>
#include <utility>

namespace matchcloud::store {

/// An environment of these variables alone.
inline environment environment_of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    if (found == variables.end()) return std::nullopt;
    return found->second;
  };
}

} // namespace matchcloud::store
