import { ZapOff } from "lucide-preact";
import { useMemo, useState } from "preact/hooks";
import { send } from "../core/api.js";
import {
  CopyCurl, CopyText, Empty, Loading, Panel as Frame, Picker, Problem, ReadOnly, Section, announce,
} from "../core/components.js";
import { connection, status } from "../core/events.js";
import { html } from "../core/html.js";
import { useQuery } from "../core/query.js";
import { turn } from "../core/router.js";
import { mayChange, tokenKind } from "../core/session.js";
import { Effect, Headline, firstOf, useFigures } from "./faults/effect.js";
import { PointForm } from "./faults/form.js";
import { ClearAll, Injected } from "./faults/injected.js";
import { entryOf, marksOf, noteOwn, rulesOf, useEntries } from "./faults/past.js";
import { answeredAt, wordsOf } from "./faults/path.js";
import { Path } from "./faults/path_view.js";
import { Plans } from "./faults/plans.js";
import { Presets } from "./faults/presets.js";

const path = "/faults";
const period_ms = 1_000;
const marked_ms = 600_000;
const command = "matchcloud serve --enable-fault-injection --fault-seed 7";

function Disabled() {
  return html`
    <${Empty} icon=${ZapOff} title="Fault injection is off"
      action=${html`<${CopyText} text=${command} label="Copy the command" />`}>
      <p>Use it to see what clients, alerts and runbooks do while parts of the service are slow or
        fail, for example when one game's avatars are slow, a disk is full or actors die. Start a
        test service with:</p>
      <p><code>${command}</code></p>
      <p>Do not do this in production: anyone who can reach the ops plane could make the service
        fail.</p>
    </${Empty}>
    <${Section} title="Where faults can be injected"><${Path} /></${Section}>`;
}

function Seed({ seed }) {
  return html`<p class="seed faint">Seed <code>${seed}</code>
    <${CopyText} text=${String(seed)} label="Copy the seed" />
    It decides what is hit by chance. To repeat the same hits, start with --fault-seed.</p>`;
}

/**
 * The functions that change rules: `put(point, rule)`, `clear(point)` and `clearAll()`, and the
 * last error.
 */
function useChanges(reload) {
  const [error, setError] = useState(null);
  const change = async (method, target, body, said) => {
    try {
      const answer = await send(method, target, { body });
      noteOwn(answer.headers.get("X-Request-Id"));
      setError(null);
      announce(said);
      reload();
    } catch (caught) {
      setError(caught);
    }
  };
  const at = (point) => `${path}/${encodeURIComponent(point)}`;
  return { error,
    put: (point, rule, said) => change("PUT", at(point), rule, said),
    clear: (point) => change("DELETE", at(point), undefined, `${wordsOf(point)}: cleared.`),
    clearAll: () => change("DELETE", path, undefined, "All faults are cleared."),
  };
}

/** The games and tokens that rules can name; tokens are null if the user may not see them. */
function useNames() {
  const games = useQuery("/v1/games").value?.games ?? [];
  const tokens = useQuery(tokenKind.value === "viewer" ? null : "/v1/tokens").value?.tokens ?? null;
  const names = new Map([...games.map(({ game_id: id, display_name: name }) => [id, name]),
    ...(tokens ?? []).map(({ token_id: id, name }) => [id, name])]);
  return { games, tokens, names };
}

/** Leads from an operation to the fault point of its answers. */
function ByOperation({ point }) {
  const options = answeredAt.map(([value, to]) => ({ value, label: value, note: wordsOf(to) }));
  const found = answeredAt.find(([, to]) => to === point);
  return html`<${Picker} label="Operation" className="inline" options=${options}
    value=${found?.[0] ?? ""} placeholder="Find its fault point"
    onValue=${(value) => turn({ point: answeredAt.find(([one]) => one === value)[1] })} />`;
}

function Armed({ value, route, reload }) {
  const changes = useChanges(reload);
  const { games, tokens, names } = useNames();
  const found = useMemo(() => rulesOf(value.points), [value]);
  const entries = useEntries(found);
  const rules = found.map((rule) => ({ ...rule, entry: entryOf(rule, entries) }));
  const rows = useFigures(firstOf(found));
  const points = new Map(value.points.map((one) => [one.point, one]));
  const chosen = points.get(route.params.get("point"));
  const start = ({ name, point }, rule) => changes.put(point, rule, `${name} is injected.`);
  const presets = html`<${Presets} presets=${value.presets} points=${points} onStart=${start}
    onClear=${changes.clear} />`;
  const actions = html`
    ${mayChange.value && html`<${ClearAll} disabled=${!rules.length}
      onClick=${changes.clearAll} />`}
    <${CopyCurl} path=${path} />`;
  return html`
    <${Section} className="injected" actions=${actions}
      title=${`Injected now: ${rules.length || "nothing"}`}>
      <${ReadOnly} to="inject faults" />
      <${Problem} error=${changes.error} />
      <${Injected} rules=${rules} presets=${value.presets} names=${names}
        isLogRead=${entries !== null} onClear=${changes.clear} />
      ${rules.length > 0 && html`<${Headline} rows=${rows} />`}
    </${Section}>
    <div class="workbench">
      <div class="left">
        <${Section} title="The path of a request" className="path-card"
          actions=${html`<${ByOperation} point=${chosen?.point} />`}>
          <${Path} points=${points} chosen=${chosen?.point} /></${Section}>
      </div>
      <div class="right">
        ${chosen ? html`<${PointForm} key=${chosen.point} found=${chosen} games=${games}
          tokens=${tokens} names=${names} onDone=${reload} onClear=${changes.clear} />` : presets}
      </div>
      <div class="below">
        <${Effect} route=${route} rows=${rows} names=${names}
          marks=${marksOf(found, entries, Date.now() - marked_ms)} />
        ${chosen && presets}
        <${Plans} presets=${value.presets} points=${points} /><${Seed} seed=${value.seed} /></div>
    </div>`;
}

// The status says whether faults can be injected, which avoids a request that would fail. Without a
// status, the request is the only way to find out.
function isOff() {
  if (status.value) return status.value.faults === null;
  return connection.value === "lost" || connection.value === "refused" ? false : null;
}

function Panel({ route }) {
  const told = isOff();
  const { value, error, reload } = useQuery(told === false ? path : null, { every: period_ms });
  const off = told || error?.status === 404;
  return html`<${Frame} title="Faults">
    ${off ? html`<${Disabled} />` : html`<${Problem} error=${error} onRetry=${reload} />`}
    ${!value && !error && !off && html`<${Loading} />`}
    ${value && !off && html`<div class="faults"><${Armed} value=${value} route=${route}
      reload=${reload} /></div>`}
  </${Frame}>`;
}

export default { id: "faults", title: "Faults", Panel };
