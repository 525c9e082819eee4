// What is wrong now, worst first, each with what to do and where it shows.
import { plural } from "../../core/plural.js";
import { linkTo } from "../../core/router.js";
import { ruleText } from "../faults/rule.js";
import { slow_ms } from "./operations.js";

const shown_actors = 5;
const shown_faults = 5;
const order = ["bad", "warn", "note"];

function ofActors({ actors }) {
  const problems = actors?.problems ?? [];
  const said = problems.slice(0, shown_actors).map(({ place, state, last_error: error }) => ({
    id: `actor ${place}`, tone: "bad", what: `${place} is ${state}${error ? `: ${error}` : "."}`,
    todo: "The service starts it again by itself. If it keeps dying, the log says why.",
    link: linkTo("actors", { place }),
  }));
  const more = problems.length - said.length;
  if (more > 0) {
    said.push({ id: "actors", tone: "bad", what: `${plural(more, "more actor is",
      "more actors are")} not running.`,
      todo: "", link: linkTo("actors", { show: "troubled" }) });
  }
  return said;
}

/** A line for each fault that is set; one for all if it is not known which they are. */
function ofFaults({ faults }, points = [], names = new Map()) {
  if (!faults?.armed) return [];
  const said = ({ game, ...rule }) => `${ruleText(rule)}${game ? ` for the game ${
    names.get(game) ?? game}` : ""}`;
  const armed = points.filter(({ rule }) => rule);
  const todo = "Requests may fail on purpose. Clear it when you have seen enough.";
  const lines = armed.slice(0, shown_faults).map(({ point, rule, hits }) => ({
    id: `fault ${point}`, tone: "warn", todo,
    what: `Fault set at ${point}: ${said(rule)}, ${plural(hits, "hit")}.`,
    link: linkTo("faults", { point }) }));
  const more = faults.armed - lines.length;
  const word = lines.length ? "more " : "";
  if (more > 0) {
    lines.push({ id: "faults", tone: "warn", todo: word ? "" : todo,
      what: `${plural(more, `${word}fault is`, `${word}faults are`)} set.`,
      link: linkTo("faults", { show: "armed" }) });
  }
  return lines;
}

const show = (part) => ["live", { part }];

// Where the console shows more about a cause, or what the service says to look at.
const causes = {
  disk_full: ["configuration", { text: "data-dir" }],
  bound_nearly_reached: ["configuration", {}],
  clients_gone: ["traces", { status: "499" }],
  processor_waits: show("loops"),
  store_away: ["actors", {}],
  not_ready: show("replicas"),
  loop_busy: show("loops"),
  requests_shed: show("requests"),
  replicas_missing: show("replicas"),
  geoip_absent: ["configuration", { text: "geoip" }],
  geoip_old: ["configuration", { text: "geoip" }],
  certificate_expires: ["configuration", { text: "tls" }],
  certificate_refused: ["configuration", { text: "tls" }],
  clock_in_doubt: ["configuration", { text: "expiry" }],
  expiry_waits: ["configuration", { text: "expiry" }],
};
const paths = [
  [/^\/actors/, ["actors", { show: "restarted" }]],
  [/^\/v1\/exports/, ["lobbies", {}]], [/^\/v1\/config/, ["configuration", {}]],
  [/^\/v1\/replicas/, show("replicas")], [/^\/v1\/history/, show("requests")],
  [/^\/faults/, ["faults", {}]],
];

const tones = { critical: "bad", warning: "warn", notice: "note" };

// The parameters of the traces that the service says to look at, or null.
function tracesOf({ cause, look_at: where }) {
  const [path, query] = where.split("?");
  if (path !== "/v1/traces") return null;
  return { ...cause === "failed_requests" ? { status: "5xx" } : {},
    ...Object.fromEntries(new URLSearchParams(query)),
    ...cause === "slow_operation" ? { slower: slow_ms } : {} };
}

function ofFinding(finding) {
  const { cause, severity, what, look_at: where, since_ms: since, about } = finding;
  const traces = tracesOf(finding);
  const place = traces ? ["traces", traces]
    : causes[cause] ?? paths.find(([path]) => path.test(where))?.[1];
  // Amounts change from answer to answer.
  const alone = about.filter(({ value }) => value === null).map(({ of }) => Object.values(of));
  return { id: `${cause} ${alone}`, tone: tones[severity] ?? "warn", what, todo: "", since,
    link: place && linkTo(...place), slow: cause === "slow_operation" ? traces.operation : null };
}

/**
 * The problems in the last status, the answer of `/v1/attention` and the fault points, each of
 * which may be null: `{id, tone, what, todo, link?, since?, slow?}`. `since` is in ms since 1970,
 * `slow` the name of a slow operation. `names` are of games, by id.
 */
export function problemsOf({ status, attention, points, connection, names }) {
  const found = [];
  if (connection === "lost") {
    found.push({
      id: "connection", tone: "bad", what: "There is no connection to the service.",
      todo: "Check whether the process is running. This page keeps trying; the data below is old.",
    });
  }
  if (!status) return found;
  // Faults are shown while they are set, and not for minutes afterwards.
  const findings = (attention?.findings ?? []).filter(({ cause }) => cause !== "faults_injected");
  found.push(...ofActors(status), ...findings.map(ofFinding), ...ofFaults(status, points, names));
  return found.sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
}

/**
 * What the slow requests of an operation have in common: `{game, place, kind, of}`, where the first
 * two are null unless four of five requests have them. `game` is an id. Returns null without
 * traces.
 */
export function commonOf(traces) {
  if (!traces?.length) return null;
  const most = (values) => {
    const counts = Map.groupBy(values, (value) => value);
    const [value, same] = [...counts].sort((a, b) => b[1].length - a[1].length)[0];
    return same.length >= 0.8 * values.length ? value : null;
  };
  const slowest = traces.map(({ steps }) => steps.toSorted((a, b) => b.us - a.us)[0])
    .map((step) => step && `${step.kind} ${step.place}`);
  const [kind = null, place = null] = most(slowest)?.split(" ", 2) ?? [];
  return { game: most(traces.map(({ game_id: game }) => game)), kind, place, of: traces.length };
}
