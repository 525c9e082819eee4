import { CopyCurl, Loading, Panel as Frame, Problem, Select } from "../core/components.js";
import { connection, status } from "../core/events.js";
import { html, useEffect, useMemo } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { rangeOf, ranges, usePast } from "../core/range.js";
import { turn } from "../core/router.js";
import { Attention } from "./live/attention.js";
import { Changes, useChanges } from "./live/changes.js";
import { Charts } from "./live/charts.js";
import { Headline, sumsOf } from "./live/headline.js";
import { operations, operationsOf } from "./live/operations.js";
import { problemsOf } from "./live/problems.js";
import { Replicas } from "./live/replicas.js";
import { useRunning } from "./live/running.js";

const attention_ms = 5_000;
const replicas_ms = 5_000;
const faults_ms = 5_000;

function Ranges({ range }) {
  return html`<div class="segments" role="group" aria-label="Time range">
    ${Object.entries(ranges).map(([id, { text }]) => html`<button key=${id} type="button"
      aria-pressed=${id === range.id} onClick=${() => turn({ range: id })}>${text}</button>`)}
  </div>`;
}

// A link may lead to a part of this panel, also if the panel is already shown.
function useLead(part, isReady) {
  useEffect(() => {
    const target = part && isReady && document.getElementById(`live-${part}`);
    if (!target) return;
    target.scrollIntoView({ block: "start" });
    target.focus({ preventScroll: true });
  }, [part, isReady]);
}

const known = new Set(["all", ...operations]);

function Panel({ route: { params } }) {
  const range = rangeOf(params);
  const asked = params.get("operation");
  const past = usePast(range);
  const attention = useQuery("/v1/attention", { every: attention_ms });
  const replicas = useQuery("/v1/replicas", { every: replicas_ms });
  const now = status.value;
  const faults = useQuery(now?.faults?.armed ? "/faults" : null, { every: faults_ms });
  const running = useRunning(range.seconds);
  const points = past.value?.points ?? [];
  const changes = useChanges({ range, to: past.value?.to ?? Date.now(),
    replicas: replicas.value?.replicas });
  const found = useMemo(() => operationsOf(points), [points]);
  const operation = known.has(asked) || found.seen.includes(asked) ? asked : "";
  const sums = useMemo(() => sumsOf(points, found.seen), [points, found]);
  useLead(params.get("part"), Boolean(past.value));

  // If the service does not answer at all, that is said only once.
  const others = !attention.error;
  const many = replicas.value?.replicas.length > 1;
  const table = html`<div key="replicas" id="live-replicas" tabindex="-1">
    <${Replicas} query=${replicas} isSaid=${!others} /></div>`;
  const choices = [["", "each"], ["all", "data plane together"],
    ...found.seen.includes(operation) || !operation || operation === "all" ? []
      : [operation], ...found.seen];
  const actions = html`<${Select} label="Operation" className="inline" options=${choices}
      value=${operation} onValue=${(value) => turn({ operation: value })} />
    <${Ranges} range=${range} /><${CopyCurl} path=${`/v1/history?last=${range.seconds}&step=${
      range.step}`} />`;
  return html`<${Frame} title="Live" actions=${actions}>
    <${Attention} isKnown=${Boolean(now && attention.value)} error=${attention.error}
      onRetry=${attention.reload} names=${running.names}
      found=${problemsOf({ status: now, attention: attention.value,
        points: faults.value?.points, connection: connection.value, names: running.names })} />
    <${Headline} points=${points} seen=${found.seen} sums=${sums} range=${range} running=${running}
      replicas=${replicas.value?.replicas ?? null} />
    <${Problem} error=${others && past.error} onRetry=${past.reload} />
    ${past.value ? html`<${Charts} past=${past.value} range=${range} found=${found}
        operation=${operation} marks=${changes} memory=${now?.memory}
        more=${!many && table}
        changes=${html`<${Changes} changes=${changes} range=${range} />`} />`
      : !past.error && html`<${Loading} what="Loading the history" />`}
    ${many && table}
  </${Frame}>`;
}

export default { id: "live", title: "Live", Panel };
