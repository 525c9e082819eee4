#include "app/commands/commands.hpp"
#include "app/config/protections.hpp"
#include "app/config/reload.hpp"
#include "app/help/serve_help.hpp"
#include "app/node/exposure.hpp"
#include "app/node/node.hpp"
#include "app/node/resources.hpp"
#include "app/process/process_limits.hpp"
#include "app/process/spawn.hpp"
#include "base/clock.hpp"
#include "base/events/log.hpp"
#include "base/faults.hpp"
#include "base/free_memory.hpp"
#include "base/log/service_log.hpp"
#include "base/randomness.hpp"
#include "cli/print.hpp"
#include "cli/terminal_text.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <exception>
#include <memory>
#include <sstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace matchcloud::app {

namespace {

/// The configuration of a running service, which can be read again. Main thread only.
struct running_configuration {
  const configuration_options& options;
  /// In force.
  std::vector<given_value> given;

  /// What `GET /v1/config` returns, if `wanted` was read last.
  std::shared_ptr<const std::string> document(const std::vector<given_value>& wanted) const {
    return std::make_shared<const std::string>(describe_configuration(
        given, wanted, options.config_file, base::machine_clock().unix_ms()));
  }
  /// Reads it again and makes `of` apply the reloadable keys. If there is any error, nothing
  /// changes. Throws `base::failure`.
  std::string reload(node& of);
};

/// A pipe cannot be read a second time.
void check_readable_again(const std::string& file) {
  struct stat found {};
  if (file.empty() || ::stat(file.c_str(), &found) != 0 || S_ISREG(found.st_mode)) return;
  throw base::failure{base::errc::config_invalid,
                      file + " is not a regular file, so it cannot be read a second time. Restart "
                             "the service with a regular file for --config"};
}

serve_config make_safe_config(const std::vector<given_value>& given) {
  auto made = value_of(make_config(given));
  value_of(check_exposure(made));
  return made;
}

std::string running_configuration::reload(node& of) {
  check_readable_again(options.config_file);
  const auto wanted = value_of(read_given(options));
  make_safe_config(wanted);
  value_of(check_protections(protections_of(given), protections_of(wanted)));
  const auto plan = plan_reload(given, wanted);
  auto next = base::attempt([&] { return make_safe_config(plan.given); });
  if (!next)
    throw base::failure{
        next.error().code,
        "the reloaded values do not fit the ones that need a restart; restart the service: " +
            next.error().detail};
  const running_configuration then{options, plan.given};
  next->front.configuration = then.document(wanted);
  of.take_up(*next);
  given = plan.given;
  return describe_outcome(plan);
}

/// Why a service ends.
enum class ending : std::uint8_t { signalled, taken_over, failed };

/// Waits until a signal arrives, a successor has the listeners, or a failure ends the service.
ending wait_for_end(const service_signals& signals, main_watch& watch, const node& running) {
  const auto& listeners = running.listeners();
  if (watch.wait({listeners.handed_over_fd(), running.failure_fd()}) == main_watch::wake::ending) {
    const auto signal = signals.take_ending();
    base::log(base::log_event::service_ending, "{}: ending",
              name_of_signal(signal.value_or(SIGTERM)));
    return ending::signalled;
  }
  return listeners.successor() ? ending::taken_over : ending::failed;
}

/// Remarks that a listener's URL cannot express. `[::]` accepts no IPv4 here, whatever
/// net.ipv6.bindv6only says, so `0.0.0.0` at the same port is another listener.
std::string remarks_on(const http::endpoint& where, http::listener_kind kind) {
  std::string remarks;
  if (where.address == model::ip_address{}) remarks += " (IPv6 only)";
  if (kind.proxy_header) remarks += " (PROXY protocol)";
  return remarks;
}

/// Says where the service listens, and what else the process that started it may wait for.
std::string greeting(const node& running) {
  const auto& config = running.config();
  std::ostringstream text;
  if (const auto replaced = running.listeners().predecessor())
    text << "took over from process " << *replaced << "\n";
  for (const auto& each : running.listeners().data())
    text << "listening on " << url_of(each) << remarks_on(each.where, each.kind) << "\n";
  if (const auto seed = config.fault_seed)
    text << "fault injection enabled, seed " << *seed << ", " << config.faults.size()
         << " faults injected\n";
  const auto& ops = running.listeners().ops();
  text << "ops plane on " << url_of({ops, {false, config.ops_tls}}) << remarks_on(ops, {}) << "\n";
  return std::move(text).str();
}

/// Serves until the end. Returns the exit code.
int run(running_configuration& configured, std::unique_ptr<node> of, const service_signals& signals,
        main_watch& watch, base::service_log& log) {
  auto& running = *of;
  successor next;
  log.print(greeting(running));
  auto health = running.health();
  health.reload = [&] {
    const auto done = base::attempt([&] { return configured.reload(running); });
    log.set_format(running.config().log_format);
    return done ? reload_outcome{false, *done} : reload_outcome{true, done.error().detail + "\n"};
  };
  health.succession = [&](int signal) {
    if (signal == SIGCHLD) return next.note_end();
    if (has_fixed_port(running.config())) return next.start();
    base::log(base::log_event::successor_failed,
              "SIGUSR2: no successor is started: it would find this process by a port of --listen, "
              "but all are 0. Give --listen a fixed port");
  };
  watch.begin_serving(std::move(health));
  const auto why = wait_for_end(signals, watch, running);
  const auto& config = running.config();
  // A successor tells the service manager about itself.
  if (why == ending::taken_over)
    watch.begin_leaving();
  else
    watch.begin_ending(config.drain_delay + config.drain_timeout);
  if (why == ending::signalled && config.drain_delay.count() > 0) {
    base::log(base::log_event::service_draining, "not ready any more; draining in {} ms",
              config.drain_delay.count());
    running.announce_end(watch);
    if (running.listeners().successor()) watch.begin_leaving();
  }
  if (const auto successor = running.listeners().successor())
    base::log(base::log_event::taken_over, "process {} has taken over", *successor);
  base::log(base::log_event::service_draining, "draining; a{} signal ends the process at once",
            why == ending::signalled ? " second" : "");
  running.drain(watch);
  // A second signal is still unread at this point: exit without cleanup.
  if (signals.ends()) {
    log.finish();
    _exit(failed);
  }
  // The descriptor is no longer read, so a signal during cleanup must end the process.
  signals.unblock_ending();
  watch.end();
  of.reset();
  base::log(base::log_event::service_ended, "ended");
  return why == ending::failed ? failed : ok;
}

/// Starts a node. An exception becomes an error: mostly the system lacks threads or descriptors
/// that it had a moment ago.
base::expected<std::unique_ptr<node>> start(const serve_config& config, main_watch& watch,
                                            base::service_log& log) {
  try {
    // After the signals are blocked, because this begins a thread: lines that were left out of the
    // log are summed up there even if no other line follows.
    base::service_log::sum_up_each_second();
    return node::start(config, watch, log.metrics());
  } catch (const std::system_error& failure) {
    std::string why = failure.what();
    if (failure.code() == std::errc::resource_unavailable_try_again)
      why += "; no thread can be started any more (" + describe_thread_limits() + ")";
    return base::fail(base::errc::unavailable, std::move(why));
  }
}

int serve(const configuration_options& options, const manager_settings& managed,
          base::service_log& log) {
  // First of all: a signal that arrives before the service serves ends it just as a later one does.
  service_signals signals;
  std::vector<std::string> unknown;
  auto given = read_given(options, unknown);
  auto config = given.and_then(make_config);
  if (config) {
    log.set_format(config->log_format);
    base::configure_log_levels(log_levels_of(*config));
  }
  warn_of_variables(unknown);
  const auto fail = [&log](const base::error& why, int code) {
    // The log writes to stderr's descriptor.
    log.say(cli::terminal_text(cli::said("matchcloud serve", why.detail)));
    return code;
  };
  if (!config) return fail(config.error(), usage);
  if (const auto exposed = check_exposure(*config); !exposed) return fail(exposed.error(), usage);

  running_configuration configured{options, *std::move(given)};
  config->front.configuration = configured.document(configured.given);
  config->store.is_for_service = true;
  const auto serves = choose_loops(*config);
  if (config->fault_injection)
    base::faults::seed(
        config->fault_seed.emplace(config->fault_seed.value_or(base::random_seed())));
  value_of(check_descriptors(*config));
  value_of(try_threads(threads_needed(*config)));
  if (const auto signal = signals.take_ending()) {
    base::log(base::log_event::service_ended, "{}: ended before serving", name_of_signal(*signal));
    return ok;
  }
  base::bound_free_memory();
  service_manager manager{managed};
  main_watch watch{signals, manager};
  auto started = start(*config, watch, log);
  if (!started && started.error().code == base::errc::cancelled) {
    base::log(base::log_event::service_ended, "ended: {}", started.error().detail);
    log.finish();
    _exit(ok); // see node::start
  }
  if (!started) {
    watch.tell_failed(started.error().detail);
    return fail(started.error(), failed);
  }
  // Not earlier: a failed start logs only the line that says why.
  base::log(base::log_event::service_serves, "{}", serves);
  return run(configured, *std::move(started), signals, watch, log);
}

int serve(const configuration_options& options) {
  const auto managed = manager_settings::take_from_environment();
  base::service_log log;
  try {
    return serve(options, managed, log);
  } catch (const std::exception& failure) {
    log.say(cli::terminal_text(cli::said("matchcloud serve", failure.what())));
    return failed;
  }
}

struct serve_options {
  configuration_options configuration;
  bool prints_sample = false;
};

std::string run_serve(const serve_options& options, command_run& in) {
  if (!options.prints_sample) {
    in.end_with(serve(options.configuration));
    return {};
  }
  // With the keys given as flags in force.
  const auto given = given_flags(options.configuration);
  value_of(make_config(given));
  return sample_config(given);
}

void add_serve(CLI::App& command, serve_options& options) {
  command.set_help_all_flag("--help-all",
                            "Print each key with its allowed values and default, and exit");
  command.formatter(serve_help());
  auto* file = add_config_option(command, options.configuration);
  command
      .add_flag("--sample-config", options.prints_sample,
                "Print a commented file for --config, in which the keys given as flags are set.")
      ->excludes(file);
  for (const auto& key : config_keys())
    add_key_option(command, options.configuration, key);
}

constexpr const char* serve_text =
    "Every key can be given as a flag, as MATCHCLOUD_KEY in the environment (upper case, _ "
    "for -) or in a TOML file; a flag overrides the environment, which overrides the file. "
    "Lists are comma-separated and repeatable; giving one replaces its default.\n\n"
    "Example: matchcloud serve --data-dir var --geoip city.mmdb --listen 127.0.0.1:8080";

} // namespace

cli::commands serve_command() {
  return {command_with<serve_options>(
      "serve", "Serve the HTTP interface until SIGTERM, SIGINT or SIGQUIT, then drain.", serve_text,
      add_serve, run_serve)};
}

} // namespace matchcloud::app
