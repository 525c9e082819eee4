#include "load/run.hpp"

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "base/files/file_descriptor.hpp"
#include "cli/progress_display.hpp"
#include "load/generator.hpp"
#include "load/text.hpp"
#include "model/net/http_url.hpp"

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <spdlog/fmt/fmt.h>

#include <arpa/inet.h>
#include <netdb.h>
#include <poll.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <future>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <thread>

namespace matchcloud::load {

namespace {

/// The time between connecting and the first request, which lets all threads begin together.
constexpr std::chrono::milliseconds head_start{20};
/// The time between checks for a signal.
constexpr std::chrono::milliseconds look_often{20};
/// The limit on moments in a run; each is one second or longer.
constexpr std::int64_t moments_limit = 3'600;
/// How long after the end of sending the last measured moment may end, because the threads need
/// some time to notice it.
constexpr std::chrono::milliseconds moment_slack{100};
/// How long to wait for requests in progress after a signal.
constexpr std::chrono::seconds last_wait{1};

/// Raises the limit on descriptors as far as this process may. Fails if the limit is still too low.
void have_descriptors(std::size_t connections) {
  constexpr std::size_t other_files = 64;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max >= connections + other_files) return;
  throw base::failure{
      base::errc::io_failed,
      fmt::format(
          "{} connections need more file descriptors than this process may open ({}); raise "
          "the limit (ulimit -Hn) or use fewer --connections",
          connections, limit.rlim_max)};
}

/// Tries one connection, so that an unreachable service is reported at once. Returns what is wrong,
/// or nothing (empty).
std::string refusal(const network_address& at, std::chrono::milliseconds timeout,
                    const cli::interrupt& signals) {
  const base::file_descriptor probe{
      ::socket(at.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!probe) return reason_of(errno);
  if (::connect(probe.get(), at.get(), at.length) == 0) return {};
  if (errno != EINPROGRESS) return reason_of(errno);
  const auto until = base::machine_clock().now() + timeout;
  pollfd watched{probe.get(), POLLOUT, 0};
  while (::poll(&watched, 1, static_cast<int>(look_often.count())) <= 0) {
    if (signals.came()) return "a signal arrived before it responded";
    if (base::machine_clock().now() >= until) return reason_of(ETIMEDOUT);
  }
  int code = 0;
  socklen_t size = sizeof code;
  ::getsockopt(probe.get(), SOL_SOCKET, SO_ERROR, &code, &size);
  return code == 0 ? std::string{} : reason_of(code);
}

/// The first address of the server that accepts a connection. Throws `base::failure` with
/// `io_failed` if none does within `timeout`, or if a signal arrives.
network_address resolve(const model::http_url& url, std::chrono::milliseconds timeout,
                        const cli::interrupt& signals) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code =
      ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (code != 0) throw base::failure{base::errc::io_failed, url.host + ": " + ::gai_strerror(code)};
  std::string why;
  network_address reached;
  for (const auto* each = found; each != nullptr && reached.length == 0; each = each->ai_next) {
    network_address address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.length = each->ai_addrlen;
    why = refusal(address, timeout, signals);
    if (why.empty()) reached = address;
  }
  ::freeaddrinfo(found);
  if (reached.length == 0)
    throw base::failure{base::errc::io_failed, url.authority() + " cannot be reached: " + why};
  return reached;
}

/// The first `count` addresses of 127.1.0.1, 127.1.0.2, .. 127.1.0.250, 127.1.1.1, ..
std::vector<network_address> source_addresses(std::size_t count) {
  constexpr std::uint32_t first = 0x7f010000;
  constexpr std::size_t per_block = 250;
  std::vector<network_address> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    auto& address = reinterpret_cast<sockaddr_in&>(made[i].storage);
    address.sin_family = AF_INET;
    address.sin_addr.s_addr =
        htonl(first + static_cast<std::uint32_t>((i / per_block) << 8U | (i % per_block + 1)));
    made[i].length = sizeof address;
  }
  return made;
}

bool is_ipv4_loopback(const network_address& address) {
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address.storage);
  return address.storage.ss_family == AF_INET && (ntohl(v4.sin_addr.s_addr) >> 24U) == 127;
}

/// Makes the TLS context of a thread.
std::shared_ptr<http::tls_context> tls_context_of(const options& of) {
  using sessions = http::tls_context::sessions;
  return base::value_of(http::tls_context::for_client(
      of.ca_file, of.resumes_sessions ? sessions::resumed : sessions::full));
}

/// The length of the moments of a run.
std::chrono::seconds moment_length_of(const options& of) {
  const auto whole = std::chrono::ceil<std::chrono::seconds>(of.ramp + of.duration);
  return std::chrono::seconds{(whole.count() + moments_limit - 1) / moments_limit};
}

/// The threads of a run and what they share.
class load_run {
public:
  load_run(const options& options, const cli::interrupt& signals)
      : options_{&options}, moment_length_{moment_length_of(options)} {
    // The load does not use the scheduler; event loops only need an actor system as their owner.
    config_.set("scheduler.max-threads", 1);
    const auto url = base::value_of(model::parse_http_url(options.url));
    plan_.of = &options;
    plan_.host_name = url.host;
    plan_.sources = source_addresses(options.sources);
    auto& frame = plan_.frame;
    frame = {url.authority(), url.target, options.header_lines,
             options.requests_per_connection == 1, !options.tokens.empty()};
    while (frame.base_path.ends_with('/'))
      frame.base_path.pop_back();
    std::size_t bytes = 0;
    for (const auto& part : options.mix)
      plan_.pools.push_back(make_requests(part, frame, options.seed + plan_.pools.size(), bytes));
    plan_.flows = paths_of(options.mix, frame);
    if (options.replay) plan_.replayed = options.replay->bytes(frame);
    // Only now, because a plan is checked at an address where nobody answers.
    if (url.secure) tls_context_of(options);
    plan_.server = resolve(url, options.timeout, signals);
    if (options.sources > 0 && !is_ipv4_loopback(plan_.server))
      throw base::failure{base::errc::io_failed, "--sources needs a server in 127.0.0.0/8, and " +
                                                     url.host + " is not one; leave out --sources"};
    system_ = std::make_unique<caf::actor_system>(config_);
    for (std::size_t i = 0; i < options.threads; ++i)
      generators_.emplace_back(*system_, base::machine_clock(), plan_, i,
                               url.secure ? tls_context_of(options) : nullptr);
  }

  results run(const cli::interrupt& signals) {
    results made;
    start_threads();
    // A signal ends each of these waits: for the connections, for the load, and for the requests in
    // progress.
    made.stopped_early = !wait_for(connected_.get_future(), signals);
    if (!made.stopped_early) {
      begin(made);
      made.stopped_early = !wait_for_end(made, signals);
    }
    if (made.stopped_early) stop_early(signals);
    for (auto& thread : threads_)
      thread.join();
    display_.clear();
    collect(made);
    return made;
  }

private:
  void start_threads() {
    unconnected_ = unended_ = generators_.size();
    for (auto& each : generators_)
      threads_.emplace_back([this, &each] {
        each.run([this] {
          if (unconnected_.fetch_sub(1) == 1) connected_.set_value();
        });
        if (unended_.fetch_sub(1) == 1) ended_.set_value();
      });
  }

  void begin(results& into) {
    begun_ = base::machine_clock().now() + head_start;
    into.began_ms = base::machine_clock().unix_ms() + head_start.count();
    for (auto& each : generators_)
      each.begin(begun_);
    next_moment_ = begun_ + moment_length_;
  }

  /// Returns false if a signal arrived first.
  static bool wait_for(const std::future<void>& what, const cli::interrupt& signals) {
    while (what.wait_for(look_often) != std::future_status::ready)
      if (signals.came()) return false;
    return true;
  }

  /// Collects the intervals of all threads each second. Returns false if a signal arrived first.
  bool wait_for_end(results& into, const cli::interrupt& signals) {
    ended_future_ = ended_.get_future();
    while (ended_future_.wait_for(look_often) != std::future_status::ready) {
      if (signals.came()) return false;
      look(into);
    }
    return true;
  }

  /// Handles the first signal by stopping to send. Requests in progress get `last_wait` to finish,
  /// which a second signal cuts short.
  void stop_early(const cli::interrupt& signals) {
    signals.forget();
    for (auto& each : generators_)
      each.stop_early();
    if (!ended_future_.valid()) ended_future_ = ended_.get_future();
    const auto until = base::machine_clock().now() + last_wait;
    while (ended_future_.wait_for(look_often) != std::future_status::ready &&
           base::machine_clock().now() < until && !signals.came()) {
    }
    signals.forget();
    for (auto& each : generators_)
      each.abandon();
  }

  /// Requests the intervals of all threads each second. An interval that arrives late counts in the
  /// next second.
  void look(results& into) {
    if (polled_at_) {
      add_moment(into, *std::exchange(polled_at_, std::nullopt));
      if (!into.moments.empty()) show(into.moments.back());
    }
    const auto now = base::machine_clock().now();
    if (now < next_moment_) return;
    next_moment_ += moment_length_;
    polled_at_ = now;
    for (auto& each : generators_)
      each.collect_interval([this](const interval& one) {
        const std::lock_guard lock{taken_mutex_};
        taken_.add(one);
      });
  }

  /// Adds a moment from the intervals collected since the last one.
  void add_moment(results& into, base::steady_time now) {
    const std::lock_guard lock{taken_mutex_};
    auto made = std::exchange(taken_, interval{}).summary();
    made.begins =
        std::exchange(moment_begins_, std::chrono::duration<double>(now - begun_).count());
    made.seconds = moment_begins_;
    const std::chrono::duration<double> ramp = options_->ramp;
    const auto end = ramp + options_->duration + moment_slack;
    made.is_measured = made.begins >= ramp.count() && made.seconds <= end.count();
    if (made.sent > 0 || made.answered > 0 || made.errors() > 0)
      into.moments.push_back(std::move(made));
  }

  void show(const moment& of) {
    display_.announce(fmt::format("{:.0f} s: {} answered, {} errors, p50 {}, p99 {}, max {}",
                                  of.seconds, of.answered, of.errors(), latency_text(of.of(50)),
                                  latency_text(of.of(99)), latency_text(of.of(100))));
  }

  void collect(results& into) {
    for (const auto& each : generators_)
      taken_.add(each.last_interval());
    add_moment(into, polled_at_.value_or(base::machine_clock().now()));
    for (const auto& each : generators_)
      into.add(each.counted());
    // Those that were started, as long as they took.
    auto left = std::chrono::nanoseconds{static_cast<std::int64_t>(into.seconds * 1e9)};
    for (std::size_t i = 0; i < into.stages.size(); ++i) {
      if (left.count() <= 0) return into.stages.resize(i);
      auto& which = into.stage_shapes.emplace_back(options_->open_loop->stages[i]);
      left -= which.length;
      if (into.stopped_early) which.length += std::min(left, std::chrono::nanoseconds{0});
    }
  }

  const options* options_;
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  load_plan plan_;
  std::list<generator> generators_;
  std::vector<std::thread> threads_;
  cli::progress_display display_{base::machine_clock()};
  std::atomic<std::size_t> unconnected_{0};
  std::atomic<std::size_t> unended_{0};
  std::promise<void> connected_;
  std::promise<void> ended_;
  std::future<void> ended_future_;
  base::steady_time begun_;
  std::chrono::seconds moment_length_;
  base::steady_time next_moment_;
  /// When the next moment begins, in seconds since the load began.
  double moment_begins_ = 0;
  /// When the intervals were last requested; empty once their moment has been added.
  std::optional<base::steady_time> polled_at_;
  std::mutex taken_mutex_;
  interval taken_;
};

} // namespace

results run(const options& options, const cli::interrupt& signals) {
  have_descriptors(options.connections);
  load_run made{options, signals};
  return made.run(signals);
}

} // namespace matchcloud::load
