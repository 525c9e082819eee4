// What is wrong now, worst first, each with what to do.
import { roseBy } from "../../core/series.js";
import { linkTo } from "../../core/router.js";

const minute_s = 60;
const busy_limit = 0.9;
const memory_limit = 0.9;
const shown_actors = 5;

const plural = (n, one, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;

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

function ofAnswers(history) {
  const failed = roseBy(history, minute_s, (status) => status.planes.data.answers["5xx"]);
  if (!failed) return [];
  return [{
    id: "5xx", tone: "bad",
    what: `${plural(failed, "answer")} of the data plane in the last minute ${
      failed === 1 ? "was" : "were"} 5xx.`,
    todo: "The walks of requests say which operation and which actor; the log has the request ids.",
    link: linkTo("actors", { walks: "failed" }), open: "Show walks",
  }];
}

function ofRestarts(history) {
  const restarts = roseBy(history, minute_s, (status) => status.actor_restarts_total);
  if (!restarts) return [];
  return [{
    id: "restarts", tone: "warn",
    what: `Actors were started again ${plural(restarts, "time")} in the last minute.`,
    todo: "Their last error says why. Requests that they held were sent again.",
    link: linkTo("actors", { show: "restarted" }), open: "Show them",
  }];
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

function ofLoops({ loops = [] }) {
  return loops.filter(({ busy }) => busy > busy_limit).map(({ loop, plane, busy }) => ({
    id: `loop ${loop}`, tone: "warn",
    what: `Event loop ${loop} (${plane}) is busy ${Math.round(busy * 100)} % of the time.`,
    todo: "More wait for it than it can take: give the service more cores, or another replica.",
  }));
}

function ofMemory({ memory }) {
  if (!memory?.budget_bytes || memory.leased_bytes < memory_limit * memory.budget_bytes) return [];
  return [{
    id: "memory", tone: "warn",
    what: "The byte budget of the data plane is almost used up.",
    todo: "Slow readers hold it. Beyond it the slowest are cut off: see byte-budget-bytes.",
  }];
}

/** The problems of `history` (see core/events.js): `{id, tone, what, todo, link?, open?}`. */
export function problemsOf(history, connection) {
  const status = history.at(-1)?.status;
  const found = [];
  if (connection === "lost") {
    found.push({
      id: "connection", tone: "bad", what: "There is no connection to the service.",
      todo: "See whether the process runs. This page goes on trying; what is below is old.",
    });
  }
  if (!status) return found;
  if (!status.ready) {
    found.push({
      id: "ready", tone: "bad", what: "The service is not ready: balancers send it nothing.",
      todo: "It starts, drains or has a restart storm. Actors say which one died, the log why.",
      link: linkTo("actors"), open: "Show actors",
    });
  }
  return [...found, ...ofActors(status), ...ofAnswers(history), ...ofRestarts(history),
    ...ofFaults(status), ...ofLoops(status), ...ofMemory(status)];
}
