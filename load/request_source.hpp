#pragma once

#include "base/clock.hpp"
#include "load/mix.hpp"
#include "load/reply_reader.hpp"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace matchcloud::load {

/// Inflates gzip; returns nothing if the input is damaged or inflates to more than `limit_bytes`.
inline std::optional<std::string> inflated(std::string_view packed, std::size_t limit_bytes) {
  z_stream stream{};
  constexpr int gzip_only = 16 + MAX_WBITS;
  if (::inflateInit2(&stream, gzip_only) != Z_OK) return std::nullopt;
  // zlib does not write to its input, although `next_in` is not a pointer to const.
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
  stream.avail_in = static_cast<uInt>(packed.size());
  std::string text;
  std::array<char, 16 * 1024> block{};
  int result = Z_OK;
  while (result == Z_OK && text.size() <= limit_bytes) {
    stream.next_out = reinterpret_cast<Bytef*>(block.data());
    stream.avail_out = block.size();
    result = ::inflate(&stream, Z_NO_FLUSH);
    text.append(block.data(), block.size() - stream.avail_out);
  }
  const bool whole = result == Z_STREAM_END && stream.avail_in == 0;
  ::inflateEnd(&stream);
  return whole ? std::optional{std::move(text)} : std::nullopt;
}

/// The different requests of one part of a mix, as the bytes to send. All are made before the first
/// one is sent; a flow has none. Equal seeds make equal requests, except for {ago:..}. `sum_bytes`:
/// see `add_bytes`.
inline std::vector<request_bytes> make_requests(const mix_part& part, const request_frame& frame,
                                                std::uint64_t seed, std::size_t& sum_bytes) {
  std::mt19937_64 engine{seed};
  std::vector<request_bytes> made;
  add_bytes(sum_bytes, part.count * sizeof(request_bytes));
  made.reserve(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    std::string_view line;
    if (!part.lines.empty()) line = part.lines[i % part.lines.size()];
    const auto values = first_values(part, engine);
    // Cannot fail: values were checked when the mix file was read.
    made.push_back(make_request(part.steps.front().form, frame, {engine, line, values}).value());
    add_bytes(sum_bytes, made.back().text.capacity());
  }
  return made;
}

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

  request_source(const std::vector<mix_part>& parts, const pools& made, std::uint64_t seed)
      : parts_{&parts}, pools_{&made}, engine_{seed} {
    std::vector<double> weights;
    std::size_t row = 0;
    for (const auto& part : parts) {
      weights.push_back(part.weight);
      first_rows_.push_back(row);
      row += part.steps.size();
    }
    part_ = {weights.begin(), weights.end()};
  }

  request_source(std::vector<mix_part>&&, const pools&, std::uint64_t) = delete;

  request_source::request next() {
    const auto part = pools_->size() == 1 ? 0 : part_(engine_);
    const auto& pool = (*pools_)[part];
    if (pool.empty()) return {first_rows_[part], {}};
    const auto& chosen = pool[engine_() % pool.size()];
    return {first_rows_[part], chosen.text, chosen.token_at,
            (*parts_)[part].steps.front().form.status};
  }

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
  std::string judge(const reply& that) {
    if (auto wrong = by_->judge_head(that.head); !wrong.empty()) return wrong;
    if (by_->json.empty() || (!last_.empty() && that.body == last_)) return {};
    const auto hash = std::hash<std::string_view>{}(that.body);
    if (known_.contains(hash)) return {};
    const auto text = decoded(that);
    if (!text) return "is not gzip";
    auto wrong = by_->judge_body(*text);
    if (!wrong.empty()) return wrong;
    last_ = that.body;
    if (known_.size() < known_limit) known_.insert(hash);
    return {};
  }

  /// The body without its encoding; nothing if it is damaged or too large.
  static std::optional<std::string> decoded(const reply& that) {
    return that.gzip ? inflated(that.body, reply_reader::reply_limit_bytes)
                     : std::string{that.body};
  }

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
  request_source::request begin(std::mt19937_64& engine) {
    const auto& lines = path_->flow->lines;
    if (!lines.empty()) line_ = lines[engine() % lines.size()];
    values_ = first_values(*path_->flow, engine);
    // Cannot fail: no saved value exists yet that might not fit.
    make(0, engine);
    return next_.value();
  }

  /// Processes the good reply to the current step, moves to the next step and makes its request.
  /// Returns nothing (empty), or what the reply lacks; in that case the step has failed.
  std::string take(const reply& that, std::mt19937_64& engine) {
    if (auto wrong = save(that); !wrong.empty()) return wrong;
    if (step_ + 1 == path_->flow->steps.size()) {
      next_.reset();
      return {};
    }
    auto wrong = make(step_ + 1, engine);
    if (wrong.empty()) ++step_;
    return wrong;
  }

  /// The request of the current step; nothing after the last step.
  const std::optional<request_source::request>& next() const noexcept { return next_; }

  const std::string& step_name() const noexcept { return step().name; }
  std::size_t index() const noexcept { return path_->index; }
  /// When the first step was due.
  base::steady_time began() const noexcept { return began_; }

private:
  std::string save(const reply& that) {
    const auto cut = step().cut_bytes;
    if (cut > 0 && that.body.size() < cut)
      return "has " + std::to_string(that.body.size()) + " bytes, too few to be cut off after " +
             std::to_string(cut);
    if (step().saves.empty()) return {};
    const auto arrived = cut > 0 ? cut : that.body.size();
    // A body that was cut off cannot be decompressed.
    const auto text = cut > 0 ? std::string{that.body} : reply_check::decoded(that);
    if (!text) return "is not gzip";
    return save_values(step(), that.head, *text, arrived, values_);
  }

  /// Makes the request of a step. Returns why that fails, or nothing (empty).
  std::string make(std::size_t which, std::mt19937_64& engine) {
    const auto& of = path_->flow->steps[which];
    auto made = make_request(of.form, *path_->frame, {engine, line_, values_});
    if (!made) return "`" + of.name + "` " + made.error().detail;
    bytes_ = *std::move(made);
    next_ = {path_->first_row + which, bytes_.text, bytes_.token_at, of.form.status, of.cut_bytes};
    return {};
  }

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
inline std::vector<flow_walk::path> paths_of(const std::vector<mix_part>& mix,
                                             const request_frame& frame) {
  std::vector<flow_walk::path> paths;
  std::size_t row = 0;
  for (const auto& part : mix) {
    if (part.is_flow()) paths.push_back({&part, &frame, row, paths.size()});
    row += part.steps.size();
  }
  return paths;
}

} // namespace matchcloud::load
