import type { Tool } from "@modelcontextprotocol/client";
import type { JsonSchema } from "@photon/core";

/** The input schema of a server's tool, as core reads schemas. The client has made sure that it is one of an object. */
export const inputSchemaOf = ({ inputSchema }: Tool): JsonSchema => inputSchema as JsonSchema;
