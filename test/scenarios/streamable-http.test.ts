import { streamableHttp } from "./network-transports.ts";
import { scenarios } from "./scenarios.ts";

scenarios(streamableHttp);
