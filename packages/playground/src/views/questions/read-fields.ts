/** The fields of a question, from the schema that came with it: ours, or that of a server of another make. Pure. */
import type { JsonSchema } from "../../desk/offer.ts";
import type { Details } from "../../desk/question.ts";
import { isRecord } from "../../is-record.ts";
import type { Draft } from "./draft.ts";
import { type Field, type FieldKind, kindOf } from "./field-kinds.ts";
import { localTime } from "./local-time.ts";

export function readFields(schema: JsonSchema, details: Details): readonly Field[] {
  const properties = isRecord(schema["properties"]) ? schema["properties"] : {};
  const required: readonly unknown[] = Array.isArray(schema["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, field]) =>
    readField(name, isRecord(field) ? field : {}, required.includes(name), details),
  );
}

function readField(name: string, schema: JsonSchema, required: boolean, details: Details): Field {
  const { title } = schema;
  const { options = {}, bounds = {} } = details;
  const kind = kindOf(schema, options, Object.hasOwn(bounds, name) ? (bounds[name] ?? {}) : {});
  const description = descriptionIn(schema, kind);
  return {
    name,
    label: typeof title === "string" ? title : name,
    ...(description === "" ? {} : { description }),
    required,
    suggestion: suggestionFor(kind, schema["default"]),
    ...kind,
  };
}

/** Without what the server says there of each choice, for clients that have no other place for it: it is beside them here. */
function descriptionIn({ description }: JsonSchema, kind: FieldKind): string {
  if (typeof description !== "string") return "";
  const choices = "choices" in kind ? kind.choices : [];
  return choices
    .reduce((left, choice) => left.replace(`${choice.title}: ${choice.description ?? ""}.`, ""), description)
    .trim();
}

function suggestionFor(kind: FieldKind, value: unknown): Draft {
  switch (kind.kind) {
    case "choices":
      return Array.isArray(value) ? value.filter((one) => typeof one === "string") : [];
    case "yes-no":
      return typeof value === "boolean" ? (value ? "yes" : "no") : "";
    case "date":
      return typeof value === "string" ? (kind.time ? localTime(value) : value) : "";
    case "json":
      return value === undefined ? "" : JSON.stringify(value);
    default:
      return typeof value === "string" || typeof value === "number" ? String(value) : "";
  }
}
