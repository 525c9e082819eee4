// The small components that panels are built from.
export { CopyCurl, CopyText } from "./components/copy.js";
export { Confirm, Dialog } from "./components/dialog.js";
export { Announcer, announce } from "./components/announcer.js";
export { Panel, Section } from "./components/panel.js";
export { Loading, Problem, isDenied } from "./components/problem.js";
export { Empty } from "./components/empty.js";
export { Field, Select } from "./components/field.js";
export { Picker } from "./components/picker.js";
export { ReadOnly } from "./components/read_only.js";
export { RequestId } from "./components/request_id.js";
export { Spark } from "./components/spark.js";
export { Table } from "./components/table.js";
export { MemberDiff } from "./components/diff.js";
export { Message } from "./components/message.js";
export { Name } from "./components/name.js";
export { Badge, Bytes, Count, Duration, Micros, Time } from "./components/values.js";
