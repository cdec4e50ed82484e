import { runInTerminal } from "../terminal.ts";
import { hello } from "./hello.ts";

const [name] = process.argv.slice(2);
await runInTerminal(hello, name === undefined ? {} : { name });
