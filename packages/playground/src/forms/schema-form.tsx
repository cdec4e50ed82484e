/** The form for a tool's input, made from its schema. */
import Form from "@rjsf/core/lib/components/Form.js";
import type { RJSFSchema } from "@rjsf/utils";
import type { JSX } from "preact";
import { useMemo } from "preact/hooks";
import type { Given } from "../desk/run.ts";
import { buttons } from "./buttons.tsx";
import { SelectWidget, YesNoWidget } from "./choice-widgets.tsx";
import { ArrayTemplate, ErrorList, ItemTemplate, ObjectTemplate } from "./container-templates.tsx";
import { Alternatives, Description, FieldErrors, FieldTemplate, Unsupported } from "./field-templates.tsx";
import { formSchemaOf } from "./form-schema.ts";
import type { InputProps } from "./input-props.ts";
import { InputTemplate } from "./input.tsx";
import { withQuickPatterns } from "./quick-patterns.ts";
import { isRecord } from "../is-record.ts";
import { validator } from "./validator.ts";
import { withRequired } from "./with-required.ts";
import { withoutEmpty } from "./without-empty.ts";

const templates = {
  ArrayFieldTemplate: ArrayTemplate,
  ArrayFieldItemTemplate: ItemTemplate,
  BaseInputTemplate: InputTemplate,
  ButtonTemplates: buttons,
  DescriptionFieldTemplate: Description,
  ErrorListTemplate: ErrorList,
  FieldErrorTemplate: FieldErrors,
  FieldTemplate,
  MultiSchemaFieldTemplate: Alternatives,
  ObjectFieldTemplate: ObjectTemplate,
  UnsupportedFieldTemplate: Unsupported,
};

const widgets = { CheckboxWidget: YesNoWidget, SelectWidget };

/** Defaults are filled in; nothing is made up that nobody asked for. */
const filling = {
  emptyObjectFields: "skipEmptyDefaults",
  arrayMinItems: { populate: "requiredOnly" },
  requiredBooleanDefault: "skip",
} as const;

export function SchemaForm({ schema, given, onChange, onSubmit, children }: InputProps): JSX.Element {
  // The library looks for names by patterns itself.
  const shown = useMemo(() => formSchemaOf(withQuickPatterns(schema)), [schema]);
  const filled = (formData: unknown): Given => {
    const kept = withRequired(schema, withoutEmpty(schema, formData));
    return isRecord(kept) ? kept : {};
  };
  return (
    <Form<unknown, RJSFSchema, object>
      className="schema-form"
      idPrefix="input"
      schema={shown}
      formData={given}
      validator={validator}
      templates={templates}
      widgets={widgets}
      showErrorList="top"
      focusOnFirstError
      noHtml5Validate
      useFallbackUiForUnsupportedType
      // Said beside the fields; without this the library writes it to the console as well.
      onError={() => {}}
      experimental_defaultFormStateBehavior={filling}
      onChange={({ formData }) => onChange(isRecord(formData) ? formData : {})}
      onSubmit={({ formData }) => onSubmit(filled(formData))}
    >
      {children}
    </Form>
  );
}
