import { scenarios } from "./scenarios.ts";
import { streamableHttp } from "./streamable-http.ts";

scenarios(streamableHttp);
