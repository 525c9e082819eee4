#pragma once

#include "tests/model/validation/schema_evaluator.hpp"

#include <string>
#include <vector>

namespace matchcloud::model {

/// A body made to satisfy or violate one constraint of a printed schema.
struct schema_probe {
  /// The keyword and the change made.
  std::string what;
  std::string body;
  /// The path of the constraint: of the missing member or the wrong name, if it is about one.
  std::vector<std::string> path;
  enum class verdict : std::uint8_t {
    /// No finding anywhere.
    clean,
    /// No finding at the path itself; values below it may be findings because they are too much
    /// alike.
    clean_here,
    /// A finding at the path.
    refused_here,
    /// A finding at the path, at the object around it, or below it.
    refused_near,
  } expected;
};

/// For every constraint at every path of a version's schema, one body that just satisfies it and
/// one that just violates it. Derived from the schema alone, except for rules that only its
/// `description`s state: a runtime here always uses the host's network, and `max` is as high as it
/// can be.
std::vector<schema_probe> probes_of(const schema_evaluator& schema);

} // namespace matchcloud::model
