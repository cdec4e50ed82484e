/** The form library's port for validation, on a validator that compiles no code: the page's policy forbids that. */
import { ErrorSchemaBuilder, type RJSFSchema, type ValidatorType } from "@rjsf/utils";
import type { JsonSchema } from "../desk/offer.ts";
import { fits, problemsOf } from "./problems.ts";
import { valueAt } from "./schema-path.ts";
import { withRequired } from "./with-required.ts";
import { withoutEmpty } from "./without-empty.ts";

export const validator: ValidatorType<unknown, RJSFSchema, object> = {
  validateFormData(formData, schema) {
    const problems = problemsOf(schema, withRequired(schema, withoutEmpty(schema, formData ?? {}))).map(
      (problem) =>
        // An item that was added and not filled in is no value at all.
        problem.keyword === "type" && (valueAt(formData, problem.path) ?? null) === null
          ? { ...problem, message: "is empty: fill it in, or remove it" }
          : problem,
    );
    const builder = new ErrorSchemaBuilder<unknown>();
    for (const { path, message } of problems) builder.addErrors(message, [...path]);
    const errors = problems.map(({ path, message, keyword }) => ({
      name: keyword,
      message,
      // As the library writes paths, so that it finds the field.
      property: path.map((name) => `.${name}`).join(""),
      stack: `${placeOf(formData, path)} ${message}`.trim(),
    }));
    return { errors, errorSchema: builder.ErrorSchema };
  },
  isValid(schema, formData, rootSchema) {
    return fits(withDefinitions(schema, rootSchema), formData);
  },
  rawValidation: () => ({ errors: [] }),
};

/** A path as the form names it: the items of a list are counted from one. */
function placeOf(value: unknown, path: readonly string[]): string {
  const names = path.map((name, depth) =>
    Array.isArray(valueAt(value, path.slice(0, depth))) ? `item ${Number(name) + 1}` : name,
  );
  return names.join(" › ");
}

/** A part of a schema may refer to what only the whole of it defines. */
function withDefinitions(part: JsonSchema, { $schema, $defs, definitions }: JsonSchema): JsonSchema {
  const known = Object.entries({ $schema, $defs, definitions }).filter(([, value]) => value !== undefined);
  return { ...Object.fromEntries(known), ...part };
}
