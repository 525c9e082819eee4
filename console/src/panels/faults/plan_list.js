/** The plans that come with matchcloud, as in plans/; a test compares them. */
export const plans = [
  { name: "slow-store", lasts: "8s", presets: ["slow-store"],
    about: "The store reads slowly: exports wait, and nothing else does." },
  { name: "dying-actors", lasts: "8s", presets: ["dying-actors"],
    about: "Actors die at one request in a hundred, and no client notices." },
  { name: "full-disk", lasts: "9s", presets: ["full-disk"],
    about: "While the disk is full, exports are refused and everything else works." },
  { name: "lossy-clients", lasts: "8s", presets: ["lossy-clients"],
    about: "A tenth of the clients have a bad network, and the others do not wait for them." },
  { name: "failing-bucket", lasts: "9s", presets: ["failing-bucket"],
    about: "The bucket fails half of the time: some exports are refused, and everything else works."
  },
];
