import { scenarios } from "./scenarios.ts";
import { stdio } from "./stdio.ts";

scenarios(stdio);
