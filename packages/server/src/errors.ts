import { PhotonError } from "@photon/core";

/** The npm package of a store driver is not installed. */
export class StoreDriverMissing extends PhotonError {
  override readonly name = "StoreDriverMissing";
  readonly code = "STORE_MISSING";

  constructor(kind: string, name: string, options?: ErrorOptions) {
    super(`A store in ${kind} needs the package ${name}: npm install ${name}`, options);
  }
}

/** A call of a store has failed. It may have been done all the same, if the response was lost: read the log before you append again. */
export class StoreUnavailable extends PhotonError {
  override readonly name = "StoreUnavailable";
  readonly code = "STORE_UNAVAILABLE";

  /** `store`: its address, without a password. `problem` ends the sentence: "it was closed". */
  constructor(store: string, problem: string, options?: ErrorOptions) {
    super(`The store ${store} cannot be used: ${problem}.`, options);
  }
}

/** Another process listens on the port. */
export class PortTaken extends PhotonError {
  override readonly name = "PortTaken";
  readonly code = "PORT_TAKEN";

  constructor(port: number, host: string) {
    super(
      `Port ${port} of ${host} is taken; stop what listens there, or give another port (0: any that is free).`,
    );
  }
}

/** WebSocket upgrades at a path of an HTTP server are taken already. */
export class PathTaken extends PhotonError {
  override readonly name = "PathTaken";
  readonly code = "PATH_TAKEN";

  constructor(path: string) {
    super(`The upgrades at ${path} of this HTTP server are taken already; attach at another path.`);
  }
}

/** `playground: true`, and the package @photon/playground is not installed or not built. */
export class PlaygroundMissing extends PhotonError {
  override readonly name = "PlaygroundMissing";
  readonly code = "PLAYGROUND_MISSING";

  constructor(what: string, options?: ErrorOptions) {
    super(`The playground cannot be served: ${what}.`, options);
  }
}

/** `listen` on a host that is not loopback, without authentication. */
export class AuthRequired extends PhotonError {
  override readonly name = "AuthRequired";
  readonly code = "AUTH_REQUIRED";

  constructor(host: string) {
    super(
      `${host} is reachable from other machines: set tokens or authenticate, or allow unauthenticated access with noAuth.`,
    );
  }
}

/** `stdio()` was called while a client is served at stdin and stdout. */
export class StdioInUse extends PhotonError {
  override readonly name = "StdioInUse";
  readonly code = "STDIO_TAKEN";

  constructor() {
    super(
      "This process serves a client at stdin and stdout already, and has no others; wait until it has gone.",
    );
  }
}

/** A model tried to ask for a secret in a form. */
export class SecretInForm extends PhotonError {
  override readonly name = "SecretInForm";
  readonly code = "SECRET_IN_FORM";

  constructor(what: string, words: string) {
    super(
      `A form must not ask for ${what} (${JSON.stringify(words)}): what is typed into it is seen by the client and the model. Use a tool that asks for it with ask.secret, or let the person set it up elsewhere.`,
    );
  }
}

/** An answer from the inbox or a page that was not accepted. */
export class AnswerRejected extends PhotonError {
  override readonly name = "AnswerRejected";
  readonly code = "NOT_ANSWERED";

  /** `why` ends the sentence: "it was answered already". */
  constructor(run: string, key: string, why: string) {
    super(`The question ${JSON.stringify(key)} of the run ${run} cannot be answered: ${why}.`);
  }
}

/** Another copy of the run has appended to its log: this copy does nothing more. */
export class RunMoved extends PhotonError {
  override readonly name = "RunMoved";
  readonly code = "RUN_MOVED";

  /** Whether the client has resumed the call in another process. */
  readonly hasClientElsewhere: boolean;

  constructor(run: string, hasClientElsewhere = false) {
    super(`The run ${run} has gone on elsewhere; what was begun here comes to nothing.`);
    this.hasClientElsewhere = hasClientElsewhere;
  }
}

/** The records of a run were encrypted with keys that this process lacks, or were changed. */
export class RecordsUnreadable extends PhotonError {
  override readonly name = "RecordsUnreadable";
  readonly code = "RECORDS_UNREADABLE";

  constructor(run: string) {
    super(
      `What the store has of the run ${run} does not open: it was sealed with other keys, or changed. Every process that shares a store needs the keys that any of them seals with (PHOTON_KEYS).`,
    );
  }
}
