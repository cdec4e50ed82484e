import type { FieldPathId, RJSFSchema } from "@rjsf/utils";
import type { JSX } from "preact";
import { Told } from "../views/parts/told.tsx";
import { RequiredMark } from "./choice-widgets.tsx";

/** What a field is called. Items are counted, where the library would name them after their list, and mark them as required. */
export function NameOf({
  title,
  schema,
  required,
  fieldPathId: { path },
}: {
  readonly title: string;
  readonly schema: RJSFSchema;
  readonly required: boolean;
  readonly fieldPathId: FieldPathId;
}): JSX.Element {
  const last = path.at(-1);
  const isItem = typeof last === "number";
  return (
    <>
      <Told text={isItem && schema.title === undefined ? `Item ${last + 1}` : title} most={300} />
      {required && !isItem && <RequiredMark />}
    </>
  );
}
