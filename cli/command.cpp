#include "cli/command.hpp"

#include "base/failure.hpp"
#include "cli/print.hpp"

#include <iostream>

namespace matchcloud::cli {

command_run::command_run(const CLI::App& command) : program_{&command}, name_{command.get_name()} {
  while (program_->get_parent() != nullptr) {
    program_ = program_->get_parent();
    name_.insert(0, program_->get_name() + " ");
  }
}

const interrupt& command_run::until() {
  if (!until_) until_.emplace();
  return *until_;
}

progress_display& command_run::progress() {
  if (!progress_) progress_.emplace(base::machine_clock());
  return *progress_;
}

void command_run::say(std::string_view what) const {
  cli::say(name_, what);
}

void command_run::end_with(int code, std::string line) {
  code_ = code;
  last_line_ = std::move(line);
}

int run_command(const CLI::App& command, const std::function<std::string(command_run&)>& work) {
  command_run in{command};
  const auto done = base::attempt([&] { return work(in); });
  in.progress_.reset();
  in.until_.reset();
  if (!done) {
    // Without a detail, the reader of stdout has left and needs no more.
    if (!done.error().detail.empty()) in.say(done.error().detail);
    return exit_code_of(done.error().code);
  }
  if (!print(in.name(), *done)) return failed;
  if (!in.last_line_.empty()) std::cerr << in.last_line_ << "\n";
  return in.code_;
}

void refuse(std::string why) {
  throw base::failure{base::errc::config_invalid, std::move(why)};
}

void give_up(std::string why) {
  throw base::failure{base::errc::io_failed, std::move(why)};
}

int exit_code_of(base::errc why) noexcept {
  using enum base::errc;
  return why == config_invalid || why == query_invalid || why == id_malformed ? usage : failed;
}

void add_commands(CLI::App& program, int& code, const commands& rows) {
  for (const auto& row : rows) {
    auto* parent = &program;
    auto words = CLI::detail::split(row.words, ' ');
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      parent = parent->get_subcommand(words[i]);
    auto* added = parent->add_subcommand(words.back(), row.gist);
    const bool has_codes = row.help.find("Exit codes: ") != row.help.npos;
    const auto* between = row.help.empty() ? "" : "\n\n";
    added->footer(has_codes ? row.help : row.help + between + exit_code_help);
    if (!row.bind) {
      added->require_subcommand(1);
      continue;
    }
    added->callback([added, &code, work = row.bind(*added)] { code = run_command(*added, work); });
  }
}

} // namespace matchcloud::cli
