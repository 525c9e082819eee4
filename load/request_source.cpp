#include "load/request_source.hpp"

#include <zlib.h>

#include <array>
#include <functional>

namespace matchcloud::load {

std::optional<std::string> inflated(std::string_view packed, std::size_t limit_bytes) {
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

std::vector<request_bytes> make_requests(const mix_part& part, const request_frame& frame,
                                         std::uint64_t seed) {
  std::mt19937_64 engine{seed};
  std::vector<request_bytes> made;
  made.reserve(part.count);
  for (std::size_t i = 0; i < part.count; ++i) {
    std::string_view line;
    if (!part.lines.empty()) line = part.lines[i % part.lines.size()];
    const auto values = first_values(part, engine);
    // Cannot fail: values were checked when the mix file was read.
    made.push_back(make_request(part.steps.front().form, frame, {engine, line, values}).value());
  }
  return made;
}

request_source::request_source(const std::vector<mix_part>& parts, const pools& made,
                               std::uint64_t seed)
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

request_source::request request_source::next() {
  const auto part = pools_->size() == 1 ? 0 : part_(engine_);
  const auto& pool = (*pools_)[part];
  if (pool.empty()) return {first_rows_[part], {}};
  const auto& chosen = pool[engine_() % pool.size()];
  return {first_rows_[part], chosen.text, chosen.token_at,
          (*parts_)[part].steps.front().form.status};
}

std::optional<std::string> reply_check::decoded(const reply& that) {
  return that.gzip ? inflated(that.body, reply_reader::reply_limit_bytes) : std::string{that.body};
}

std::string reply_check::judge(const reply& that) {
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

request_source::request flow_walk::begin(std::mt19937_64& engine) {
  const auto& lines = path_->flow->lines;
  if (!lines.empty()) line_ = lines[engine() % lines.size()];
  values_ = first_values(*path_->flow, engine);
  // Cannot fail: no saved value exists yet that might not fit.
  make(0, engine);
  return next_.value();
}

/// Makes the request of a step. Returns why that fails, or nothing (empty).
std::string flow_walk::make(std::size_t which, std::mt19937_64& engine) {
  const auto& of = path_->flow->steps[which];
  auto made = make_request(of.form, *path_->frame, {engine, line_, values_});
  if (!made) return "`" + of.name + "` " + made.error().detail;
  bytes_ = *std::move(made);
  next_ = {path_->first_row + which, bytes_.text, bytes_.token_at, of.form.status, of.cut_bytes};
  return {};
}

std::string flow_walk::take(const reply& that, std::mt19937_64& engine) {
  if (auto wrong = save(that); !wrong.empty()) return wrong;
  if (step_ + 1 == path_->flow->steps.size()) {
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
  return save_values(step(), that.head, *text, arrived, values_);
}

std::vector<flow_walk::path> paths_of(const std::vector<mix_part>& mix,
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
