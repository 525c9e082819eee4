#include "bench/load/run.hpp"

#include "app/http_url.hpp"
#include "app/progress_display.hpp"
#include "bench/load/generator.hpp"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/resource.h>

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <future>
#include <iomanip>
#include <list>
#include <sstream>
#include <thread>

namespace matchcloud::load {

namespace {

/// Between connecting and the first request, so that all threads begin together.
constexpr std::chrono::milliseconds head_start{20};
constexpr std::chrono::seconds moment_length{1};

tl::unexpected<base::error> fail(const std::string& why) {
  return base::fail(base::errc::io_failed, why);
}

/// Makes one connection, the same way the load does, to say at once what is wrong.
std::string refusal(const network_address& at) {
  const base::file_descriptor probe{::socket(at.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (probe && ::connect(probe.get(), at.get(), at.length) == 0) return {};
  return std::generic_category().message(errno);
}

base::expected<network_address> resolve(const app::http_url& url) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int code =
      ::getaddrinfo(url.host.c_str(), std::to_string(url.port).c_str(), &hints, &found);
  if (code != 0) return fail(url.host + ": " + ::gai_strerror(code));
  std::string why;
  network_address reached;
  for (const auto* each = found; each != nullptr && reached.length == 0; each = each->ai_next) {
    network_address address;
    std::memcpy(&address.storage, each->ai_addr, each->ai_addrlen);
    address.length = each->ai_addrlen;
    why = refusal(address);
    if (why.empty()) reached = address;
  }
  ::freeaddrinfo(found);
  if (reached.length == 0) return fail(url.authority() + " cannot be reached: " + why);
  return reached;
}

/// 127.1.0.1, 127.1.0.2, .. 127.1.0.250, 127.1.1.1, ..
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

/// As many descriptors as this process may have; fails where that is too few.
base::expected<void> have_descriptors(std::size_t connections) {
  constexpr std::size_t others = 64;
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_max >= connections + others) return {};
  return fail(std::to_string(connections) + " connections need more descriptors than the " +
              std::to_string(limit.rlim_max) + " that this process may have (ulimit -Hn)");
}

/// The threads of a run and what they share.
class load_run {
public:
  load_run(const options& asked, const network_address& server) : asked_{&asked} {
    // Nothing of the load runs on the scheduler; loops only need a system to belong to.
    config_.set("scheduler.max-threads", 1);
    const auto url = app::parse_http_url(asked.url);
    request_frame frame{url->authority(), url->target, asked.header_lines,
                        asked.requests_per_connection == 1};
    while (frame.base_path.ends_with('/'))
      frame.base_path.pop_back();
    for (const auto& part : asked.mix)
      pools_.emplace_back(part, frame, asked.seed + pools_.size());
    system_ = std::make_unique<caf::actor_system>(config_);
    for (std::size_t i = 0; i < asked.threads; ++i)
      add_generator(i, server);
  }

  results run(const app::interrupt& signals) {
    start();
    results made;
    std::future<void> ended = std::async(std::launch::async, [this] {
      for (auto& thread : threads_)
        thread.join();
    });
    while (ended.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
      const bool interrupted = !signals.wait(until_next_moment());
      if (interrupted && !std::exchange(made.stopped_early, true))
        for (auto& each : generators_)
          each.stop_early();
      if (interrupted) ended.wait();
      look(made);
    }
    display_.clear();
    collect(made);
    return made;
  }

private:
  void add_generator(std::size_t index, const network_address& server) {
    const auto threads = asked_->threads;
    generator_plan plan;
    plan.server = server;
    plan.parts = &asked_->mix;
    plan.pools = &pools_;
    plan.connections =
        asked_->connections / threads + (index < asked_->connections % threads ? 1 : 0);
    const auto sources = source_addresses(asked_->sources);
    for (std::size_t i = index; i < sources.size(); i += threads)
      plan.sources.push_back(sources[i]);
    if (plan.sources.empty()) plan.sources = sources;
    plan.requests_per_connection = asked_->requests_per_connection;
    plan.timeout = asked_->timeout;
    plan.open_loop = asked_->open_loop;
    if (plan.open_loop) plan.open_loop->rate /= static_cast<double>(threads);
    plan.phase = static_cast<double>(index) / static_cast<double>(threads);
    plan.ramp = asked_->ramp;
    plan.duration = asked_->duration;
    // Far apart, as each thread uses a few numbers behind its own.
    plan.seed = asked_->seed * 1'000 + index * 10;
    plans_.push_back(std::move(plan));
    generators_.emplace_back(*system_, base::machine_clock(), plans_.back());
  }

  void start() {
    std::atomic<std::size_t> missing{generators_.size()};
    std::promise<void> all;
    for (auto& each : generators_)
      threads_.emplace_back([&each, &missing, &all] {
        each.run([&missing, &all] {
          if (missing.fetch_sub(1) == 1) all.set_value();
        });
      });
    all.get_future().wait();
    begun_ = base::machine_clock().now() + head_start;
    for (auto& each : generators_)
      each.begin(begun_);
    next_moment_ = begun_ + moment_length;
  }

  std::chrono::milliseconds until_next_moment() const {
    constexpr std::chrono::milliseconds often{50};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        next_moment_ - base::machine_clock().now());
    return std::clamp(left, std::chrono::milliseconds{1}, often);
  }

  /// Asks all threads what happened in the last second. Those that have ended do not answer.
  void look(results& into) {
    const auto now = base::machine_clock().now();
    if (now < next_moment_) return;
    next_moment_ += moment_length;
    struct shared_look {
      std::promise<void> all;
      std::mutex mutex;
      interval sum;
      std::size_t missing = 0;
    };
    const auto taken = std::make_shared<shared_look>();
    taken->missing = generators_.size();
    for (auto& each : generators_)
      each.take_interval([taken](const interval& one) {
        const std::lock_guard lock{taken->mutex};
        taken->sum.sent += one.sent;
        taken->sum.answered += one.answered;
        taken->sum.errors += one.errors;
        taken->sum.latency.add(one.latency);
        if (--taken->missing == 0) taken->all.set_value();
      });
    constexpr std::chrono::milliseconds patience{200};
    if (taken->all.get_future().wait_for(patience) != std::future_status::ready) return;
    const auto& sum = taken->sum;
    into.moments.push_back({std::chrono::duration<double>(now - begun_).count(), sum.sent,
                            sum.answered, sum.errors, sum.latency.percentile_ns(50),
                            sum.latency.percentile_ns(99), sum.latency.max_ns()});
    show(into.moments.back());
  }

  void show(const moment& of) {
    std::ostringstream line;
    line << std::fixed << std::setprecision(0) << of.seconds << " s: " << of.sent << " sent, "
         << of.answered << " answered, " << of.errors << " errors, p50 "
         << duration_text(static_cast<double>(of.p50_ns)) << ", p99 "
         << duration_text(static_cast<double>(of.p99_ns)) << ", max "
         << duration_text(static_cast<double>(of.max_ns));
    display_.tell(line.str());
  }

  void collect(results& into) const {
    into.parts.resize(asked_->mix.size());
    for (const auto& each : generators_) {
      for (std::size_t i = 0; i < into.parts.size(); ++i)
        into.parts[i].add(each.tallies()[i]);
      const auto seconds = std::chrono::duration<double>(each.elapsed()).count();
      into.seconds = std::max(into.seconds, seconds);
      if (seconds > 0)
        into.busiest_thread_percent =
            std::max(into.busiest_thread_percent,
                     100 * std::chrono::duration<double>(each.cpu_time()).count() / seconds);
      into.unconnected += each.unconnected();
    }
    for (const auto& part : into.parts)
      into.all.add(part);
  }

  const options* asked_;
  caf::actor_system_config config_;
  std::unique_ptr<caf::actor_system> system_;
  std::vector<request_pool> pools_;
  std::list<generator_plan> plans_;
  std::list<generator> generators_;
  std::vector<std::thread> threads_;
  app::progress_display display_{base::machine_clock()};
  base::steady_time begun_;
  base::steady_time next_moment_;
};

} // namespace

base::expected<results> run(const options& asked, const app::interrupt& signals) {
  if (auto enough = have_descriptors(asked.connections); !enough)
    return tl::unexpected(enough.error());
  const auto url = app::parse_http_url(asked.url);
  const auto server = resolve(*url);
  if (!server) return tl::unexpected(server.error());
  if (asked.sources > 0 && !is_ipv4_loopback(*server))
    return fail("--sources are addresses of 127.0.0.0/8: " + url->host + " is not one of them");
  load_run made{asked, *server};
  return made.run(signals);
}

} // namespace matchcloud::load
