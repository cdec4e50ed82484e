import { PhotonError, type Resource } from "@photon/core";

/** Two of a server's resources are at the same addresses, so that one of them is never read. */
export class DuplicateUri extends PhotonError {
  override readonly name = "DuplicateUri";
  readonly code = "DUPLICATE_URI";

  constructor(uri: string, other: string) {
    super(
      uri === other
        ? `Two resources are at ${uri}; give one of them another address.`
        : `${other} and ${uri} stand for the same addresses; change one of them.`,
    );
  }
}

/** The resources, unless two of them are at the same addresses. */
export function uniqueUris(resources: Iterable<Resource<never>>): readonly Resource<never>[] {
  const byAddress = new Map<string, Resource<never>>();
  for (const resource of resources) {
    // Which addresses a template stands for does not depend on what its variables are called.
    const address = resource.uri.replaceAll(/\{[^{}]*\}/g, "{}");
    const other = byAddress.get(address);
    if (other !== undefined) throw new DuplicateUri(resource.uri, other.uri);
    byAddress.set(address, resource);
  }
  return [...byAddress.values()];
}
