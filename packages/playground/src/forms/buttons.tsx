import type { IconButtonProps, RJSFSchema } from "@rjsf/utils";
import type { JSX, TargetedMouseEvent } from "preact";
import { Icon, type IconName } from "../views/parts/icons.tsx";

type Props = IconButtonProps<unknown, RJSFSchema, object>;

export function IconButton({
  icon,
  label,
  disabled,
  onClick,
}: {
  readonly icon: IconName;
  readonly label: string;
  readonly disabled?: boolean | undefined;
  readonly onClick: (event: TargetedMouseEvent<HTMLButtonElement>) => void;
}): JSX.Element {
  return (
    <button
      type="button"
      class="icon-button"
      aria-label={label}
      title={label}
      disabled={disabled}
      onClick={onClick}
    >
      <Icon name={icon} />
    </button>
  );
}

/** The library's buttons, each with its picture and its words. */
const buttonOf = (icon: IconName, label: string) =>
  function LibraryButton({ disabled, onClick }: Props): JSX.Element {
    return (
      <IconButton
        icon={icon}
        label={label}
        disabled={disabled === true}
        // The library's handlers take any event, or none.
        onClick={onClick as (event: TargetedMouseEvent<HTMLButtonElement>) => void}
      />
    );
  };

function AddButton({ disabled, onClick }: Props): JSX.Element {
  return (
    <button type="button" class="add-button" disabled={disabled === true} onClick={onClick}>
      <Icon name="plus" /> Add
    </button>
  );
}

export const buttons = {
  AddButton,
  CopyButton: buttonOf("copy", "Copy"),
  MoveUpButton: buttonOf("up", "Move up"),
  MoveDownButton: buttonOf("down", "Move down"),
  RemoveButton: buttonOf("close", "Remove"),
  ClearButton: buttonOf("close", "Clear"),
};
