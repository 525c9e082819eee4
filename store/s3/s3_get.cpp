// How the client reads objects: s3_client::get.
#include "store/s3/s3_client.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace matchcloud::store {

namespace {

constexpr std::size_t piece_limit_bytes = 64UL * 1024;

/// No object has bytes beyond this; some services misread larger numbers.
constexpr std::uint64_t end_limit = std::numeric_limits<std::int64_t>::max();

/// An object as it arrives, in one or several attempts.
class incoming_object {
public:
  incoming_object(const std::optional<object_range>& range, const object_taker& take) noexcept
      : range_{range}, take_{take} {}

  /// The `Range` header for what is missing; empty for the whole object.
  std::string wanted() const {
    if (!range_ && taken_bytes_ == 0) return {};
    auto text = "bytes=" + std::to_string(next()) + "-";
    if (range_) text += std::to_string(last());
    return text;
  }

  void begin_attempt() noexcept { is_begun_ = false; }

  /// Takes some bytes of an attempt. False if they are not wanted, or wrong: see `problem`.
  bool take(const s3_answer& answer, std::string_view piece) {
    if (!std::exchange(is_begun_, true) && !begin(answer)) return false;
    if (range_ && piece.size() > last() - next() + 1)
      return refuse("the service sent too many bytes");
    if (check_) check_->append(piece);
    while (!piece.empty()) {
      const auto some = piece.substr(0, piece_limit_bytes);
      piece.remove_prefix(some.size());
      taken_bytes_ += some.size();
      if (!take_(some)) return false;
    }
    return true;
  }

  /// Checks what was received after an attempt that succeeded. Empty if all is right.
  std::string end(const s3_answer& answer) {
    if (!is_begun_ && !begin(answer)) return problem_;
    const auto last_wanted =
        range_ ? std::min(last() + 1, head_->facts.size_bytes) : head_->facts.size_bytes;
    if (next() != last_wanted) return "the service sent too few bytes";
    if (check_ && !check_->holds())
      return "the bytes differ from those that were stored: their digest does not match";
    return {};
  }

  /// Why bytes were refused; empty if `take` did not want them.
  const std::string& problem() const noexcept { return problem_; }
  const std::optional<s3_head>& head() const noexcept { return head_; }

private:
  /// The first byte that is missing.
  std::uint64_t next() const noexcept { return (range_ ? range_->first : 0) + taken_bytes_; }
  std::uint64_t last() const noexcept {
    const auto most = end_limit - std::min(range_->first, end_limit);
    return range_->first + std::min(range_->length_bytes - 1, most);
  }

  bool refuse(std::string why) {
    problem_ = std::move(why);
    return false;
  }

  bool begin(const s3_answer& answer) {
    auto head = read_s3_head(answer);
    if (!head) return refuse(head.error().detail);
    if (head->first != next()) return refuse("the service sent other bytes than were requested");
    if (head_ && head_->entity_tag != head->entity_tag)
      return refuse("the object changed while it was read");
    if (head_) return true;
    if (!range_) check_.emplace(*head);
    head_ = *std::move(head);
    return true;
  }

  const std::optional<object_range>& range_;
  const object_taker& take_;
  std::uint64_t taken_bytes_ = 0;
  bool is_begun_ = false;
  std::string problem_;
  /// From the first attempt that had bytes.
  std::optional<s3_head> head_;
  /// Only for whole objects.
  std::optional<s3_check> check_;
};

void set_header(s3_request& of, std::string_view name, std::string value) {
  std::erase_if(of.headers, [&](const auto& each) { return each.first == name; });
  if (!value.empty()) of.headers.emplace_back(name, std::move(value));
}

} // namespace

base::expected<std::optional<object_facts>> s3_client::get(const std::string& key,
                                                           const std::optional<object_range>& range,
                                                           const object_taker& take) {
  incoming_object incoming{range, take};
  s3_request request{"GET", key, {}, {}, {}, {}, "read the object"};
  set_header(request, "range", incoming.wanted());
  s3_call_options options;
  options.timeout = endpoint_->settings().long_timeout;
  options.taker = [&](const s3_answer& answer, std::string_view piece) {
    return incoming.take(answer, piece);
  };
  options.before_repetition = [&](s3_request& again) {
    incoming.begin_attempt();
    set_header(again, "range", incoming.wanted());
    if (incoming.head()) set_header(again, "if-match", incoming.head()->entity_tag);
  };
  const auto wrong = [&](const std::string& why) {
    return base::fail(base::errc::store_failed,
                      endpoint_->shown(key) + ": cannot read the object: " + why);
  };
  const auto result = ask(request, std::move(options));
  if (!incoming.problem().empty()) return wrong(incoming.problem());
  if (!result) return tl::unexpected(result.error());
  if (result->error.code == "NoSuchKey") return std::nullopt;
  if (result->answer.status == 416)
    return base::fail(base::errc::range_not_satisfiable,
                      endpoint_->shown(key) + ": there are no bytes from " +
                          std::to_string(range ? range->first : 0) + " on");
  if (result->answer.status == 412) return wrong("the object changed while it was read");
  if (!result->is_success()) return refused(request, *result);
  if (auto why = incoming.end(result->answer); !why.empty()) return wrong(why);
  return incoming.head()->facts;
}

} // namespace matchcloud::store
