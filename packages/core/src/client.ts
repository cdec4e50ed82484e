/** The client as a body sees it, and its capabilities. */

/** What a tool may ask of a client. */
export type Capability = "form" | "url" | "sample" | "roots";

/** The client of a run, and what it is able to show. */
export interface Client {
  readonly name: string;
  readonly version: string;
  readonly can: { readonly [capability in Capability]: boolean };
}

/** The client of a program that runs a tool itself: it has every capability. */
export const inProcessClient: Client = {
  name: "program",
  version: "",
  can: { form: true, url: true, sample: true, roots: true },
};
