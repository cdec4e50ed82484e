import { scenarios } from "./scenarios.ts";
import { sdkAdapter } from "./sdk-adapter.ts";

scenarios(sdkAdapter);
