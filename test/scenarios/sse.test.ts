import { sse } from "./network-transports.ts";
import { scenarios } from "./scenarios.ts";

scenarios(sse);
