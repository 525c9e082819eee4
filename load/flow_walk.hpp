#pragma once

#include "base/clock.hpp"
#include "load/mix.hpp"
#include "load/reply_reader.hpp"
#include "load/request_source.hpp"

#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace matchcloud::load {

/// One pass through a flow, by one client. One thread.
class flow_walk {
public:
  /// The parts that all walks of a flow share. Must outlive them.
  struct path {
    const any_flow* flow;
    const request_frame* frame;
    /// The row of the first step in the results, and the flow's index among the flows.
    std::size_t first_row;
    std::size_t index;
  };

  flow_walk(const path& along, std::string_view line, base::steady_time began)
      : path_{&along}, line_{line}, began_{began}, saved_(along.flow->steps.saved.size()) {}

  /// Makes the request of the first step. The request is valid until `take`.
  request_source::request begin(std::mt19937_64& engine);
  /// Processes the good reply to the current step, moves to the next step and makes its request.
  /// Returns nothing (empty), or what the reply lacks; in that case the step has failed.
  std::string take(const reply& that, std::mt19937_64& engine);
  /// The request of the current step; nothing after the last step.
  const std::optional<request_source::request>& next() const noexcept { return next_; }

  const std::string& step_name() const noexcept { return step().name; }
  std::size_t index() const noexcept { return path_->index; }
  /// When the first step was due.
  base::steady_time began() const noexcept { return began_; }

private:
  std::string save(const reply& that);
  std::string make(std::size_t which, std::mt19937_64& engine);
  const flow_step& step() const noexcept { return path_->flow->steps.steps[step_]; }

  const path* path_;
  std::string_view line_;
  base::steady_time began_;
  std::size_t step_ = 0;
  std::vector<std::string> saved_;
  request_bytes bytes_;
  std::optional<request_source::request> next_;
};

/// The paths of a mix's flows; other parts have none. The mix and the frame must outlive them.
std::vector<flow_walk::path> paths_of(const std::vector<mix_part>& mix, const request_frame& frame);

} // namespace matchcloud::load
