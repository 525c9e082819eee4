// What is wrong now, worst first, each with what to do.
import { plural } from "../../core/plural.js";
import { linkTo } from "../../core/router.js";

const shown_actors = 5;
const order = ["bad", "warn", "note"];

function ofActors({ actors }) {
  const problems = actors?.problems ?? [];
  const said = problems.slice(0, shown_actors).map(({ place, state, last_error: error }) => ({
    id: `actor ${place}`, tone: "bad", what: `${place} is ${state}${error ? `: ${error}` : "."}`,
    todo: "It is started again by itself. If it keeps dying, the service's log has why.",
    link: linkTo("actors", { place }), open: "Show it",
  }));
  const more = problems.length - said.length;
  if (more > 0) {
    said.push({ id: "actors", tone: "bad", what: `${plural(more, "more actor")} do not run.`,
      todo: "", link: linkTo("actors"), open: "Show them" });
  }
  return said;
}

function ofFaults({ faults }) {
  if (!faults?.armed) return [];
  return [{
    id: "faults", tone: "warn",
    what: `${plural(faults.armed, "fault is", "faults are")} injected, with ${
      plural(faults.hits, "hit")} so far.`,
    todo: "What fails may fail on purpose. End them when you have seen enough.",
    link: linkTo("faults"), open: "Show them",
  }];
}

// Where the console shows what a finding of the service says to look at.
const places = [
  [/^\/v1\/traces\?operation=([a-z_]+)/, ([, operation]) => ["traces", { operation }]],
  [/^\/v1\/traces/, () => ["traces", { walks: "failed" }]],
  [/^\/actors/, () => ["actors", { show: "restarted" }]],
  [/^\/v1\/exports/, () => ["lobbies", {}]],
  [/^\/v1\/config/, () => ["configuration", {}]],
  [/^\/faults/, () => ["faults", {}]],
];

const tones = { critical: "bad", warning: "warn", notice: "note" };

function ofFinding({ cause, severity, what, look_at: where }) {
  const place = places.map(([path, link]) => [path.exec(where), link]).find(([match]) => match);
  const link = place && linkTo(...place[1](place[0]));
  return { id: `${cause} ${where}`, tone: tones[severity] ?? "warn", what, todo: "", link,
    open: "Show it" };
}

/**
 * The problems of the last status and of what `/v1/attention` answered, or null for that:
 * `{id, tone, what, todo, link?, open?}`.
 */
export function problemsOf(history, attention, connection) {
  const status = history.at(-1)?.status;
  const found = [];
  if (connection === "lost") {
    found.push({
      id: "connection", tone: "bad", what: "There is no connection to the service.",
      todo: "See whether the process runs. This page goes on trying; what is below is old.",
    });
  }
  if (!status) return found;
  // Faults are told of for as long as they are set, and not for minutes after.
  const findings = (attention?.findings ?? []).filter(({ cause }) => cause !== "faults_injected");
  return [...found, ...ofActors(status), ...ofFaults(status), ...findings.map(ofFinding)]
    .sort((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone));
}
