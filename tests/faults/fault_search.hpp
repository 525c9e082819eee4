#pragma once

#include "base/fault_point.hpp"
#include "tests/faults/chances.hpp"
#include "tests/service/server.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

/// Looks for faults that break the service's promises only together.
namespace matchcloud::faults {

/// A fault that a trial injects.
struct tried_fault {
  base::fault_point at{};
  base::fault_kind kind{};

  friend bool operator==(const tried_fault&, const tried_fault&) = default;
};

/// Two faults at different points, neither of which ends the process.
std::vector<tried_fault> random_pair(chances& by);

/// Runs a service under load while the faults are injected, and heals them. Returns what was wrong,
/// empty if nothing: a request that was not answered once, a wrong answer, a status that none of
/// the faults explains, an acknowledged lobby that is lost, or a service that does not recover.
/// `number` distinguishes the trials of a world. `meanwhile` is called while they are injected.
std::string problem_of(const e2e::world& in, const std::vector<tried_fault>& faults,
                       std::uint32_t number,
                       const std::function<void(e2e::server&)>& meanwhile = {});

/// The smallest part of `faults` that fails still.
std::vector<tried_fault> shrunk(const std::vector<tried_fault>& faults,
                                const std::function<bool(const std::vector<tried_fault>&)>& fails);

/// A plan for `matchcloud fault run` that injects these faults under load.
std::string plan_of(const std::vector<tried_fault>& faults, const std::string& problem);

} // namespace matchcloud::faults
