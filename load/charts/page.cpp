#include "load/charts/page.hpp"

#include "load/charts/svg.hpp"

namespace matchcloud::load {

namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark;
  --paper: #ffffff; --card: #f6f8fa; --ink: #1b2430; --pale: #5b6878; --grid: #e2e7ed;
  --good: #1d7f4e; --bad: #b3261e; --shade: #eef1f5;
  --c0: #1f6fb5; --c1: #d9722a; --c2: #23936b; --c3: #b5365f; --c4: #7657b8; --c5: #a87b12;
  --c6: #2f96a8; --c7: #78818c;
  --h1: #dfecf7; --h2: #bfd9ee; --h3: #98c1e2; --h4: #6ba6d4; --h5: #4489c4; --h6: #296dae;
  --h7: #195394; --h8: #0f3b75; --h9: #092552; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #11151b; --card: #191f27; --ink: #e3e8ef; --pale: #98a4b3; --grid: #2a323d;
  --good: #57c98c; --bad: #ff8a80; --shade: #1d242d;
  --c0: #62aef0; --c1: #f0a05c; --c2: #55c79b; --c3: #ec7ba0; --c4: #b19af0; --c5: #d8b04a;
  --c6: #67c6d6; --c7: #9aa4b0;
  --h1: #14263c; --h2: #193d61; --h3: #205687; --h4: #2e71ab; --h5: #458ec9; --h6: #6caade;
  --h7: #99c6ec; --h8: #c6e0f6; --h9: #f0f8ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 1240px; padding: 28px 24px 48px; background: var(--paper);
  color: var(--ink); font: 15px/1.45 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; }
h1 { font-size: 25px; margin: 0 0 4px; overflow-wrap: anywhere; }
h2 { font-size: 18px; margin: 0 0 10px; }
p { margin: 4px 0; }
.pale { color: var(--pale); }
.good { color: var(--good); } .bad { color: var(--bad); }
.tiles { display: flex; flex-wrap: wrap; gap: 10px; margin: 18px 0 8px; padding: 0; }
.tiles div { flex: 1 1 130px; background: var(--card); border-radius: 8px; padding: 10px 14px; }
.tiles b { display: block; font-size: 22px; font-weight: 600; white-space: nowrap; }
.tiles span { color: var(--pale); font-size: 13px; }
.notes { margin: 10px 0; padding: 0; list-style: none; }
section { margin-top: 30px; border-top: 1px solid var(--grid); padding-top: 18px; }
.beside { display: grid; grid-template-columns: minmax(0, 1.5fr) minmax(0, 1fr); gap: 30px;
  align-items: start; }
.beside.wide { grid-template-columns: minmax(0, 1fr); }
@media (max-width: 900px) { .beside { grid-template-columns: minmax(0, 1fr); } }
figure { margin: 0 0 18px; }
figcaption { font-weight: 600; margin-bottom: 4px; }
svg { display: block; width: 100%; height: auto; max-width: 900px; }
svg text { font-size: 12px; fill: var(--ink); }
svg text.tick, svg text.mark { fill: var(--pale); }
svg text.title { fill: var(--pale); }
.grid { stroke: var(--grid); } .axis { stroke: var(--pale); }
line.mark { stroke: var(--pale); stroke-dasharray: 2 3; }
.shaded { fill: var(--shade); }
polyline.line { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
polyline.dashed { stroke-dasharray: 6 4; }
circle.hollow { fill: var(--paper); stroke-width: 1.8; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 4px 0 0; padding-left: 10%;
  font-size: 13px; color: var(--pale); align-items: center; }
.legend i { display: inline-block; width: 22px; margin-right: 6px; vertical-align: middle; }
.legend i.line { height: 0; border-top: 3px solid; } .legend i.dashed { border-top-style: dashed; }
.legend i.bar { width: 12px; height: 12px; border-radius: 2px; }
.scale { gap: 0; } .scale i { height: 12px; margin: 0; width: 26px; }
.scale span { margin: 0 8px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 12.5px; width: 100%; margin-bottom: 14px;
  font-variant-numeric: tabular-nums; }
th, td { padding: 4px 0 4px 10px; text-align: right; border-bottom: 1px solid var(--grid);
  white-space: nowrap; }
th { color: var(--pale); font-weight: 600; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
table.facts td { text-align: left; white-space: normal; overflow-wrap: anywhere;
  vertical-align: top; }
table.facts td:first-child { color: var(--pale); width: 34%; }
summary { cursor: pointer; font-weight: 600; }
@media print { :root { color-scheme: light; } body { max-width: none; padding: 0; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  figure, .tiles, tr { break-inside: avoid; } section { break-inside: auto; } }
)";

/// Adds a rule for each colour of `letter`; `#` stands for its name.
void add_rules(std::string& to, std::string_view rule, char letter, int first, int last) {
  for (int i = first; i <= last; ++i)
    for (const char each : rule)
      if (each == '#')
        to.append(1, letter).append(std::to_string(i));
      else
        to += each;
}

/// The classes of colours: `c0` to `c7` for lines, dots and bars, `h1` to `h9` for heat maps.
std::string colours() {
  std::string made;
  add_rules(made,
            "polyline.#, circle.hollow.# { stroke: var(--#); } "
            "circle.dot.#, rect.bar.# { fill: var(--#); } "
            "i.line.# { border-color: var(--#); } i.bar.# { background: var(--#); }\n",
            'c', 0, 7);
  add_rules(made, "rect.# { fill: var(--#); } i.# { background: var(--#); }\n", 'h', 1, 9);
  return made;
}

} // namespace

std::string html_table(const std::vector<std::vector<std::string>>& rows) {
  std::string made = "<div class=\"scroll\"><table>\n";
  for (const auto& row : rows) {
    const std::string cell = &row == rows.data() ? "th" : "td";
    made += "<tr>";
    for (const auto& each : row)
      made.append("<").append(cell).append(">").append(escaped(each)).append("</").append(cell) +=
          ">";
    made += "</tr>\n";
  }
  return made + "</table></div>\n";
}

std::string html_facts(const std::vector<std::vector<std::string>>& rows) {
  std::string made = "<table class=\"facts\">\n";
  for (const auto& row : rows)
    made += "<tr><td>" + escaped(row[0]) + "</td><td>" + escaped(row[1]) + "</td></tr>\n";
  return made + "</table>\n";
}

std::string html_part(std::string_view title, const std::string& picture,
                      const std::string& numbers) {
  const bool is_wide = picture.empty() || numbers.empty();
  // prose: allow
  return "<section><h2>" + escaped(title) + "</h2>\n<div class=\"beside" +
         (is_wide ? " wide" : "") + "\">\n<div>" + picture + (is_wide ? "" : "</div>\n<div>") +
         numbers + "</div>\n</div></section>\n";
}

std::string html_page(std::string_view title, const std::string& body) {
  return "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
         "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
         "'unsafe-inline'\">\n<title>" +
         escaped(title) + "</title>\n<style>" + std::string{style} + colours() +
         "</style>\n</head>\n<body>\n" + body + "</body>\n</html>\n";
}

} // namespace matchcloud::load
