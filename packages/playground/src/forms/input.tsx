/** A box to type one value into: of one line, or growing with what is typed. */
import { ariaDescribedByIds, getInputProps, type BaseInputTemplateProps, type RJSFSchema } from "@rjsf/utils";
import type { JSX, TargetedKeyboardEvent } from "preact";

type Props = BaseInputTemplateProps<unknown, RJSFSchema, object>;
type Box = HTMLInputElement | HTMLTextAreaElement;

const ONE_LINE = 200;

export function InputTemplate(props: Props): JSX.Element {
  const { id, htmlName, readonly, disabled, required, options, schema, placeholder, rawErrors } = props;
  const given: unknown = props.value;
  // A widget says which kind of input it is by a property that the types do not know.
  const type = typeof props["type"] === "string" ? props["type"] : undefined;
  const shared = {
    id,
    name: htmlName ?? id,
    value: typeof given === "string" || typeof given === "number" ? String(given) : "",
    readOnly: readonly,
    disabled,
    placeholder: placeholder ?? "",
    "aria-required": required === true,
    "aria-invalid": (rawErrors?.length ?? 0) > 0,
    "aria-describedby": ariaDescribedByIds(id),
    onInput: ({ currentTarget: { value: typed } }: { currentTarget: Box }) =>
      props.onChange(typed === "" ? options.emptyValue : typed),
    onBlur: ({ currentTarget: { value: left } }: { currentTarget: Box }) => props.onBlur(id, left),
  };
  if (type === undefined && growsWith(schema))
    return <textarea {...shared} rows={1} onKeyDown={runOnEnter} title="Shift+Enter for a new line" />;
  const { type: kind, step, min, max } = getInputProps(schema, type, options);
  // The types tell inputs apart by the roles they may have; none is given here, so one stands for all.
  return <input {...shared} type={kind as "text"} step={step} min={min} max={max} />;
}

function growsWith({ type, format, maxLength }: RJSFSchema): boolean {
  return type === "string" && format === undefined && (maxLength === undefined || maxLength > ONE_LINE);
}

function runOnEnter(event: TargetedKeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
  event.preventDefault();
  event.currentTarget.form?.requestSubmit();
}
