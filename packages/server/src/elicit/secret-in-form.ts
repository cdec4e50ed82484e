import { PhotonError } from "@photon/core";

/** A model wanted to ask for a secret in a form. */
export class SecretInForm extends PhotonError {
  override readonly name = "SecretInForm";
  readonly code = "SECRET_IN_FORM";

  constructor(what: string, words: string) {
    super(
      `A form must not ask for ${what} (${JSON.stringify(words)}): what is typed into it is seen by the client and the model. Use a tool that asks for it with ask.secret, or let the person set it up elsewhere.`,
    );
  }
}
