#pragma once

#include "tests/model/validation/schema_evaluator.hpp"

#include <string>
#include <vector>

namespace matchcloud::model {

/// A body that is made to keep or break one constraint of a printed schema.
struct schema_probe {
  /// The keyword, and what was done.
  std::string what;
  std::string body;
  /// The place of the constraint: of the member that is missing, of the name that is wrong.
  std::vector<std::string> path;
  enum class verdict : std::uint8_t {
    /// No finding at all.
    clean,
    /// No finding at the place itself; what stands inside may be too much alike.
    clean_here,
    /// A finding at the place.
    refused_here,
    /// A finding at the place, or at the object around it or inside of it.
    refused_near,
  } expected;
};

/// For every constraint at every place of the schema of a version, one body that just keeps it and
/// one that just breaks it. Made from the schema alone, but for what only its `description`s say:
/// a runtime here is always on the host's network, and `max` as high as it can be.
std::vector<schema_probe> probes_of(const schema_evaluator& schema);

} // namespace matchcloud::model
