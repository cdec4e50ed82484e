/** What holds fields: objects, lists, and the items of lists. */
import {
  buttonId,
  canExpand,
  descriptionId,
  titleId,
  type ArrayFieldItemTemplateProps,
  type ArrayFieldTemplateProps,
  type ErrorListProps,
  type ObjectFieldTemplateProps,
  type RJSFSchema,
} from "@rjsf/utils";
import type { ComponentChildren, JSX } from "preact";
import { IconButton } from "./buttons.tsx";
import { NameOf } from "./name-of.tsx";
import { clip } from "../views/parts/clip.ts";

export function ObjectTemplate(
  props: ObjectFieldTemplateProps<unknown, RJSFSchema, object>,
): JSX.Element | null {
  const { properties, schema, uiSchema, formData, fieldPathId, registry } = props;
  const isOnlyAlternatives = schema.properties === undefined && properties.length === 0;
  if (isOnlyAlternatives && (schema.oneOf !== undefined || schema.anyOf !== undefined)) return null;
  const { AddButton } = registry.templates.ButtonTemplates;
  const fields = (
    <>
      {properties.map(({ content }) => content)}
      {canExpand(schema, uiSchema, formData) && (
        <AddButton id={buttonId(fieldPathId, "add")} registry={registry} onClick={props.onAddProperty} />
      )}
    </>
  );
  // The whole input needs no frame: the call it belongs to is its name.
  if (fieldPathId.path.length === 0) return <div class="fields">{fields}</div>;
  return (
    <Frame props={props}>
      <div class="fields">{fields}</div>
    </Frame>
  );
}

export function ArrayTemplate(props: ArrayFieldTemplateProps<unknown, RJSFSchema, object>): JSX.Element {
  const { items, canAdd, fieldPathId, registry, disabled, onAddClick } = props;
  const { AddButton } = registry.templates.ButtonTemplates;
  return (
    <Frame props={props}>
      {items.length === 0 ? <p class="description">Nothing in it yet.</p> : <div class="items">{items}</div>}
      {canAdd === true && (
        <AddButton
          id={buttonId(fieldPathId, "add")}
          registry={registry}
          disabled={disabled}
          onClick={onAddClick}
        />
      )}
    </Frame>
  );
}

function Frame({
  props: { fieldPathId, schema, title, required },
  children,
}: {
  readonly props: Pick<
    ObjectFieldTemplateProps<unknown, RJSFSchema, object>,
    "fieldPathId" | "schema" | "title" | "required"
  >;
  readonly children: ComponentChildren;
}): JSX.Element {
  const { description } = schema;
  return (
    <fieldset class="frame" id={fieldPathId.$id}>
      {title !== "" && (
        <legend id={titleId(fieldPathId)}>
          <NameOf title={title} schema={schema} required={required === true} fieldPathId={fieldPathId} />
        </legend>
      )}
      {description !== undefined && (
        <p class="description" id={descriptionId(fieldPathId)}>
          {description}
        </p>
      )}
      {children}
    </fieldset>
  );
}

export function ItemTemplate(props: ArrayFieldItemTemplateProps<unknown, RJSFSchema, object>): JSX.Element {
  const { children, hasToolbar, index, buttonsProps: buttons } = props;
  const disabled = props.disabled === true || props.readonly === true;
  const name = `item ${index + 1}`;
  return (
    <div class="item">
      <div class="item-body">{children}</div>
      {hasToolbar && (
        <div class="item-buttons">
          {buttons.hasMoveUp && (
            <IconButton
              icon="up"
              label={`Move ${name} up`}
              disabled={disabled}
              onClick={buttons.onMoveUpItem}
            />
          )}
          {buttons.hasMoveDown && (
            <IconButton
              icon="down"
              label={`Move ${name} down`}
              disabled={disabled}
              onClick={buttons.onMoveDownItem}
            />
          )}
          {buttons.hasRemove && (
            <IconButton
              icon="close"
              label={`Remove ${name}`}
              disabled={disabled}
              onClick={buttons.onRemoveItem}
            />
          )}
        </div>
      )}
    </div>
  );
}

/** Everything that is wrong, also with what has no box of its own. */
export function ErrorList({ errors }: ErrorListProps<unknown, RJSFSchema, object>): JSX.Element {
  return (
    <div class="problem-list" role="alert">
      <p>
        {errors.length === 1 ? "One thing has to be mended:" : `${errors.length} things have to be mended:`}
      </p>
      <ul class="problems">
        {errors.map(({ stack }, index) => (
          <li key={index}>{clip(stack, 1000)}</li>
        ))}
      </ul>
    </div>
  );
}
