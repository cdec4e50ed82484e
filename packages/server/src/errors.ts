/** Error classes of the server. Those of a protocol message are in jsonrpc/errors.ts. */
import { PhotonError } from "@photon/core";

/** The npm package of a store driver is not installed. */
export class StoreDriverMissing extends PhotonError {
  readonly code = "STORE_MISSING";

  constructor(kind: string, name: string, options?: ErrorOptions) {
    super(`A store in ${kind} needs the package ${name}: npm install ${name}`, options);
  }
}

/** A call of a store has failed. It may have had its effect, if the response was lost: read the log before you append again. */
export class StoreUnavailable extends PhotonError {
  readonly code = "STORE_UNAVAILABLE";

  /** `store`: its address, without a password. `problem` ends the sentence: "it was closed". */
  constructor(store: string, problem: string, options?: ErrorOptions) {
    super(`The store ${store} cannot be used: ${problem}.`, options);
  }
}

/** Another process listens on the port. */
export class PortTaken extends PhotonError {
  readonly code = "PORT_TAKEN";

  constructor(port: number, host: string) {
    super(
      `Port ${port} of ${host} is taken; stop what listens there, or give another port (0: any that is free).`,
    );
  }
}

/** WebSocket upgrades at a path of an HTTP server are taken already. */
export class PathTaken extends PhotonError {
  readonly code = "PATH_TAKEN";

  constructor(path: string) {
    super(`The upgrades at ${path} of this HTTP server are taken already; attach at another path.`);
  }
}

/** `playground: true`, and the package @photon/playground is not installed or not built. */
export class PlaygroundMissing extends PhotonError {
  readonly code = "PLAYGROUND_MISSING";

  /** `problem` ends the sentence: "install @photon/playground". */
  constructor(problem: string, options?: ErrorOptions) {
    super(`The playground cannot be served: ${problem}.`, options);
  }
}

/** `listen` on a host that is not loopback, without authentication. */
export class AuthRequired extends PhotonError {
  readonly code = "AUTH_REQUIRED";

  constructor(host: string) {
    super(
      `${host} is reachable from other machines: set tokens or authenticate, or allow unauthenticated access with noAuth.`,
    );
  }
}

/** `stdio()` was called while a client is served at stdin and stdout. */
export class StdioInUse extends PhotonError {
  readonly code = "STDIO_TAKEN";

  constructor() {
    super(
      "This process already serves a client at stdin and stdout; wait until that client has disconnected.",
    );
  }
}

/** A model tried to ask for a secret in a form. */
export class SecretInForm extends PhotonError {
  readonly code = "SECRET_IN_FORM";

  /** `kind`: "a password". `text`: the words of the form that ask for it. */
  constructor(kind: string, text: string) {
    super(
      `A form must not ask for ${kind} (${JSON.stringify(text)}): the client and the model see what the user types. Use a tool that asks for it with ask.secret, or let the person set it up elsewhere.`,
    );
  }
}

/** An answer from the inbox or a page that was not accepted. */
export class AnswerRejected extends PhotonError {
  readonly code = "NOT_ANSWERED";

  /** `reason` ends the sentence: "it was answered already". */
  constructor(run: string, key: string, reason: string) {
    super(`The question ${JSON.stringify(key)} of the run ${run} cannot be answered: ${reason}.`);
  }
}

/** Another process has appended to the log of the run: this process does nothing more with it. */
export class RunMoved extends PhotonError {
  readonly code = "RUN_MOVED";

  /** Whether the client has resumed the call in another process. */
  readonly hasClientElsewhere: boolean;

  constructor(run: string, hasClientElsewhere = false) {
    super(`Another process has continued the run ${run}; this process does nothing more with it.`);
    this.hasClientElsewhere = hasClientElsewhere;
  }
}

/** The records of a run were encrypted with keys that this process lacks, or were changed. */
export class RecordsUnreadable extends PhotonError {
  readonly code = "RECORDS_UNREADABLE";

  constructor(run: string) {
    super(
      `The records of the run ${run} cannot be decrypted: they were encrypted with other keys, or changed. Every process that shares a store needs the keys that any of them encrypts with (PHOTON_KEYS).`,
    );
  }
}
