// The panels in the order of the navigation. Each is loaded when it is first shown.
import {
  Activity, Braces, ClipboardCheck, Gamepad2, Globe, History, Image, KeyRound, Library, Network,
  SlidersHorizontal, Timer, Zap,
} from "lucide-preact";
import { addressOf } from "../core/address.js";

export const panels = [
  { id: "live", title: "Live", key: "l", group: "Service", icon: Activity,
    load: () => import("./live.js") },
  { id: "traces", title: "Traces", key: "t", group: "Service", icon: Timer,
    load: () => import("./traces.js") },
  { id: "faults", title: "Faults", key: "f", group: "Service", icon: Zap,
    load: () => import("./faults.js") },
  { id: "actors", title: "Actors", key: "a", group: "Service", icon: Network,
    load: () => import("./actors.js") },
  { id: "configuration", title: "Configuration", key: "g", group: "Service",
    icon: SlidersHorizontal, load: () => import("./configuration.js") },
  { id: "catalog", title: "Catalog", key: "c", group: "Data", icon: Library,
    load: () => import("./catalog.js") },
  { id: "lobbies", title: "Lobbies", key: "o", group: "Data", icon: Gamepad2,
    load: () => import("./lobbies.js") },
  { id: "regions", title: "Regions", key: "r", group: "Data", icon: Globe,
    load: () => import("./regions.js") },
  { id: "avatars", title: "Avatars", key: "v", group: "Data", icon: Image,
    load: () => import("./avatars.js") },
  { id: "tokens", title: "Tokens", key: "k", group: "Access", icon: KeyRound,
    load: () => import("./tokens.js") },
  { id: "audit", title: "Audit log", key: "u", group: "Access", icon: History,
    load: () => import("./audit.js") },
  { id: "validate", title: "Validate", key: "d", group: "Build", icon: ClipboardCheck,
    load: () => import("./validate.js") },
];

/** The API page, which is not a panel: #/api leads to it. */
export const reference = { id: "api", title: "API", group: "Build", icon: Braces,
  get href() { return addressOf("/docs"); } };
