#pragma once

#include "base/clock.hpp"
#include "load/mix.hpp"
#include "load/reply_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace matchcloud::load {

/// Inflates gzip; returns nothing if the input is damaged or inflates to more than `limit_bytes`.
std::optional<std::string> inflated(std::string_view packed, std::size_t limit_bytes);

/// The different requests of one part of a mix, as the bytes to send. All are made before the first
/// one is sent; a flow has none. Equal seeds make equal requests, except for {ago:..}.
std::vector<request_bytes> make_requests(const mix_part& part, const request_frame& frame,
                                         std::uint64_t seed);

/// Chooses requests from a mix by its weights. One thread; the mix and the pools must outlive
/// the source.
class request_source {
public:
  struct request {
    /// The index of its row in the results (`rows_of`).
    std::size_t part = 0;
    /// Empty at the start of a flow, whose requests are made one by one.
    std::string_view bytes;
    /// See `request_bytes::token_at`.
    std::size_t token_at = 0;
    /// See `request_form::status`.
    int status = 200;
    /// See `flow_step::cut_bytes`.
    std::size_t cut_bytes = 0;
  };
  /// The requests of each part.
  using pools = std::vector<std::vector<request_bytes>>;

  request_source(const std::vector<mix_part>& parts, const pools& made, std::uint64_t seed);
  request_source(std::vector<mix_part>&&, const pools&, std::uint64_t) = delete;

  request next();

private:
  const std::vector<mix_part>* parts_;
  const pools* pools_;
  std::mt19937_64 engine_;
  std::discrete_distribution<std::size_t> part_;
  /// Each part's first row in the results.
  std::vector<std::size_t> first_rows_;
};

/// Judges whether replies are what is expected. Recognizes a body already found good by a 64-bit
/// hash of its bytes, so that repeated replies cost little. One thread.
class reply_check {
public:
  /// The limit on remembered good bodies; further ones are judged each time.
  static constexpr std::size_t known_limit = 100'000;

  explicit reply_check(const expectation& by) : by_{&by} {}

  /// Judges a reply that has the expected status. Returns what is wrong with it, or nothing
  /// (empty).
  std::string judge(const reply& that);

  /// The body without its encoding; nothing if it is damaged or too large.
  static std::optional<std::string> decoded(const reply& that);

private:
  const expectation* by_;
  /// The last good body, because most replies repeat it.
  std::string last_;
  std::unordered_set<std::uint64_t> known_;
};

/// One pass through a flow, by one client. One thread.
class flow_walk {
public:
  /// The parts that all walks of a flow share. Must outlive them.
  struct path {
    const mix_part* flow;
    const request_frame* frame;
    /// The row of the first step in the results, and the flow's index among the flows.
    std::size_t first_row;
    std::size_t index;
  };

  flow_walk(const path& along, base::steady_time began) : path_{&along}, began_{began} {}

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
  const flow_step& step() const noexcept { return path_->flow->steps[step_]; }

  const path* path_;
  std::string_view line_;
  base::steady_time began_;
  std::size_t step_ = 0;
  std::vector<std::string> values_;
  request_bytes bytes_;
  std::optional<request_source::request> next_;
};

/// The paths of a mix's flows; other parts have none. The mix and the frame must outlive them.
std::vector<flow_walk::path> paths_of(const std::vector<mix_part>& mix, const request_frame& frame);

} // namespace matchcloud::load
