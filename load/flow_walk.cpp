#include "load/flow_walk.hpp"

#include "load/reply_check.hpp"

#include <algorithm>

namespace matchcloud::load {

request_source::request flow_walk::begin(std::mt19937_64& engine) {
  // Cannot fail: no saved value exists yet that might not fit.
  make(0, engine);
  return next_.value();
}

/// Makes the request of a step. Returns why that fails, or nothing (empty).
std::string flow_walk::make(std::size_t which, std::mt19937_64& engine) {
  const auto& of = path_->flow->steps.steps[which];
  auto made = make_request(of.form, *path_->frame, {engine, line_, saved_});
  if (!made) return "`" + of.name + "` " + made.error().detail;
  bytes_ = *std::move(made);
  next_ = {path_->first_row + which, bytes_.text, bytes_.token_at, of.form.status, of.cut_bytes};
  return {};
}

std::string flow_walk::take(const reply& that, std::mt19937_64& engine) {
  if (auto wrong = save(that); !wrong.empty()) return wrong;
  if (step_ + 1 == path_->flow->steps.steps.size()) {
    next_.reset();
    return {};
  }
  auto wrong = make(step_ + 1, engine);
  if (wrong.empty()) ++step_;
  return wrong;
}

std::string flow_walk::save(const reply& that) {
  const auto cut = step().cut_bytes;
  if (cut > 0 && that.body.size() < cut)
    return "has " + std::to_string(that.body.size()) + " bytes, too few to be cut off after " +
           std::to_string(cut);
  if (step().saves.empty()) return {};
  const auto arrived = cut > 0 ? cut : that.body.size();
  // A body that was cut off cannot be decompressed.
  const auto text = cut > 0 ? std::string{that.body} : reply_check::decoded(that);
  if (!text) return "is not gzip";
  return save_values(step(), that.head, *text, arrived, saved_);
}

std::vector<flow_walk::path> paths_of(const std::vector<mix_part>& mix,
                                      const request_frame& frame) {
  std::vector<flow_walk::path> paths;
  const auto rows = rows_of(mix);
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (const auto* flow = std::get_if<any_flow>(&mix[rows[i].part].any);
        flow != nullptr && rows[i].step == 0)
      paths.push_back({flow, &frame, i, paths.size()});
  return paths;
}

} // namespace matchcloud::load
