// The page of the interface: written by the panels' side.
import "./core/theme.js";
