#include "actors/export_download/messages.hpp"
#include "actors/lobby_export/messages.hpp"
#include "http/front/file_response.hpp"
#include "http/front/front.hpp"
#include "http/operations/code.hpp"
#include "http/operations/file_reference.hpp"
#include "http/operations/list.hpp"
#include "http/wire/request.hpp"
#include "model/lobbies/export_query.hpp"

#include <string>

namespace matchcloud::http {

namespace {

using base::errc;
using base::owner;

constexpr std::string_view span_example =
    R"({"query_start":1767312000000,"query_end":1767398400000})";

std::vector<named_schema> export_schemas() {
  return {
      object("ExportSpan", {{"query_start", unsigned_64, "Milliseconds since 1970, inclusive."},
                            {"query_end", unsigned_64,
                             "Milliseconds since 1970, exclusive; not before `query_start`."}}),
      object("ExportLink", {{"url", url, "The file. The URL is signed and valid for an hour."}}),
      object("OwnExportLink", {{"url",
                                {R"("type":"string","format":"uri-reference")"},
                                "The file. The URL is signed and valid for a minute."}}),
      object("ExportList", {{"exports", list_of(a("Export")),
                             "Incomplete exports first, then the latest ones."}}),
      schema_of<actors::shown_export>(),
      one_of("CsvDialect", model::csv_dialect_names,
             "`exact`: values unchanged; `excel`: for spreadsheets."),
      one_of("ExportState", actors::export_progress_names, "The progress of an export.")};
}

constexpr parameter_reference dialect_reference{
    "query", "csv", a("CsvDialect"),
    "How cells are written: `exact` (the default) unchanged; `excel` for spreadsheets, with a byte "
    "order mark, and an apostrophe before cells that a spreadsheet would read as formulas.",
    R"("excel")"};

constexpr std::initializer_list<errc> span_errors{errc::query_invalid, errc::game_not_found,
                                                  errc::exports_busy,  errc::exports_full,
                                                  errc::store_full,    errc::history_too_slow};

/// The parameters in the query of a signed URL, and its errors.
void add_signature(operation_reference& to, std::string_view about_expiry,
                   std::string_view about_signature) {
  to.parameters.push_back({"query", "expires", text, about_expiry, R"("1795000000")"});
  to.parameters.push_back({"query", "signature", text, about_signature, R"("0a1b")"});
  to.errors.insert(to.errors.end(),
                   {errc::signature_invalid, errc::url_expired, errc::export_not_found});
}

/// The dialect that the query requests: `?csv=excel`.
base::expected<model::csv_dialect> dialect_of(const request_context& asked) {
  const auto given = find_parameter(asked.request().query(), "csv");
  if (given.repeated)
    return base::fail(errc::query_invalid, "`csv` is in the query more than once. Use it once.");
  if (!given.value) return model::csv_dialect::exact;
  return model::parse_csv_dialect(asked.query("csv"));
}

void start(const request_context& asked) {
  const auto game_id = asked.id(0);
  if (!game_id || !asked.takes_body()) return;
  const auto dialect = dialect_of(asked);
  if (!dialect) return asked.refuse(dialect.error());
  asked.forward(owner::lobby_export,
                actors::export_lobbies{asked.exchange(), *game_id, asked.body(),
                                       asked.row().plane == plane::ops, asked.ticket(), *dialect});
}

void open_file(const request_context& asked) {
  const auto export_id = asked.id(0);
  if (!export_id) return;
  const auto link = read_export_link(asked.request().query());
  if (!link)
    return asked.refuse({errc::signature_invalid,
                         "The URL needs expires and signature, each once, as export-history "
                         "returned them. In a shell, quote the URL, because it contains an &."});
  asked.forward(owner::export_download,
                actors::open_export{asked.exchange(), *export_id, link->expires_s,
                                    std::string{link->signature},
                                    may_be_compressed(asked.request()), asked.ticket()});
}

} // namespace

const operation_code codes::export_lobby_history{
    [] {
      return operation_reference{
          .tag = "exports",
          .summary = "Export lobby history as CSV",
          .description =
              "Returns a signed URL once the file is complete. The span includes its start "
              "but not its end. The file has every lobby that was alive at any instant of the "
              "span. Requests for the same export share it. If the span reaches further back "
              "than history is kept, the header `Matchcloud-Complete-From` gives the time from "
              "which all lobbies are included.",
          .parameters = {dialect_reference},
          .body = {.schema = a("ExportSpan"),
                   .description = "The span of time.",
                   .example = span_example},
          .answers = {{200,
                       "The file is complete.",
                       {},
                       json_type,
                       a("ExportLink"),
                       R"({)"
                       R"("url":"http://127.0.0.1:8080/exports/6a0f7c52-91d4-4c7e-8a35-00000)"
                       R"(0000001/lobby-history.csv?expires=1795000000&signature=0a1b"})"}},
          .errors = span_errors,
          .schemas = export_schemas()};
    },
    start};

const operation_code codes::start_export{
    [] {
      return operation_reference{
          .tag = "lobbies",
          .summary = "Export lobby history as CSV",
          .description = "As on the data plane, but the URL is relative to this plane and "
                         "valid for a minute.",
          .parameters = {dialect_reference},
          .body = {.schema = a("ExportSpan"),
                   .description = "The span of time.",
                   .example = span_example},
          .answers = {json_answer(
              "The file is complete.", a("OwnExportLink"),
              R"({)"
              R"("url":"/exports/6a0f7c52-91d4-4c7e-8a35-000000000001/lobby-history)"
              R"(.csv?expires=1795000000&signature=0a1b"})")},
          .errors = span_errors};
    },
    start};

const operation_code codes::list_exports{
    [] {
      return operation_reference{
          .tag = "lobbies",
          .summary = "List the exports of this process",
          .description = "Queued, running (with the rows so far) and complete exports.",
          .answers = {json_answer("The exports.", a("ExportList"), R"({"exports":[]})")}};
    },
    [](const request_context& asked) {
      asked.forward(owner::lobby_export, actors::list_exports{asked.exchange(), asked.ticket()});
    }};

const operation_code codes::download_export{
    [] {
      auto made = file_reference(rows::download_export, "exports", "Download an export");
      made.description = "The URL that an export returned. It is signed and valid for an hour. "
                         "The file is CSV (RFC 4180) in UTF-8 and always has its header.";
      add_signature(made, "The URL's expiry, in seconds since 1970.",
                    "The service's signature of the URL.");
      return made;
    },
    open_file};

const operation_code codes::download_own_export{
    [] {
      auto made = file_reference(rows::download_own_export, "lobbies", "Download an export");
      made.description = "The URL that an export returned.";
      add_signature(made, "The URL's expiry.", "The service's signature.");
      return made;
    },
    open_file};

} // namespace matchcloud::http
