import type { Server } from "../desk/connection.ts";
import { isRecord } from "../is-record.ts";
import { textIn, type Fields } from "../wire/record.ts";

/** What a server says of itself. */
export function serverFrom(info: unknown, result: Fields): Server {
  const said = isRecord(info) ? info : {};
  const instructions = textIn(result, "instructions");
  return {
    name: textIn(said, "title") ?? textIn(said, "name") ?? "a server without a name",
    version: textIn(said, "version") ?? "",
    ...(instructions === undefined ? {} : { instructions }),
  };
}
