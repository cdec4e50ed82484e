/** One field: its name, what it is for, the box itself, what is wrong. */
import {
  ADDITIONAL_PROPERTY_FLAG,
  errorId,
  type DescriptionFieldProps,
  type FieldErrorProps,
  type FieldTemplateProps,
  type MultiSchemaFieldTemplateProps,
  type RJSFSchema,
  type UnsupportedFieldProps,
  type WrapIfAdditionalTemplateProps,
} from "@rjsf/utils";
import type { JSX } from "preact";
import { NameOf } from "./name-of.tsx";
import { IconButton } from "./buttons.tsx";
import { clip } from "../views/parts/clip.ts";

/** The words about a field may be the author's, however long they are. */
const MOST = 1000;

export function FieldTemplate(props: FieldTemplateProps<unknown, RJSFSchema, object>): JSX.Element {
  const { id, label, children, errors, rawErrors, description, hidden, required, displayLabel } = props;
  const { schema, fieldPathId } = props;
  if (hidden === true) return <div hidden>{children}</div>;
  // What is wrong with a list or an object as a whole stands at its top; its fields say what is wrong with them.
  const isOuter = schema.type === "object" || schema.type === "array";
  const body = (
    <div class={`field${(rawErrors?.length ?? 0) > 0 ? " has-problem" : ""}`}>
      {displayLabel === true && label !== "" && (
        <label for={id}>
          <NameOf title={label} schema={schema} required={required === true} fieldPathId={fieldPathId} />
        </label>
      )}
      {displayLabel === true && description}
      {isOuter && errors}
      {children}
      {!isOuter && errors}
    </div>
  );
  return <NamedField {...props}>{body}</NamedField>;
}

/** A property that the schema does not know by name: whoever fills in the form names it. */
function NamedField(props: WrapIfAdditionalTemplateProps<unknown, RJSFSchema, object>): JSX.Element {
  const { id, label, schema, children, disabled, readonly } = props;
  if (!(ADDITIONAL_PROPERTY_FLAG in schema)) return <>{children}</>;
  return (
    <div class="named-field">
      <div class="field">
        <label for={`${id}-key`}>Name</label>
        <input id={`${id}-key`} type="text" defaultValue={label} onBlur={props.onKeyRenameBlur} key={label} />
      </div>
      {children}
      <IconButton
        icon="close"
        label={`Remove ${label}`}
        disabled={disabled || readonly}
        onClick={props.onRemoveProperty}
      />
    </div>
  );
}

export function Description({
  id,
  description,
}: DescriptionFieldProps<unknown, RJSFSchema, object>): JSX.Element | null {
  if (description === undefined || description === "") return null;
  return (
    <p class="description" id={id}>
      {description}
    </p>
  );
}

export function FieldErrors({
  errors = [],
  fieldPathId,
}: FieldErrorProps<unknown, RJSFSchema, object>): JSX.Element | null {
  if (errors.length === 0) return null;
  return (
    <ul class="problems" id={errorId(fieldPathId)}>
      {errors.map((error, index) => (
        <li key={index}>{typeof error === "string" ? clip(error, MOST) : error}</li>
      ))}
    </ul>
  );
}

/** A field that may be one of several things. */
export function Alternatives({
  selector,
  optionSchemaField,
}: MultiSchemaFieldTemplateProps<unknown, RJSFSchema, object>): JSX.Element {
  return (
    <div class="alternatives">
      {selector}
      {optionSchemaField}
    </div>
  );
}

export function Unsupported({ schema }: UnsupportedFieldProps<unknown, RJSFSchema, object>): JSX.Element {
  return (
    <p class="description">
      There is no box for this ({JSON.stringify(schema).slice(0, 200)}). It can be given as JSON.
    </p>
  );
}
