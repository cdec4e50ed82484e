import { runInTerminal } from "../terminal.ts";
import { book } from "./book.photon.ts";

const [city] = process.argv.slice(2);
await runInTerminal(book, city === undefined ? {} : { city });
