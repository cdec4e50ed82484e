import { scenarios } from "./scenarios.ts";
import { sse } from "./sse.ts";

scenarios(sse);
