// The actors as the supervision tree: the supervisor, and below it the pools of the whole service
// and the actors of each event loop.

const bad = new Set(["waiting", "storming"]);

/** "good" for an actor that runs, "bad" for one that does not. */
export function toneOf(state) {
  if (state === "running") return "good";
  return bad.has(state) ? "bad" : "warn";
}

function groupOf(actor, lastLoop) {
  if (actor.loop === null) return { id: "shared", title: "Service-wide" };
  const ops = actor.loop === lastLoop;
  return { id: `loop ${actor.loop}`, title: `Event loop ${actor.loop}${ops ? ", ops plane" : ""}` };
}

/**
 * `{supervisors, groups}` of a listing of actors. Groups are `{id, title, actors, depth, restarts,
 * troubled}`, with sums over their actors and the number of actors that are not running.
 */
export function treeOf(actors) {
  const lastLoop = Math.max(...actors.map(({ loop }) => loop ?? -1));
  const supervisors = actors.filter(({ kind }) => kind === "supervisor");
  const groups = new Map();
  for (const actor of actors) {
    if (actor.kind === "supervisor") continue;
    const { id, title } = groupOf(actor, lastLoop);
    const group = groups.get(id)
      ?? { id, title, actors: [], depth: 0, restarts: 0, troubled: 0 };
    group.actors.push(actor);
    group.depth += actor.depth;
    group.restarts += actor.restarts;
    group.troubled += actor.state === "running" ? 0 : 1;
    groups.set(id, group);
  }
  return { supervisors, groups: [...groups.values()] };
}

const watched = ["state", "depth", "restarts", "last_error"];

/**
 * The places whose actors differ between two listings in something that matters (maps by place).
 */
export function changedPlaces(before, after) {
  const changed = new Set();
  for (const [place, actor] of after) {
    const former = before.get(place);
    if (former && watched.some((member) => former[member] !== actor[member])) changed.add(place);
  }
  return changed;
}
