/** Why a call did not come to its end, in a sentence. */
import {
  MissingRequiredClientCapabilityError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
} from "@modelcontextprotocol/client";
import { PhotonError, type Timeout } from "@photon/core";
import { oneLine } from "../terminal/clean-text.ts";
import { isRecord } from "../terminal/is-record.ts";
import { statusIn, systemCodeIn, wordsIn } from "./failure.ts";
import { CUT } from "./http-transport.ts";
import { nameOf, type Target } from "./target.ts";

/** A call that the server, or the way to it, did not bring to its end. */
export class CallFailed extends PhotonError {
  override readonly name = "CallFailed";
  readonly code = "CALL_FAILED";
}

export function callFailed(target: Target, failure: unknown): CallFailed {
  return new CallFailed(why(nameOf(target), failure), { cause: failure });
}

/** The server said nothing for as long as it may. */
export function silent(target: Target, timeout: Timeout): CallFailed {
  return new CallFailed(`${nameOf(target)} has said nothing for ${timeout}; --timeout gives it longer.`);
}

/** What others say may be long: the sentence is ours. */
const LONGEST = 300;

function why(name: string, failure: unknown): string {
  const words = oneLine(wordsIn(failure)).slice(0, LONGEST);
  if (failure instanceof MissingRequiredClientCapabilityError)
    return cannot(Object.keys(failure.requiredCapabilities), words);
  if (words.startsWith("Invalid elicitation request")) return `${name} asks what no form can show: ${words}`;
  if (failure instanceof ProtocolError)
    return words === CUT ? gone(name) : `${name} refused the call: ${words} (${failure.code})`;
  if (failure instanceof SdkError) {
    if (failure.code === SdkErrorCode.ConnectionClosed) return gone(name);
    const wanted = isRecord(failure.data) ? failure.data["method"] : undefined;
    if (failure.code === SdkErrorCode.CapabilityNotSupported && typeof wanted === "string")
      return cannot([wanted.split("/", 1)[0] ?? wanted], words);
  }
  const status = statusIn(failure);
  if (status !== undefined) return `${name} refused the call (${status}): ${words}`;
  return systemCodeIn(failure) === undefined ? `The call failed: ${words}` : gone(name);
}

const gone = (name: string): string => `${name} went away before the call was over.`;

/** What the server needs of its client and a terminal does not have. */
function cannot(wanted: readonly string[], words: string): string {
  if (wanted.includes("roots")) return "The tool asks which folder it may work in; --root tells it this one.";
  if (wanted.includes("sampling"))
    return "The tool asks for a language model, and there is none in a terminal.";
  return `The tool needs what a terminal cannot do: ${words}`;
}
