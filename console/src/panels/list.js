// The panels in the order of the navigation. Each is loaded when it is first shown.
export const panels = [
  { id: "live", title: "Live", key: "l", group: "Service", load: () => import("./live.js") },
  { id: "actors", title: "Actors", key: "a", group: "Service", load: () => import("./actors.js") },
  { id: "faults", title: "Faults", key: "f", group: "Service", load: () => import("./faults.js") },
  { id: "configuration", title: "Configuration", key: "g", group: "Service",
    load: () => import("./configuration.js") },
  { id: "catalog", title: "Catalog", key: "c", group: "Data", load: () => import("./catalog.js") },
  { id: "regions", title: "Regions", key: "r", group: "Data", load: () => import("./regions.js") },
  { id: "lobbies", title: "Lobbies", key: "o", group: "Data", load: () => import("./lobbies.js") },
  { id: "avatars", title: "Avatars", key: "v", group: "Data", load: () => import("./avatars.js") },
  { id: "validate", title: "Validate", key: "d", group: "Try",
    load: () => import("./validate.js") },
];
