/** All measures, in the order of the tables. */
import type { Measure } from "../harness/settings.ts";
import { asks } from "./asks.ts";
import { calls } from "./calls.ts";
import { parked, tools } from "./scaling.ts";
import { install } from "./install.ts";
import { interpreter } from "./interpreter.ts";
import { latency } from "./latency.ts";
import { notifications } from "./notifications.ts";
import { replay } from "./replay.ts";
import { seal } from "./seal.ts";
import { sessions } from "./sessions.ts";
import { shares } from "./shares.ts";
import { startup } from "./startup.ts";
import { store } from "./store.ts";
import { waiting } from "./waiting.ts";

export const measures: readonly Measure[] = [
  calls,
  asks,
  notifications,
  latency,
  shares,
  waiting,
  sessions,
  tools,
  parked,
  startup,
  install,
  interpreter,
  replay,
  seal,
  store,
];
