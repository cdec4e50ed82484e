/** Choices: one of several from a list, several with ticks, yes or no with a third way for neither. */
import {
  ariaDescribedByIds,
  deepEquals,
  descriptionId,
  type RJSFSchema,
  type WidgetProps,
} from "@rjsf/utils";
import type { JSX } from "preact";
import { Told } from "../views/parts/told.tsx";
import { isRecord } from "../is-record.ts";

type Props = WidgetProps<unknown, RJSFSchema, object>;

interface Option {
  readonly value: unknown;
  readonly label: string;
}

/** The names that a schema has beside its values are no part of JSON Schema, and the library does not read them. */
function optionsIn({ options, schema }: Props): readonly Option[] {
  const { enumNames } = isRecord(schema.items) ? schema.items : schema;
  const names: readonly unknown[] = Array.isArray(enumNames) ? enumNames : [];
  return (options.enumOptions ?? []).map(({ value, label }: Option, index) => {
    const name = names[index];
    return { value, label: typeof name === "string" ? name : label };
  });
}

export function SelectWidget(props: Props): JSX.Element {
  if (props.multiple === true) return <TickList {...props} />;
  const { id, htmlName, disabled, readonly, required, schema, placeholder } = props;
  const value: unknown = props.value;
  const options = optionsIn(props);
  const chosen = options.findIndex((option) => deepEquals(option.value, value));
  const isBranch = id.endsWith("of_select");
  return (
    <select
      id={id}
      name={htmlName ?? id}
      value={chosen === -1 ? "" : String(chosen)}
      disabled={disabled === true || readonly === true}
      aria-required={required === true}
      aria-invalid={(props.rawErrors?.length ?? 0) > 0}
      aria-describedby={ariaDescribedByIds(id)}
      aria-label={isBranch ? `Which alternative of ${props.label}` : undefined}
      onChange={({ currentTarget }) =>
        props.onChange(currentTarget.value === "" ? undefined : options[Number(currentTarget.value)]?.value)
      }
    >
      {!isBranch && (schema.default === undefined || chosen === -1) && (
        <option value="">{placeholder === undefined || placeholder === "" ? "Choose…" : placeholder}</option>
      )}
      {options.map(({ label }, index) => (
        <option key={index} value={String(index)}>
          {label}
        </option>
      ))}
    </select>
  );
}

function TickList(props: Props): JSX.Element {
  const { id, label, disabled, readonly } = props;
  const chosen: readonly unknown[] = Array.isArray(props.value) ? props.value : [];
  const options = optionsIn(props);
  const toggle = (value: unknown, ticked: boolean): void =>
    props.onChange(
      options.map((option) => option.value).filter((one) => (one === value ? ticked : chosen.includes(one))),
    );
  return (
    <div class="choices" id={id} role="group" aria-label={label} aria-describedby={ariaDescribedByIds(id)}>
      {options.map((option, index) => (
        <label class="choice" key={index}>
          <input
            type="checkbox"
            checked={chosen.includes(option.value)}
            disabled={disabled === true || readonly === true}
            onChange={({ currentTarget }) => toggle(option.value, currentTarget.checked)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </div>
  );
}

/** With a tick there would be no telling "no" from "not said". */
export function YesNoWidget(props: Props): JSX.Element {
  const { id, label, required, disabled, readonly, rawErrors, schema } = props;
  const value: unknown = props.value;
  const neither: readonly Option[] = required === true ? [] : [{ value: undefined, label: "not said" }];
  const invalid = (rawErrors?.length ?? 0) > 0;
  return (
    <fieldset class="yes-no" id={id} aria-describedby={ariaDescribedByIds(id)} aria-invalid={invalid}>
      <legend>
        <Told text={label} most={300} />
        {required === true && <RequiredMark />}
      </legend>
      {schema.description !== undefined && (
        <p class="description" id={descriptionId(id)}>
          {schema.description}
        </p>
      )}
      {[...optionsIn(props), ...neither].map((option, index) => (
        <label class="choice" key={index}>
          <input
            type="radio"
            name={id}
            checked={value === option.value}
            disabled={disabled === true || readonly === true}
            onChange={() => props.onChange(option.value)}
          />
          <span>{option.label}</span>
        </label>
      ))}
    </fieldset>
  );
}

export function RequiredMark(): JSX.Element {
  return (
    <span class="required" title="required">
      <span aria-hidden="true"> *</span>
      <span class="unseen"> (required)</span>
    </span>
  );
}
