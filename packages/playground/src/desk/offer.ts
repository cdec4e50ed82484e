/** Something that can be called. */
export type Offer =
  | {
      readonly kind: "tool";
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly inputSchema: JsonSchema;
      readonly annotations: { readonly [hint: string]: unknown };
    }
  | {
      readonly kind: "prompt";
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly parameters: readonly Parameter[];
    }
  | {
      readonly kind: "resource";
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly uri: string;
      readonly mimeType?: string;
    }
  /** A family of resources: its variables are filled in to get an address. */
  | {
      readonly kind: "template";
      readonly name: string;
      readonly title?: string;
      readonly description?: string;
      readonly uriTemplate: string;
      readonly mimeType?: string;
    };

interface Parameter {
  readonly name: string;
  readonly description?: string;
  readonly required: boolean;
}

export type JsonSchema = { readonly [keyword: string]: unknown };

/** What tells an offer from every other, also after a reload. Resources may be called the same; their addresses are not. */
export function nameOf(offer: Offer): string {
  switch (offer.kind) {
    case "tool":
    case "prompt":
      return `${offer.kind}/${offer.name}`;
    case "resource":
      return `${offer.kind}/${offer.uri}`;
    case "template":
      return `${offer.kind}/${offer.uriTemplate}`;
    default:
      return offer satisfies never;
  }
}
